//! `--device`, through a driver and a run-time compiler that are fakes over the host (`device/driver.c`): what is said where
//! something is wrong with the device, what the cache keeps, and that no answer depends on where it was found.
#![cfg(target_os = "linux")]

use crate::binary::path;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Wide layers, a violation if `LIMIT` says so, and no deadlock.
const MODEL: &str = "byte a, b, c; chan q = [2] of { byte };
active [2] proctype P() { do :: a = (a + 1) % 20 :: b = (b + 1) % 15 :: q!a % 3 :: c = (c + 1) % C od }
active proctype Q() { byte x; do :: q?x -> assert(x + c < LIMIT) od }\n";

/// A folder with the two libraries, and a file.
struct Fake {
    folder: PathBuf,
}

impl Fake {
    /// `None`, with a line that says so, where there is no C compiler.
    #[allow(clippy::print_stdout)]
    fn new(name: &str, definitions: &[&str]) -> Option<Fake> {
        let folder = std::env::temp_dir().join(format!("highwater-device-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("model.pml"), MODEL).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/device/driver.c");
        for library in ["libcuda.so.1", "libnvrtc.so"] {
            let mut compiler = Command::new("cc");
            compiler.args(["-w", "-O1", "-shared", "-fPIC"]).args(definitions).arg("-o");
            let made = compiler.arg(folder.join(library)).arg(&source).arg("-ldl").status();
            if !made.is_ok_and(|status| status.success()) || Command::new("c++").arg("--version").output().is_err() {
                println!("skipped: there is no C compiler");
                return None;
            }
        }
        Some(Fake { folder })
    }

    /// What the program says with this device, these options, and this environment.
    fn check(&self, options: &[&str], environment: &[(&str, &str)]) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_highwater"));
        command.args(["check", "--format", "json", "-p", "safety,deadlock", "--keep-going", "--reduction", "none"]);
        for (name, usual) in [("LIMIT=", "LIMIT=99"), ("C=", "C=12")] {
            if !options.iter().any(|option| option.starts_with(name)) {
                command.args(["-D", usual]);
            }
        }
        command.args(options).arg(path(&self.folder.join("model.pml")));
        command.env("LD_LIBRARY_PATH", &self.folder).env("FAKE_FOLDER", &self.folder);
        command.env("XDG_CACHE_HOME", self.folder.join("cache")).envs(environment.iter().copied());
        let output = command.output().unwrap();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        Said { code: output.status.code(), results: document["results"].as_array().cloned().unwrap_or_default() }
    }

