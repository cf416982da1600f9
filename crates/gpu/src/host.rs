//! The host in place of a device: the same text, compiled by a C++ compiler and called one state after the other. It is how
//! the text is tested where there is no device.
#![allow(unsafe_code)]

use crate::backend::{Args, Backend, Compile, Failure, Kernel};
use libloading::Library;
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A C++ compiler of this machine.
#[derive(Clone, Debug)]
pub struct Host {
    compiler: &'static str,
    options: &'static [&'static str],
}

impl Host {
    /// The first compiler that is there.
    pub fn find() -> Option<Host> {
        let works = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success());
        let compiler = ["g++", "clang++"].into_iter().find(works)?;
        Some(Host { compiler, options: &["-O0"] })
    }

    /// The same with optimisation, for large models.
    #[must_use]
    pub fn optimised(self) -> Host {
        Host { options: &["-O2"], ..self }
    }
}

impl Compile for Host {
    fn compile(&self, text: &str) -> Result<Box<dyn Backend>, Failure> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("highwater-gpu-{}-{number}", std::process::id()));
        let failure = |e: std::io::Error| Failure(format!("{}: {e}", folder.display()));
        std::fs::create_dir_all(&folder).map_err(failure)?;
        let (source, library) = (folder.join("model.cpp"), folder.join("model.so"));
        std::fs::write(&source, text).map_err(failure)?;
        let mut command = Command::new(self.compiler);
        command.args(self.options).args(["-std=c++17", "-w", "-fwrapv", "-fno-strict-aliasing", "-shared", "-fPIC"]);
        let output = command.arg("-o").arg(&library).arg(&source).output().map_err(failure)?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Failure(format!("{}: {message}", source.display())));
        }
        // SAFETY: the library is the one that was compiled from our text; it has no initialisers.
        let library = unsafe { Library::new(&library) }.map_err(|e| Failure(e.to_string()))?;
        Ok(Box::new(Loaded { library: Some(library), folder, memory: HashMap::new() }))
    }
}

struct Loaded {
    library: Option<Library>,
    folder: PathBuf,
    memory: HashMap<u64, Box<[u64]>>,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        self.library = None;
        // A folder that stays behind does no harm.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Backend for Loaded {
    fn name(&self) -> String {
        String::from("host")
    }

    fn available(&self) -> u64 {
        4 << 30
    }

    fn threads(&self) -> u64 {
        1
    }

    fn allocate(&mut self, bytes: u64) -> Result<Option<u64>, Failure> {
        let memory = vec![0u64; bytes.div_ceil(8) as usize].into_boxed_slice();
        let address = memory.as_ptr() as u64;
        self.memory.insert(address, memory);
        Ok(Some(address))
    }

    fn free(&mut self, address: u64) {
        self.memory.remove(&address);
    }

    fn clear(&mut self, address: u64, bytes: u64) -> Result<(), Failure> {
        // SAFETY: the address is that of memory of at least this size.
        unsafe { std::ptr::write_bytes(address as *mut u8, 0, bytes as usize) };
        Ok(())
    }

    fn upload(&mut self, address: u64, bytes: &[u8]) -> Result<(), Failure> {
        // SAFETY: the address lies in memory that has room for the bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) };
        Ok(())
    }

    fn download(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Failure> {
        // SAFETY: the address lies in memory that has as many bytes.
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    fn launch(&mut self, kernel: Kernel, args: &Args, _work: u64) -> Result<(), Failure> {
        #[repr(C)]
        struct Words([u64; 12]);
        let library = self.library.as_ref().ok_or_else(|| Failure(String::from("no library")))?;
        // SAFETY: the text declares every kernel with one argument of this size and layout.
        let function = unsafe { library.get::<unsafe extern "C" fn(Words)>(kernel.name().as_bytes()) };
        let function = function.map_err(|e| Failure(e.to_string()))?;
        // SAFETY: the addresses in the arguments are those of our memory.
        unsafe { function(Words(args.words())) };
        Ok(())
    }
}
