//! The GPU behind NVIDIA's driver, which is loaded at run time: on a machine without it there is simply no GPU.
//!
//! Host memory that copies start from and end in is page-locked, so that the GPU fetches and delivers by itself.

use super::machine::{Buffer, Machine, Queue};
use crate::device::DeviceError;
use crate::fork::generation;
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::{CudaContext, CudaStream, sys};
use garner_gpu_kernels::{Kernel, LANES, Role, ptx};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_void};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use zeroize::Zeroize;

/// Registers that each of a multiprocessor's four schedulers has for its warps, on every architecture there is.
const REGISTERS: usize = 16_384;
const SCHEDULERS: usize = 4;

/// One GPU.
pub struct Driver {
    name: String,
    model: String,
    width: usize,
    /// Ten times its compute capability.
    architecture: u32,
    /// Bytes on the chip that a block may have.
    shared_limit: usize,
    /// Dropped with care, for that makes it current.
    context: ManuallyDrop<Arc<CudaContext>>,
    /// Compiled kernels by name, each behind a lock of its own: compiling one takes seconds, and holds up no other.
    functions: Mutex<HashMap<String, Arc<Mutex<Option<Function>>>>>,
    /// Bit i: a queue has place i of the kernels' variables in constant memory.
    constant_places: AtomicU32,
}

/// A compiled kernel; lives as long as the context.
#[derive(Clone, Copy)]
struct Function {
    handle: sys::CUfunction,
    /// Where its variable in constant memory is, if it has one.
    constants: Option<sys::CUdeviceptr>,
}

// SAFETY: a handle that the driver lets every thread use.
unsafe impl Send for Function {}

/// An error of the driver, in its words.
fn failed(what: &str) -> impl Fn(DriverError) -> DeviceError + '_ {
    move |error| {
        let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
        DeviceError(format!("{what}: {}", text.unwrap_or_else(|_| format!("{error:?}"))))
    }
}

/// Whether the driver is this process's: that of the first that asks. It refuses to work in a child of a process that
/// uses it, and a lock of its own may be held there for ever.
fn is_ours() -> bool {
    static LOADED_BY: AtomicU64 = AtomicU64::new(0);
    let ours = generation();
    match LOADED_BY.compare_exchange(0, ours, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => true,
        Err(first) => first == ours,
    }
}

/// Puts back, when dropped, the context that was current in this thread: an application may use another GPU in it.
struct CurrentContext(sys::CUcontext);

impl CurrentContext {
    fn keep() -> Result<CurrentContext, DeviceError> {
        let before = result::ctx::get_current().map_err(failed("using the GPU"))?;
        Ok(CurrentContext(before.unwrap_or(std::ptr::null_mut())))
    }

    /// The same, and makes `context` current.
    fn change_to(context: &CudaContext) -> Result<CurrentContext, DeviceError> {
        let before = CurrentContext::keep()?;
        context.bind_to_thread().map_err(failed("using the GPU"))?;
        Ok(before)
    }
}

impl Drop for CurrentContext {
    fn drop(&mut self) {
        // SAFETY: it was current, or none was.
        let _ = unsafe { result::ctx::set_current(self.0) };
    }
}

impl Driver {
    /// GPUs there are, at least one.
    ///
    /// # Errors
    /// There is none: no driver, one that does not work, or this is a child of a process that has loaded it.
    fn count() -> Result<usize, DeviceError> {
        let none = |reason: &str| Err(DeviceError(reason.into()));
        if !is_ours() {
            return none("a process that forked this one has loaded NVIDIA's driver, which works in no such child");
        }
        // SAFETY: loads NVIDIA's library if it is there, whose initialisers are trusted like libcrypto's.
        if !unsafe { sys::is_culib_present() } {
            return none("there is no driver of NVIDIA's: libcuda.so cannot be loaded");
        }
        match result::init() {
            Err(DriverError(sys::CUresult::CUDA_ERROR_NO_DEVICE)) => return none("NVIDIA's driver finds no GPU"),
            done => done.map_err(failed("starting NVIDIA's driver"))?,
        }
        match result::device::get_count().map_err(failed("counting GPUs"))? {
            count @ 1.. => Ok(count.unsigned_abs() as usize),
            _ => none("NVIDIA's driver finds no GPU"),
        }
    }

