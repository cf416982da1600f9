//! Writes a member of a family of protocols: `family token-ring 4`, `family sliding-window 10 2`, `family peterson 3`.

use std::io::Write;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments.get(index).and_then(|text| text.parse().ok()).unwrap_or(2);
    let text = match arguments.first().map(String::as_str) {
        Some("token-ring") => scm::families::token_ring(number(1)),
        Some("sliding-window") => scm::families::sliding_window(number(1), number(2)),
        Some("peterson") => scm::families::peterson(number(1)),
        Some("equal-queues") => scm::families::equal_queues(number(1), Some(number(2)).filter(|&modulus| modulus > 1)),
        Some("pipeline") => scm::families::pipeline(number(1)),
        Some("lock-server") => scm::families::lock_server(number(1)),
        _ => String::from(
            "usage: family pipeline N | lock-server N | token-ring N | sliding-window M W | peterson N | equal-queues K M\n",
        ),
    };
    std::io::stdout().write_all(text.as_bytes())
}
