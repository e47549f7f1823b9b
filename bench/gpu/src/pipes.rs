// SPDX-License-Identifier: Apache-2.0
//! What the GPU's pipes can do: instructions a clock and multiprocessor, so that the bound that rates are held against is
//! this GPU's and not a data sheet's.

use crate::report::Pipe;
use cudarc::driver::{CudaContext, DevicePtrMut, result, sys};
use std::ffi::CString;
use std::fmt::Write;
use std::sync::Arc;

/// Independent chains in a thread.
const CHAINS: usize = 8;
/// Instructions of each chain in one turn of the loop.
const UNROLLED: usize = 8;
const TURNS: u64 = 512;
const THREADS: u32 = 512;

/// A name, and the instructions of step `u` of chain `i`: one multiply-add.
type Probe = (&'static str, fn(usize, usize) -> String);

/// One product of two words by itself: fuses to one wide multiply-add.
fn wide(_: usize, i: usize) -> String {
    let y = (i + 1) % CHAINS;
    format!("mad.lo.cc.u32 %l{i}, %y{i}, %l{y}, %l{i};\n\tmadc.hi.u32 %h{i}, %y{i}, %l{y}, %h{i};")
}

/// Four products in a row, each of which takes the carry of the one before, as nearly all in the kernels do: three of them fuse
/// to wide multiply-adds that take and give one. Step `u` is a row of its own.
fn carrying(u: usize, i: usize) -> String {
    let (takes, gives) = (if i.is_multiple_of(4) { "" } else { "c" }, if i % 4 == 3 { "" } else { ".cc" });
    format!("mad{takes}.lo.cc.u32 %l{i}, %y{i}, %y{u}, %l{i};\n\tmadc.hi{gives}.u32 %h{i}, %y{i}, %y{u}, %h{i};")
}

/// The pipe that bounds the kernels.
pub const BOUND: &str = "wide multiply-adds with carries";

const PROBES: [Probe; 2] = [(BOUND, carrying), ("wide multiply-adds", wide)];

/// The PTX of one probe.
fn text(index: usize) -> String {
    let step = PROBES[index].1;
    let mut text = String::from(
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry probe(.param .u64 out, .param .u64 cycles, \
         .param .u32 seed)\n.maxntid 512, 1, 1\n{\n\t.reg .b32 %a, %b, %t, %o, %left;\n\t.reg .b64 %at, %out, %start, \
         %end;\n\t.reg .pred %again;\n",
    );
    let line = |text: &mut String, words: String| writeln!(text, "\t{words}").expect("a string takes everything");
    for i in 0..CHAINS {
        line(&mut text, format!(".reg .b32 %l{i}, %h{i}, %y{i};"));
    }
    line(&mut text, "mov.u32 %t, %tid.x;\n\tld.param.u32 %b, [seed];\n\tmad.lo.u32 %a, %t, 2654435761, %b;".into());
    line(&mut text, "xor.b32 %b, %a, 0x9e3779b9;".into());
    for i in 0..CHAINS {
        line(&mut text, format!("mad.lo.u32 %l{i}, %a, {}, %b;\n\tadd.u32 %h{i}, %b, {i};", i + 3));
        line(&mut text, format!("mad.lo.u32 %y{i}, %b, {}, %a;", i + 1));
    }
    line(&mut text, format!("bar.sync 0;\n\tmov.u64 %start, %clock64;\n\tmov.u32 %left, {TURNS};"));
    text.push_str("AGAIN:\n\t.pragma \"nounroll\";\n");
    for u in 0..UNROLLED {
        (0..CHAINS).for_each(|i| line(&mut text, step(u, i)));
    }
    line(&mut text, "sub.u32 %left, %left, 1;\n\tsetp.ne.u32 %again, %left, 0;\n\t@%again bra AGAIN;".into());
    line(&mut text, "bar.sync 0;\n\tmov.u64 %end, %clock64;\n\tsub.u64 %end, %end, %start;\n\tmov.u32 %o, 0;".into());
    for i in 0..CHAINS {
        for register in ["l", "h", "y"] {
            line(&mut text, format!("xor.b32 %o, %o, %{register}{i};"));
        }
    }
    text.push_str(
        "\tmov.u32 %t, %tid.x;\n\tmov.u32 %a, %ctaid.x;\n\tmad.lo.u32 %b, %a, 512, %t;\n\tld.param.u64 %out, [out];\n\
         \tmad.wide.u32 %at, %b, 4, %out;\n\tst.global.u32 [%at], %o;\n\tld.param.u64 %out, [cycles];\n\
         \tmad.wide.u32 %at, %a, 8, %out;\n\tst.global.u64 [%at], %end;\n\tret;\n}\n",
    );
    text
}

/// Measures every pipe; one that cannot be is said to and left out.
pub fn measure(context: &Arc<CudaContext>) -> Vec<Pipe> {
    let measured =
        (0..PROBES.len()).map(|i| probe(context, i).map_err(|error| eprintln!("{}: {error:?}", PROBES[i].0)));
    measured.filter_map(Result::ok).collect()
}

fn probe(context: &Arc<CudaContext>, index: usize) -> Result<Pipe, cudarc::driver::DriverError> {
    let name = PROBES[index].0;
    context.bind_to_thread()?;
    let stream = context.new_stream()?;
    let processors = context.attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as u32;
    let mut out = stream.alloc_zeros::<u32>((processors * THREADS) as usize)?;
    let mut cycles = stream.alloc_zeros::<u64>(processors as usize)?;
    let source = CString::new(text(index)).expect("no zero bytes");
    // SAFETY: PTX that ends with a zero byte; the context is bound.
    let module = unsafe { result::module::load_data(source.as_ptr().cast()) }?;
    let name_there = CString::new("probe").expect("no zero bytes");
    // SAFETY: the module was just loaded.
    let function = unsafe { result::module::get_function(module, name_there) }?;
    let mut rates = Vec::new();
    for seed in 0..4_u32 {
        let (out, out_held) = out.device_ptr_mut(&stream);
        let (cycles_at, cycles_held) = cycles.device_ptr_mut(&stream);
        let mut arguments: [*mut std::ffi::c_void; 3] = [
            std::ptr::from_ref(&out).cast_mut().cast(),
            std::ptr::from_ref(&cycles_at).cast_mut().cast(),
            std::ptr::from_ref(&seed).cast_mut().cast(),
        ];
        // SAFETY: the arguments are those that the PTX declares; both arrays are as long as it writes.
        unsafe {
            result::launch_kernel(function, (processors, 1, 1), (THREADS, 1, 1), 0, stream.cu_stream(), &mut arguments)
        }?;
        drop((out_held, cycles_held));
        let cycles = stream.clone_dtoh(&cycles)?;
        stream.synchronize()?;
        let mean = cycles.iter().sum::<u64>() as f64 / f64::from(processors);
        let done = f64::from(THREADS) * TURNS as f64 * (CHAINS * UNROLLED) as f64;
        rates.push(done / mean);
    }
    // SAFETY: nothing of it is running.
    unsafe { result::module::unload(module) }?;
    rates.sort_unstable_by(f64::total_cmp);
    Ok(Pipe { name, per_clock_and_processor: rates[rates.len() / 2] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_take_each_others_carries_in_chains_of_four() {
        let text = text(PROBES.iter().position(|probe| probe.0 == BOUND).unwrap());
        let count = |start: &str| text.lines().filter(|line| line.trim().starts_with(start)).count();
        let chains = CHAINS * UNROLLED / 4;
        let starts = ["mad.lo.cc", "madc.lo.cc", "madc.hi.cc", "madc.hi.u32"];
        assert_eq!(starts.map(count), [chains, 3 * chains, 3 * chains, chains]);
    }
}