    /// How often the compiler was called.
    fn compilations(&self) -> usize {
        std::fs::read_to_string(self.folder.join("log")).map_or(0, |log| log.lines().count())
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

struct Said {
    code: Option<i32>,
    results: Vec<Value>,
}

impl Said {
    /// Verdicts, counts and certificates: all that is not about the device.
    fn answers(&self) -> Vec<String> {
        let answer = |result: &Value| {
            let stats = &result["stats"];
            let counts = ["states", "transitions", "depth", "violations"].map(|name| stats[name].to_string());
            let (verdict, certificate) = (&result["verdict"], &result["certificate"]);
            let steps = result["witness"]["steps"].as_array().map(Vec::len);
            format!("{} {verdict} {} {counts:?} {certificate} {steps:?}", result["property"], result["reason"])
        };
        self.results.iter().map(answer).collect()
    }

    fn has(&self, text: &str) -> bool {
        self.results.iter().any(|result| result.to_string().contains(text))
    }
}

#[test]
fn a_device_says_what_the_cpu_says() {
    let Some(fake) = Fake::new("same", &[]) else { return };
    for limit in ["LIMIT=99", "LIMIT=12"] {
        let cpu = fake.check(&["-D", limit], &[]);
        assert_eq!(cpu.results.len(), 2);
        for device in ["cuda", "cuda:0", "auto"] {
            let found = fake.check(&["-D", limit, "--device", device], &[]);
            assert!(found.has("searched on a device that is none"), "{limit}: {:?}", found.results);
            assert_eq!((found.code, found.answers()), (cpu.code, cpu.answers()), "{limit}, {device}");
        }
    }
    let other = fake.check(&["--device", "cuda:1"], &[]);
    assert!(other.has("there is no GPU 1: this machine has 1"), "{:?}", other.results);
}

#[test]
fn what_was_compiled_is_kept_by_the_model() {
    let Some(fake) = Fake::new("cache", &[]) else { return };
    let on = |limit: &str| fake.check(&["-D", limit, "--device", "cuda"], &[]);
    let first = on("LIMIT=99");
    assert_eq!((on("LIMIT=99").answers(), fake.compilations()), (first.answers(), 1));
    on("LIMIT=98");
    assert_eq!(fake.compilations(), 2, "another model has another kernel");
    let folder = fake.folder.join("cache/highwater/kernels");
    let files = || std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
    assert_eq!(files().count(), 2);
    // A file that is cut, or in which a byte has changed, is not loaded.
    for damage in [|file: &mut Vec<u8>| file.truncate(file.len() / 2), |file: &mut Vec<u8>| file[200] ^= 1] {
        let before = fake.compilations();
        for file in files() {
            let mut bytes = std::fs::read(&file).unwrap();
            damage(&mut bytes);
            std::fs::write(&file, bytes).unwrap();
        }
        assert_eq!((on("LIMIT=99").answers(), fake.compilations()), (first.answers(), before + 1));
    }
    // The kernel of one model under the name of another is not taken for it.
    on("LIMIT=98");
    let (names, before) = (files().collect::<Vec<_>>(), fake.compilations());
    let contents: Vec<Vec<u8>> = names.iter().map(|name| std::fs::read(name).unwrap()).collect();
    names.iter().zip(contents.iter().rev()).for_each(|(name, content)| std::fs::write(name, content).unwrap());
    assert_eq!((on("LIMIT=99").answers(), fake.compilations()), (first.answers(), before + 1));
}

/// With `cuda` the reason is said and nothing is answered; with `auto` the CPU answers, and the note has the reason.
fn refused(fake: &Fake, environment: &[(&str, &str)], why: &str) {
    let cpu = fake.check(&[], &[]);
    let found = fake.check(&["--device", "cuda"], environment);
    assert_eq!(found.code, Some(3), "{environment:?}");
    assert!(found.results.iter().all(|result| result["verdict"] == "inconclusive"), "{:?}", found.results);
    assert!(found.has(why), "{environment:?}: {:?}", found.results);
    let found = fake.check(&["--device", "auto"], environment);
    assert_eq!((found.code, found.answers()), (cpu.code, cpu.answers()), "{environment:?}");
    assert!(found.has("searched on the CPU: ") && found.has(why), "{environment:?}: {:?}", found.results);
}

#[test]
fn what_is_wrong_with_a_device_is_said() {
    let Some(fake) = Fake::new("wrong", &[]) else { return };
    refused(&fake, &[("FAKE_START", "100")], "the driver does not start: no CUDA-capable device is detected");
    refused(&fake, &[("FAKE_COUNT", "0")], "there is no GPU 0: this machine has 0");
    refused(&fake, &[("FAKE_CAPABILITY", "6")], "the GPU is too old: compute capability 6.0");
    refused(&fake, &[("FAKE_CONTEXT", "999")], "the GPU cannot be used");
    refused(&fake, &[("FAKE_COMPILER", "1")], "NVRTC could not compile the text");
    refused(&fake, &[("FAKE_SAID", "1000000")], "too little memory on the device");
    for (definition, why) in [
        ("-DOLD_DRIVER", "the driver is too old: it has no `cuMemAlloc_v2`"),
        ("-DOLD_COMPILER", "NVRTC, the run-time compiler of CUDA, is too old: it has no `nvrtcGetCUBINSize`"),
    ] {
        if let Some(fake) = Fake::new(definition, &[definition]) {
            refused(&fake, &[], why);
        }
    }
}

#[test]
fn a_device_that_is_lost_in_the_middle_loses_no_answer() {
    let Some(fake) = Fake::new("lost", &[]) else { return };
    for commands in ["1", "12", "30", "60"] {
        refused(&fake, &[("FAKE_COMMANDS", commands)], "unspecified launch failure (CUDA error 719)");
    }
}

#[test]
fn memory_that_others_took_is_no_memory() {
    let Some(fake) = Fake::new("memory", &[]) else { return };
    let large = ["-D", "C=60", "--device", "cuda"];
    let cpu = fake.check(&large[..2], &[]);
    // The device says that it has 64 MB.
    let (mut whole, mut partly) = (0, 0);
    for megabytes in (28..48).step_by(2) {
        let memory = (megabytes * 1_000_000).to_string();
        let found = fake.check(&large, &[("FAKE_SAID", "64000000"), ("FAKE_MEMORY", &memory)]);
        let states = found.results[0]["stats"]["states"].as_u64().unwrap_or(0);
        match found.code {
            Some(0) => {
                assert_eq!(found.answers(), cpu.answers(), "{megabytes} MB");
                whole += 1;
            }
            code => {
                assert_eq!(code, Some(3), "{megabytes} MB: {:?}", found.results);
                assert!(found.has("memory") && states < 1_404_000, "{megabytes} MB: {:?}", found.results);
                partly += usize::from(states > 0);
            }
        }
    }
    assert!(whole > 1 && partly > 1, "{whole} whole, {partly} partly");
}
