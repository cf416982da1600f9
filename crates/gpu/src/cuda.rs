//! A device of NVIDIA, through two libraries that are looked for when one is wanted: the driver, and NVRTC, which compiles
//! the text. Nothing of CUDA is needed to build this crate, and nothing to run it without a device.
//!
//! What was compiled is kept in a folder of the user by the hash of the text, the architecture and the compiler's version, all of
//! which stand at the beginning of the file, and a sum of all of it at the end: neither the code of another text nor a damaged
//! file is loaded.
#![allow(unsafe_code)]

use crate::backend::{Args, BLOCK, Backend, Compile, Failure, Kernel};
use libloading::Library;
use std::collections::hash_map::DefaultHasher;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// What the driver says where there is too little memory.
const OUT_OF_MEMORY: c_int = 2;
/// Blocks on a multiprocessor, at most; registers decide how many there really are.
const BLOCKS: u64 = 16;

#[cfg(windows)]
const DRIVERS: &[&str] = &["nvcuda.dll"];
#[cfg(not(windows))]
const DRIVERS: &[&str] = &["libcuda.so.1", "libcuda.so", "/usr/local/nvidia/lib64/libcuda.so.1"];
#[cfg(windows)]
const COMPILERS: &[&str] = &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"];
#[cfg(not(windows))]
const COMPILERS: &[&str] = &[
    "libnvrtc.so",
    "libnvrtc.so.13",
    "libnvrtc.so.12",
    "libnvrtc.so.11.2",
    "/usr/local/cuda/lib64/libnvrtc.so",
    "/usr/local/cuda/targets/x86_64-linux/lib/libnvrtc.so",
];

type Handle = *mut c_void;

