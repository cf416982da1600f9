//! Checks the protocol of this crate, and shows the report.

use highwater::Check;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = highwater_embed::stop_and_wait(1)?;
    let report = Check::new(&model).run()?;
    println!("{report}");
    std::process::exit(report.exit_code());
}