    /// The GPU of this number.
    ///
    /// # Errors
    /// The driver's reason.
    pub fn open(ordinal: usize) -> Result<Driver, DeviceError> {
        let count = Driver::count()?;
        if ordinal >= count {
            return Err(DeviceError(format!("there is no GPU number {ordinal}: NVIDIA's driver finds {count}")));
        }
        let _before = CurrentContext::keep()?;
        let context = CudaContext::new(ordinal).map_err(failed("opening the GPU"))?;
        let model = context.name().map_err(failed("asking for its name"))?;
        let attribute = |attribute| {
            context.attribute(attribute).map(|value| value.max(0) as usize).map_err(failed("asking for its limits"))
        };
        use sys::CUdevice_attribute as Attribute;
        let multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let shared_limit = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        let [major, minor] = [
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ];
        // Warps of the kernel that RSA-2048 spends its time in, blocks of one: 12 KB on the chip, besides what the driver
        // reserves for each, and 112 registers a thread.
        let shared = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?;
        // Older drivers do not know this one.
        let reserved = attribute(Attribute::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK).unwrap_or(0);
        let warps = (shared / (12_288 + reserved)).clamp(1, SCHEDULERS * (REGISTERS / (112 * LANES)));
        Ok(Driver {
            name: format!("cuda:{ordinal}"),
            model,
            width: multiprocessors * warps * LANES,
            architecture: (10 * major + minor) as u32,
            shared_limit,
            context: ManuallyDrop::new(context),
            functions: Mutex::new(HashMap::new()),
            constant_places: AtomicU32::new(0),
        })
    }

    /// The context, for measurements beside the kernels.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// The kernel, compiled by the driver when it is first asked for; and the warps of a block, with their memory.
    fn function(&self, kernel: &Kernel) -> Result<(Function, usize, usize), DeviceError> {
        let bytes = kernel.program.shared_bytes();
        // Warps share nothing: blocks of one fill what memory on the chip there is best.
        let warps = if bytes == 0 { ptx::MOST_WARPS } else { 1 };
        if bytes > self.shared_limit {
            let limit = self.shared_limit;
            return Err(DeviceError(format!("{} needs {bytes} bytes on the chip, there are {limit}", kernel.name)));
        }
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        let compiled = Arc::clone(functions.entry(kernel.name.clone()).or_default());
        drop(functions);
        let mut compiled = compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = *compiled {
            return Ok((function, warps, bytes));
        }
        let function = compile(kernel)?;
        *compiled = Some(function);
        Ok((function, warps, bytes))
    }

    /// A place of the kernels' variables in constant memory that no queue has.
    fn take_constant_place(&self) -> Result<usize, DeviceError> {
        let lowest_free = |places: u32| places.trailing_ones() as usize;
        let take = |places| (lowest_free(places) < ptx::CONSTANT_PLACES).then(|| places | 1 << lowest_free(places));
        let before = self.constant_places.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        before.map(lowest_free).map_err(|_| DeviceError("too many queues use constant memory".into()))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _before = CurrentContext::keep();
        // SAFETY: not used again.
        unsafe { ManuallyDrop::drop(&mut self.context) };
    }
}