/// Declares a table of functions of a library, each with its type.
macro_rules! functions {
    ($(#[$doc:meta])* $table:ident, $what:literal { $($name:ident = $symbol:literal: fn($($argument:ty),*);)* }) => {
        $(#[$doc])*
        struct $table {
            $($name: unsafe extern "C" fn($($argument),*) -> c_int,)*
            _library: Library,
        }

        impl $table {
            fn load(library: Library) -> Result<$table, Failure> {
                // SAFETY: the types are those of the library's headers, which are stable.
                unsafe {
                    $(let $name = *library
                        .get::<unsafe extern "C" fn($($argument),*) -> c_int>($symbol.as_bytes())
                        .map_err(|_| Failure(format!(concat!($what, " is too old: it has no `{}`"), $symbol)))?;)*
                    Ok($table { $($name,)* _library: library })
                }
            }
        }
    };
}

functions! {
    /// The driver.
    Driver, "the driver" {
        init = "cuInit": fn(c_uint);
        count = "cuDeviceGetCount": fn(*mut c_int);
        get = "cuDeviceGet": fn(*mut c_int, c_int);
        name = "cuDeviceGetName": fn(*mut c_char, c_int, c_int);
        attribute = "cuDeviceGetAttribute": fn(*mut c_int, c_int, c_int);
        retain = "cuDevicePrimaryCtxRetain": fn(*mut Handle, c_int);
        release = "cuDevicePrimaryCtxRelease_v2": fn(c_int);
        make_current = "cuCtxSetCurrent": fn(Handle);
        memory = "cuMemGetInfo_v2": fn(*mut usize, *mut usize);
        allocate = "cuMemAlloc_v2": fn(*mut u64, usize);
        free = "cuMemFree_v2": fn(u64);
        fill = "cuMemsetD8_v2": fn(u64, u8, usize);
        upload = "cuMemcpyHtoD_v2": fn(u64, *const c_void, usize);
        download = "cuMemcpyDtoH_v2": fn(*mut c_void, u64, usize);
        load_module = "cuModuleLoadData": fn(*mut Handle, *const c_void);
        unload = "cuModuleUnload": fn(Handle);
        function = "cuModuleGetFunction": fn(*mut Handle, Handle, *const c_char);
        launch = "cuLaunchKernel": fn(Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void, *mut *mut c_void);
        message = "cuGetErrorString": fn(c_int, *mut *const c_char);
    }
}

functions! {
    /// The compiler.
    Nvrtc, "NVRTC, the run-time compiler of CUDA," {
        version = "nvrtcVersion": fn(*mut c_int, *mut c_int);
        create = "nvrtcCreateProgram": fn(*mut Handle, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char);
        compile = "nvrtcCompileProgram": fn(Handle, c_int, *const *const c_char);
        log_size = "nvrtcGetProgramLogSize": fn(Handle, *mut usize);
        log = "nvrtcGetProgramLog": fn(Handle, *mut c_char);
        cubin_size = "nvrtcGetCUBINSize": fn(Handle, *mut usize);
        cubin = "nvrtcGetCUBIN": fn(Handle, *mut c_char);
        destroy = "nvrtcDestroyProgram": fn(*mut Handle);
    }
}

impl Driver {
    fn check(&self, status: c_int, what: &str) -> Result<(), Failure> {
        if status == 0 {
            return Ok(());
        }
        let mut text: *const c_char = std::ptr::null();
        // SAFETY: the driver sets the pointer to a string of its own, or to null.
        let known = unsafe { (self.message)(status, &mut text) == 0 && !text.is_null() };
        // SAFETY: as above.
        let text = if known { unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned() } else { String::new() };
        Err(Failure(format!("{what}: {text} (CUDA error {status})")))
    }
}

fn open(names: &[&str], what: &str) -> Result<Library, Failure> {
    // SAFETY: these are libraries of the vendor, whose initialisers may run.
    let opened = names.iter().find_map(|name| unsafe { Library::new(*name) }.ok());
    opened.ok_or_else(|| Failure(format!("{what} (looked for {})", names[0])))
}

/// The driver with a device in use: its context is there until this is dropped.
struct InUse {
    driver: Driver,
    device: c_int,
    context: Handle,
    /// The compiler, once it was looked for.
    compiler: OnceLock<Result<Nvrtc, Failure>>,
}

impl InUse {
    fn compiler(&self) -> Result<&Nvrtc, Failure> {
        let open = || open(COMPILERS, "there is no NVRTC, the run-time compiler of CUDA, on this machine");
        self.compiler.get_or_init(|| Nvrtc::load(open()?)).as_ref().map_err(Failure::clone)
    }
}

// SAFETY: the driver may be called from any thread, and the context is only named.
unsafe impl Send for InUse {}
// SAFETY: as above.
unsafe impl Sync for InUse {}

impl Drop for InUse {
    fn drop(&mut self) {
        // SAFETY: the context was retained by this value, and nothing uses it any more. Errors change nothing here.
        unsafe { (self.driver.release)(self.device) };
    }
}

/// A device.
#[derive(Clone)]
pub struct Cuda {
    used: Arc<InUse>,
    name: String,
    capability: (c_int, c_int),
    processors: u64,
    /// Where compiled texts are kept.
    cache: Option<PathBuf>,
}

impl Cuda {
    /// The device with this number.
    pub fn new(number: u32, cache: Option<PathBuf>) -> Result<Cuda, Failure> {
        let driver = Driver::load(open(DRIVERS, "there is no driver for a GPU of NVIDIA on this machine")?)?;
        let (mut count, mut device, mut name) = (0, 0, [0 as c_char; 128]);
        // SAFETY: all pointers are to variables of the right types and sizes.
        unsafe {
            driver.check((driver.init)(0), "the driver does not start")?;
            driver.check((driver.count)(&mut count), "no GPU can be counted")?;
            if i64::from(number) >= i64::from(count) {
                return Err(Failure(format!("there is no GPU {number}: this machine has {count}")));
            }
            driver.check((driver.get)(&mut device, number as c_int), "the GPU cannot be used")?;
            driver.check((driver.name)(name.as_mut_ptr(), 127, device), "the GPU has no name")?;
        }
        let attribute = |which: c_int| {
            let mut value = 0;
            // SAFETY: the pointer is to a variable of the right type.
            driver
                .check(unsafe { (driver.attribute)(&mut value, which, device) }, "the GPU says nothing")
                .map(|()| value)
        };
        let (capability, processors) = ((attribute(75)?, attribute(76)?), attribute(16)? as u64);
        if capability.0 < 7 {
            return Err(Failure(format!("the GPU is too old: compute capability {}.{}", capability.0, capability.1)));
        }
        // SAFETY: the driver ends the name with a zero.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        let mut context = std::ptr::null_mut();
        // SAFETY: the pointer is to a variable of the right type.
        driver.check(unsafe { (driver.retain)(&mut context, device) }, "the GPU cannot be used")?;
        Ok(Cuda {
            used: Arc::new(InUse { driver, device, context, compiler: OnceLock::new() }),
            name,
            capability,
            processors,
            cache,
        })
    }

    /// The machine code of a text, from the cache if it is there.
    fn machine_code(&self, text: &str) -> Result<Vec<u8>, Failure> {
        let nvrtc = self.used.compiler()?;
        let mut version = (0, 0);
        // SAFETY: the pointers are to variables of the right types.
        unsafe { (nvrtc.version)(&mut version.0, &mut version.1) };
        let head = format!("{:?} {version:?}\n{text}\0", self.capability);
        let kept = self.cache.as_ref().map(|folder| folder.join(format!("{:016x}.cubin", sum(head.as_bytes()))));
        if let Some(code) = kept.as_ref().and_then(|path| kept_code(&std::fs::read(path).ok()?, &head)) {
            return Ok(code);
        }
        let code = self.compiled(nvrtc, text)?;
        if let Some(path) = kept {
            // A cache that cannot be written costs time only. Others see the whole file or none.
            let new = path.with_extension(format!("{}", std::process::id()));
            let _ = path.parent().map(std::fs::create_dir_all);
            let mut file = [head.as_bytes(), &code].concat();
            file.extend(sum(&file).to_le_bytes());
            let written = std::fs::write(&new, file);
            let _ = written.and_then(|()| std::fs::rename(&new, &path));
        }
        Ok(code)
    }

    fn compiled(&self, nvrtc: &Nvrtc, text: &str) -> Result<Vec<u8>, Failure> {
        let (major, minor) = self.capability;
        let source = CString::new(text).map_err(|_| Failure(String::from("the text has a zero in it")))?;
        let options =
            [format!("--gpu-architecture=sm_{major}{minor}"), String::from("--std=c++17"), String::from("-w")];
        let options: Vec<CString> = options.into_iter().filter_map(|option| CString::new(option).ok()).collect();
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let failed = |what: &str, status: c_int| Failure(format!("NVRTC could not {what} (error {status})"));
        let mut program: Handle = std::ptr::null_mut();
        // SAFETY: strings end with a zero, pointers are to variables of the right types, buffers have the sizes that NVRTC
        // said they need, and the program is destroyed on every way out.
        unsafe {
            let none = std::ptr::null();
            let status = (nvrtc.create)(&mut program, source.as_ptr(), c"model.cu".as_ptr(), 0, none, none);
            if status != 0 {
                return Err(failed("read the text", status));
            }
            let status = (nvrtc.compile)(program, pointers.len() as c_int, pointers.as_ptr());
            let mut code = Vec::new();
            let mut result = Ok(());
            if status == 0 {
                let mut size = 0;
                let status = (nvrtc.cubin_size)(program, &mut size);
                code.resize(size, 0u8);
                let status = if status == 0 { (nvrtc.cubin)(program, code.as_mut_ptr().cast()) } else { status };
                if status != 0 || size == 0 {
                    result = Err(failed("make machine code: it may be too old for the GPU", status));
                }
            } else {
                let mut size = 0;
                (nvrtc.log_size)(program, &mut size);
                let mut log = vec![0u8; size + 1];
                (nvrtc.log)(program, log.as_mut_ptr().cast());
                let log = String::from_utf8_lossy(&log);
                let first: Vec<&str> = log.trim_end_matches('\0').lines().take(12).collect();
                result =
                    Err(Failure(format!("NVRTC could not compile the text (error {status}):\n{}", first.join("\n"))));
            }
            (nvrtc.destroy)(&mut program);
            result.map(|()| code)
        }
    }
}

/// A number for some bytes.
fn sum(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// The machine code in a file of the cache, if it is whole and has this head.
fn kept_code(file: &[u8], head: &str) -> Option<Vec<u8>> {
    let (whole, last) = file.split_last_chunk::<8>()?;
    (u64::from_le_bytes(*last) == sum(whole)).then_some(whole)?.strip_prefix(head.as_bytes()).map(<[u8]>::to_vec)
}

impl Compile for Cuda {
    fn compile(&self, text: &str) -> Result<Box<dyn Backend>, Failure> {
        Ok(Box::new(self.load(&self.machine_code(text)?)?))
    }
}

impl Cuda {
    /// Makes machine code ready to run.
    fn load(&self, code: &[u8]) -> Result<Loaded, Failure> {
        let InUse { driver, context, .. } = &*self.used;
        let functions = [std::ptr::null_mut(); Kernel::ALL.len()];
        let mut loaded = Loaded { cuda: self.clone(), module: std::ptr::null_mut(), functions, memory: Vec::new() };
        // SAFETY: pointers are to variables of the right types; what is no module is refused.
        unsafe {
            driver.check((driver.make_current)(*context), "the GPU cannot be used")?;
            let status = (driver.load_module)(&mut loaded.module, code.as_ptr().cast());
            driver.check(status, "the kernel cannot be loaded")?;
            for (kernel, function) in Kernel::ALL.iter().zip(&mut loaded.functions) {
                let name = CString::new(kernel.name()).unwrap_or_default();
                driver.check((driver.function)(function, loaded.module, name.as_ptr()), "the kernel is not there")?;
            }
        }
        Ok(loaded)
    }
}

/// A text on a device.
struct Loaded {
    cuda: Cuda,
    module: Handle,
    functions: [Handle; Kernel::ALL.len()],
    memory: Vec<u64>,
}

impl Loaded {
    fn driver(&self) -> &Driver {
        &self.cuda.used.driver
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        let driver = self.driver();
        // SAFETY: what is given back was taken by this value, and nothing uses it any more. Errors change nothing here.
        unsafe {
            for &address in &self.memory {
                (driver.free)(address);
            }
            if !self.module.is_null() {
                (driver.unload)(self.module);
            }
        }
    }
}

impl Backend for Loaded {
    fn name(&self) -> String {
        self.cuda.name.clone()
    }

    fn available(&self) -> u64 {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the pointers are to variables of the right types.
        let status = unsafe { (self.driver().memory)(&mut free, &mut total) };
        if status == 0 { free as u64 } else { 0 }
    }

    fn threads(&self) -> u64 {
        self.cuda.processors * BLOCK * BLOCKS
    }

    fn allocate(&mut self, bytes: u64) -> Result<Option<u64>, Failure> {
        let mut address = 0;
        // SAFETY: the pointer is to a variable of the right type.
        let status = unsafe { (self.driver().allocate)(&mut address, bytes as usize) };
        if status == OUT_OF_MEMORY {
            return Ok(None);
        }
        self.driver().check(status, "memory on the GPU")?;
        self.memory.push(address);
        Ok(Some(address))
    }

    fn free(&mut self, address: u64) {
        self.memory.retain(|other| *other != address);
        // SAFETY: the address is one that was allocated, and is freed once.
        unsafe { (self.driver().free)(address) };
    }

    fn clear(&mut self, address: u64, bytes: u64) -> Result<(), Failure> {
        // SAFETY: the address is that of memory of at least this size.
        let status = unsafe { (self.driver().fill)(address, 0, bytes as usize) };
        self.driver().check(status, "memory on the GPU")
    }

    fn upload(&mut self, address: u64, bytes: &[u8]) -> Result<(), Failure> {
        // SAFETY: the address lies in memory that has room for the bytes.
        let status = unsafe { (self.driver().upload)(address, bytes.as_ptr().cast(), bytes.len()) };
        self.driver().check(status, "the GPU was lost")
    }

    fn download(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Failure> {
        // SAFETY: the address lies in memory that has as many bytes. The copy waits for the kernels before it.
        let status = unsafe { (self.driver().download)(bytes.as_mut_ptr().cast(), address, bytes.len()) };
        self.driver().check(status, "the GPU was lost")
    }

    fn launch(&mut self, kernel: Kernel, args: &Args, work: u64) -> Result<(), Failure> {
        if work == 0 {
            return Ok(());
        }
        let mut words = args.words();
        let mut parameters = [words.as_mut_ptr().cast::<c_void>()];
        let blocks = work.div_ceil(BLOCK).min(self.cuda.processors * BLOCKS) as c_uint;
        let (function, block, null) = (self.functions[kernel as usize], BLOCK as c_uint, std::ptr::null_mut());
        let none = std::ptr::null_mut();
        // SAFETY: every kernel has one parameter of the size and layout of these words, which are copied before this returns.
        let status = unsafe {
            (self.driver().launch)(function, blocks, 1, 1, block, 1, 1, 0, null, parameters.as_mut_ptr(), none)
        };
        self.driver().check(status, "the GPU was lost")
    }
}
