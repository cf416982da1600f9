#[path = "../tests/common/mod.rs"]
mod common;
fn main() {
    let s: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    println!("{}{}", common::PRELUDE, common::generate::program(s));
}