/// Has the driver compile a kernel for the GPU whose context is bound to this thread.
fn compile(kernel: &Kernel) -> Result<Function, DeviceError> {
    use sys::CUfunction_attribute_enum as Attribute;
    let what = format!("compiling {}", kernel.name);
    let text = CString::new(ptx::module(&[kernel])).expect("PTX has no zero bytes");
    let name = CString::new(kernel.name.as_str()).expect("names have no zero bytes");
    // SAFETY: the context is bound to this thread.
    let module = unsafe { load(&text, &what) }?;
    // SAFETY: the module was just loaded and is never unloaded.
    let handle = unsafe { result::module::get_function(module, name) }.map_err(failed(&what))?;
    let constants = kernel.program.constant.map(|(_, words)| {
        let name = CString::new(ptx::constants(kernel)).expect("names have no zero bytes");
        // SAFETY: as above; the variable is one of the module's.
        let there = unsafe { result::module::get_global(module, name) };
        let (there, bytes) = there.map_err(failed(&what))?;
        let declared = ptx::CONSTANT_PLACES * ptx::constant_place_bytes(words);
        let differs = || format!("{what}: {bytes} bytes of constant memory, not the {declared} declared");
        (bytes == declared).then_some(there).ok_or_else(|| DeviceError(differs()))
    });
    let function = Function { handle, constants: constants.transpose()? };
    // SAFETY: a function of this context.
    let kept =
        unsafe { result::function::get_function_attribute(handle, Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES) };
    leaves_nothing(kernel, kept.map_err(failed(&what))?)?;
    let bytes = kernel.program.shared_bytes();
    if bytes > 0 {
        let set = |attribute, value: i32| {
            // SAFETY: a function of this context.
            unsafe { result::function::set_function_attribute(handle, attribute, value) }
        };
        set(Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes as i32).map_err(failed(&what))?;
        // In per cent, as room for as many warps as the registers allow. A wish; nothing depends on it.
        let _ = set(Attribute::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 100);
    }
    Ok(function)
}

/// Refuses a kernel that works on secrets and keeps `bytes` of each thread in memory, which nothing wipes.
fn leaves_nothing(kernel: &Kernel, bytes: i32) -> Result<(), DeviceError> {
    let name = &kernel.name;
    let reason = || format!("{name} is not used: the driver's compiler keeps {bytes} bytes of each thread in memory");
    let is_good = bytes == 0 || kernel.role == Role::Public;
    is_good.then_some(()).ok_or_else(|| DeviceError(reason()))
}

