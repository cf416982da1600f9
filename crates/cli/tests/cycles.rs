//! The papers' own method, `--abstraction cycles`, and the cycles that `show` lists, as a user sees them.

use crate::binary::{highwater, scratch};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn boundedness(file: &Path, more: &[&str]) -> Value {
    let mut arguments = vec!["check", file.to_str().unwrap(), "-p", "boundedness", "--format", "json"];
    arguments.extend(["--abstraction", "cycles"]);
    arguments.extend(more);
    let output = highwater(&arguments);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    document["results"][0].clone()
}

/// The bounds that the papers print, each with a certificate that the checker accepts.
#[test]
fn the_bounds_of_the_papers_are_reported_and_certified() {
    let expected: [(&str, &[(&str, u64)]); 2] = [
        ("client-server/client-server.pml", &[("ts[0]", 3)]),
        ("papers/iboc-01-two-processes.pml", &[("AB", 20), ("BA", 6)]),
    ];
    for (file, bounds) in expected {
        let file = examples().join(file);
        let certificate = scratch("certificate.json");
        let result = boundedness(&file, &["--certificate", certificate.to_str().unwrap()]);
        assert_eq!((result["verdict"].as_str(), result["engine"].as_str()), (Some("proved"), Some("flow")));
        for &(name, bound) in bounds {
            let channels = result["channels"].as_array().unwrap();
            let channel = channels.iter().find(|c| c["name"] == name).unwrap();
            assert_eq!(channel["proved_at_most"].as_u64(), Some(bound), "{name}");
        }
        let output = highwater(&["verify-certificate", file.to_str().unwrap(), certificate.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn freedom_from_livelock_is_certified_too() {
    let file = scratch("pair.pml");
    let text = "mtype = { ping, pong };
        chan there = [1] of { mtype };
        chan back = [1] of { mtype };
        active proctype A() { there!ping; do :: back?pong -> there!ping od }
        active proctype B() { do :: there?ping -> back!pong od }";
    std::fs::write(&file, text).unwrap();
    let (file, certificate) = (file.to_str().unwrap(), scratch("livelock.json"));
    let certificate = certificate.to_str().unwrap();
    let asked = ["-p", "livelock", "--progress", "back?pong", "--abstraction", "cycles", "--certificate", certificate];
    let output = highwater(&[&["check", file], &asked[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(highwater(&["verify-certificate", file, certificate]).status.code(), Some(0));
}

#[test]
fn a_chain_of_diamonds_is_refused_in_time() {
    let file = scratch("diamonds.pml");
    let diamond = "if :: x = 1; x = 2 :: x = 3; x = 4 fi; ".repeat(40);
    let text = format!("chan c = [1] of {{ byte }}; active proctype P() {{ byte x; do :: c!0; {diamond} c?_ od }}");
    std::fs::write(&file, text).unwrap();
    let result = boundedness(&file, &[]);
    assert_eq!(result["verdict"], "inconclusive");
    assert_eq!(result["stats"]["cycles"], 2_000_000);
    let default = highwater(&["check", file.to_str().unwrap(), "-p", "boundedness", "--engine", "flow"]);
    assert_eq!(default.status.code(), Some(0));
}

#[test]
fn cycles_are_shown_with_their_places_and_effects() {
    let file = examples().join("client-server/client-server.pml");
    let output = highwater(&["show", file.to_str().unwrap(), "--what", "cycles"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("client(byte id): 1 cycle, client[1], client[2]\n"), "{text}");
    assert!(text.contains("      client[2]: tc[1]: ack -1, ts[1]: rel +1, ts[1]: req +1\n"), "{text}");
    assert!(text.contains("server(): 2 cycles, server[3]\n"), "{text}");
    let output = highwater(&["show", file.to_str().unwrap(), "--what", "cycles", "--format", "dot"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("digraph cycles {") && text.contains("tc[id]?ack\\n(1)\", color="), "{text}");
}