/// Loads a module; where it cannot, with what the driver's compiler says.
///
/// # Safety
/// The context is bound to this thread.
unsafe fn load(text: &CStr, what: &str) -> Result<sys::CUmodule, DeviceError> {
    use sys::CUjit_option::{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    let mut log = vec![0_u8; 4096];
    let mut options = [CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // A size is given as the pointer itself.
    let mut values = [log.as_mut_ptr().cast::<c_void>(), std::ptr::without_provenance_mut(log.len() - 1)];
    let mut module = std::ptr::null_mut();
    // SAFETY: PTX that ends with a zero byte, and two options with a value each; the log is one byte longer than they say.
    let loaded = unsafe {
        sys::cuModuleLoadDataEx(&mut module, text.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_mut_ptr())
    };
    loaded.result().map(|()| module).map_err(|error| {
        let DeviceError(reason) = failed(what)(error);
        let said = CStr::from_bytes_until_nul(&log).map(|said| said.to_string_lossy().trim().replace('\n', "; "));
        match said {
            Ok(said) if !said.is_empty() => DeviceError(format!("{reason}: {said}")),
            _ => DeviceError(reason),
        }
    })
}

impl Machine for Arc<Driver> {
    type Queue = DriverQueue;

    fn name(&self) -> &str {
        &self.name
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn width(&self) -> usize {
        self.width
    }

    fn has_tensor_cores(&self) -> bool {
        self.architecture >= ptx::TENSOR_CORES
    }

    fn queue(&self) -> Result<DriverQueue, DeviceError> {
        let _before = CurrentContext::change_to(&self.context)?;
        let stream = self.context.new_stream().map_err(failed("making a stream"))?;
        let buffers = [const { None }; Buffer::COUNT];
        let (driver, stream) = (ManuallyDrop::new(Arc::clone(self)), ManuallyDrop::new(stream));
        Ok(DriverQueue { driver, stream, buffers, constant_place: None })
    }
}

/// A stream with buffers on both sides.
pub struct DriverQueue {
    /// Dropped with care like the stream, for that makes their context current.
    driver: ManuallyDrop<Arc<Driver>>,
    stream: ManuallyDrop<Arc<CudaStream>>,
    buffers: [Option<Memory>; Buffer::COUNT],
    /// Its place in constant memory, from when it first needs one.
    constant_place: Option<usize>,
}

/// Memory on the GPU.
struct Memory {
    there: sys::CUdeviceptr,
    words: usize,
    /// Whether it is allocated and freed in the stream's order. What is freed otherwise waits for all of the GPU's streams.
    ordered: bool,
    /// What copies go through; made by the first, for tables are never copied.
    staging: Option<Staging>,
}

/// Page-locked memory of this host.
struct Staging {
    here: *mut u32,
    words: usize,
}

// SAFETY: the pointer is owned, and everything is done through `&mut DriverQueue`.
unsafe impl Send for Staging {}

impl Staging {
    fn new(words: usize) -> Result<Staging, DeviceError> {
        // SAFETY: the caller has bound the context; freed by `drop`.
        let here = unsafe { result::malloc_host(words * 4, 0) }.map_err(failed("allocating page-locked memory"))?;
        // SAFETY: `words` words, just allocated.
        unsafe { std::ptr::write_bytes(here.cast::<u32>(), 0, words) };
        Ok(Staging { here: here.cast(), words })
    }

    /// The first `words` words. No copy may be under way.
    fn words(&mut self, words: usize) -> &mut [u32] {
        assert!(words <= self.words, "within what was allocated");
        // SAFETY: initialised, that long, and borrowed with `self`.
        unsafe { std::slice::from_raw_parts_mut(self.here, words) }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let all = self.words;
        self.words(all).zeroize();
        // SAFETY: from `malloc_host`, freed once.
        let _ = unsafe { result::free_host(self.here.cast()) };
    }
}

impl DriverQueue {
    /// Makes the GPU's context current until what is returned is dropped.
    fn bind(&self) -> Result<CurrentContext, DeviceError> {
        CurrentContext::change_to(&self.driver.context)
    }

    fn memory(&self, buffer: Buffer, words: usize) -> &Memory {
        let memory = self.buffers[buffer.0].as_ref().expect("reserved before");
        assert!(words <= memory.words, "within what was reserved");
        memory
    }

    /// Where a buffer is there, and staging of at least `words` words for it. The caller has bound the context.
    fn staged(&mut self, buffer: Buffer, words: usize) -> Result<(sys::CUdeviceptr, &mut [u32]), DeviceError> {
        let memory = self.buffers[buffer.0].as_mut().expect("reserved before");
        assert!(words <= memory.words, "within what was reserved");
        if memory.staging.as_ref().is_none_or(|staging| staging.words < words) {
            memory.staging = None;
            memory.staging = Some(Staging::new(words.next_multiple_of(1 << 10))?);
        }
        let staging = memory.staging.as_mut().expect("made above");
        Ok((memory.there, staging.words(words)))
    }

    /// Copies an array of `words` words to this queue's place in a kernel's variable `there`: where it is in that.
    fn copy_to_constants(
        &mut self,
        there: sys::CUdeviceptr,
        from: sys::CUdeviceptr,
        words: usize,
    ) -> Result<u64, DeviceError> {
        let place = match self.constant_place {
            Some(place) => place,
            None => *self.constant_place.insert(self.driver.take_constant_place()?),
        };
        let at = (place * ptx::constant_place_bytes(words)) as u64;
        // SAFETY: the variable has that many places; the caller knows that the array is so long.
        unsafe { result::memcpy_dtod_async(there + at, from, 4 * words, self.stream.cu_stream()) }
            .map_err(failed("copying to constant memory"))?;
        Ok(at)
    }

    /// Wipes and frees; best effort, for the GPU may be lost.
    fn free(&mut self, buffer: usize) {
        let Some(Memory { there, words, ordered, staging }) = self.buffers[buffer].take() else { return };
        let stream = self.stream.cu_stream();
        // SAFETY: ours alone, and freed once, as it was allocated: in the stream's order, or after all that is in the stream.
        unsafe {
            let _ = result::memset_d8_async(there, 0, words * 4, stream);
            if ordered {
                let _ = result::free_async(there, stream);
            } else {
                let _ = result::stream::synchronize(stream);
                let _ = result::free_sync(there);
            }
        }
        drop(staging);
    }
}

impl Queue for DriverQueue {
    fn reserve(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError> {
        if self.buffers[buffer.0].as_ref().is_some_and(|memory| memory.words >= words) {
            return Ok(());
        }
        let _before = self.bind()?;
        self.free(buffer.0);
        // A little more than is asked for, so that batches which grow slowly do not allocate each time.
        let words = words.next_multiple_of(1 << 16);
        let (stream, ordered) = (self.stream.cu_stream(), self.driver.context.has_async_alloc());
        // SAFETY: the context is bound; what is allocated is used in this stream only, and freed by `free`.
        let there =
            unsafe { if ordered { result::malloc_async(stream, words * 4) } else { result::malloc_sync(words * 4) } };
        let there = there.map_err(failed("allocating on the GPU"))?;
        self.buffers[buffer.0] = Some(Memory { there, words, ordered, staging: None });
        // SAFETY: just allocated, that long.
        unsafe { result::memset_d8_async(there, 0, words * 4, stream) }.map_err(failed("clearing memory"))
    }

    fn write(
        &mut self,
        buffer: Buffer,
        offset: usize,
        words: usize,
        fill: &mut dyn FnMut(&mut [u32]),
    ) -> Result<(), DeviceError> {
        self.memory(buffer, offset + words);
        let _before = self.bind()?;
        let stream = self.stream.cu_stream();
        let (there, here) = self.staged(buffer, words)?;
        here.fill(0);
        fill(here);
        // SAFETY: within the buffer there; the memory here stays until the stream was waited for.
        unsafe { result::memcpy_htod_async(there + 4 * offset as u64, here, stream) }
            .map_err(failed("copying to the GPU"))
    }

    fn launch(
        &mut self,
        kernel: &Kernel,
        arrays: &[(Buffer, usize)],
        tiles: usize,
        number: u32,
    ) -> Result<(), DeviceError> {
        let _before = self.bind()?;
        let (function, warps, bytes) = self.driver.function(kernel)?;
        assert_eq!(arrays.len(), usize::from(kernel.program.parameters), "arrays of {}", kernel.name);
        let mut addresses: Vec<u64> =
            arrays.iter().map(|(buffer, offset)| self.memory(*buffer, *offset).there + 4 * *offset as u64).collect();
        let (mut busy, mut number) = ((tiles * kernel.program.spread) as u32, number);
        let constant = kernel.program.constant.zip(function.constants);
        let mut copied = None;
        if let Some(((parameter, words), there)) = constant {
            let (buffer, offset) = arrays[usize::from(parameter)];
            self.memory(buffer, offset + words);
            let at = self.copy_to_constants(there, addresses[usize::from(parameter)], words)?;
            addresses[usize::from(parameter)] = at;
            copied = Some((there + at, 4 * words));
        }
        let grid = busy.div_ceil(warps as u32);
        let mut arguments: Vec<*mut c_void> =
            addresses.iter_mut().map(|address| std::ptr::from_mut(address).cast()).collect();
        arguments.push(std::ptr::from_mut(&mut busy).cast());
        arguments.push(std::ptr::from_mut(&mut number).cast());
        let threads = (warps * LANES) as u32;
        // SAFETY: the arguments are those the kernel's PTX declares; the arrays are as long as its contract asks, which
        // the emulator checks for the same calls; nothing is freed before the stream was waited for.
        let launched = unsafe {
            result::launch_kernel(
                function.handle,
                (grid, 1, 1),
                (threads, 1, 1),
                (warps * bytes) as u32,
                self.stream.cu_stream(),
                &mut arguments,
            )
        }
        .map_err(failed(&format!("starting {}", kernel.name)));
        let wiped = copied.map_or(Ok(()), |(there, bytes)| {
            // SAFETY: what was copied there above; the kernel comes first in the stream.
            unsafe { result::memset_d8_async(there, 0, bytes, self.stream.cu_stream()) }
                .map_err(failed("clearing constant memory"))
        });
        launched.and(wiped)
    }

    fn is_done(&mut self) -> Result<bool, DeviceError> {
        let _before = self.bind()?;
        // SAFETY: our stream.
        match unsafe { sys::cuStreamQuery(self.stream.cu_stream()) } {
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            result => result.result().map(|()| true).map_err(failed("waiting for the GPU")),
        }
    }

    fn fetch(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError> {
        let _before = self.bind()?;
        let stream = self.stream.cu_stream();
        let (there, here) = self.staged(buffer, words)?;
        // SAFETY: within the buffer there; waited for before anything else is done with the memory here.
        unsafe { result::memcpy_dtoh_async(here, there, stream) }.map_err(failed("copying from the GPU"))
    }

    fn take(&mut self, buffer: Buffer, words: usize, take: &mut dyn FnMut(&[u32])) {
        let staging = self.buffers[buffer.0].as_mut().and_then(|memory| memory.staging.as_mut());
        take(staging.expect("fetched before").words(words));
    }

    fn wipe(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError> {
        let _before = self.bind()?;
        let there = self.memory(buffer, words).there;
        // SAFETY: within the buffer.
        unsafe { result::memset_d8_async(there, 0, words * 4, self.stream.cu_stream()) }
            .map_err(failed("clearing memory"))
    }

    fn clear(&mut self, buffer: Buffer, words: usize) {
        if let Some(staging) = self.buffers[buffer.0].as_mut().and_then(|memory| memory.staging.as_mut()) {
            let words = words.min(staging.words);
            staging.words(words).zeroize();
        }
    }

    fn abandon(&mut self) {
        (0..Buffer::COUNT).for_each(|buffer| self.clear(Buffer(buffer), usize::MAX));
    }
}

impl Drop for DriverQueue {
    fn drop(&mut self) {
        let _before = CurrentContext::keep();
        if self.driver.context.bind_to_thread().is_ok() {
            (0..Buffer::COUNT).for_each(|buffer| self.free(buffer));
        }
        if let Some(place) = self.constant_place {
            self.driver.constant_places.fetch_and(!(1 << place), Ordering::Relaxed);
        }
        // SAFETY: neither is used again.
        unsafe {
            ManuallyDrop::drop(&mut self.stream);
            ManuallyDrop::drop(&mut self.driver);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::fork::in_child;
    use super::*;

    #[test]
    fn a_child_does_not_touch_the_driver_that_its_parent_may_have_loaded() {
        let _ = Driver::count();
        assert!(is_ours());
        assert!(in_child(|| {
            let refused = || Driver::open(0).is_err_and(|error| error.0.starts_with("a process that forked this one"));
            !is_ours() && refused()
        }));
    }

    #[test]
    fn a_gpu_that_is_not_there_is_refused_with_what_is_missing() {
        // No machine has so many.
        let DeviceError(reason) = Driver::open(9_999).err().unwrap();
        let known = ["there is no driver of NVIDIA's", "NVIDIA's driver finds no GPU", "there is no GPU number 9999: "];
        assert!(known.iter().any(|known| reason.starts_with(known)), "{reason}");
    }

    #[test]
    fn a_kernel_that_would_leave_words_of_secrets_in_memory_is_refused_with_the_reason() {
        let of = |role| Kernel::new(role, 64);
        let DeviceError(reason) = leaves_nothing(&of(Role::WalkTensor), 48).unwrap_err();
        assert_eq!(
            reason,
            "garner_walk_tensor_2048 is not used: the driver's compiler keeps 48 bytes of each thread in memory"
        );
        assert!(leaves_nothing(&of(Role::WalkTensor), 0).is_ok() && leaves_nothing(&of(Role::Public), 48).is_ok());
    }
}
