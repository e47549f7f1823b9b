// SPDX-License-Identifier: Apache-2.0
//! What NVIDIA's assembler says of the kernels, for every architecture from Turing on. Nothing is run.
//!
//! `ptxas` is looked for in `GARNER_PTXAS` and on the PATH; `pip install nvidia-cuda-nvcc==13.0.88` has one. Without it
//! the tests say so and check nothing.

use garner_gpu_kernels::{Kernel, Role, all, ptx};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const ARCHITECTURES: [&str; 7] = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"];

fn ptxas() -> Option<PathBuf> {
    let program = std::env::var_os("GARNER_PTXAS").map_or_else(|| "ptxas".into(), PathBuf::from);
    match Command::new(&program).arg("--version").output() {
        Ok(output) if output.status.success() => Some(program),
        _ => {
            let why = "is not there; set GARNER_PTXAS to NVIDIA's assembler";
            std::io::stderr().write_all(format!("left out: {} {why}\n", program.display()).as_bytes()).unwrap();
            None
        }
    }
}

struct Compiled {
    name: String,
    architecture: &'static str,
    registers: u32,
}

/// Compiles, and refuses code that keeps words of a thread in memory.
fn compile(program: &Path, folder: &Path, kernel: &Kernel, architecture: &'static str) -> Compiled {
    let source = folder.join(format!("{}_{architecture}.ptx", kernel.name));
    std::fs::write(&source, ptx::module(kernel)).unwrap();
    let output = Command::new(program)
        .args(["-v", "-arch", architecture, "-o"])
        .arg(source.with_extension("cubin"))
        .arg(&source)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{} for {architecture}: {said}", kernel.name);
    let number = |words: Option<&str>| words.and_then(|words| words.split(' ').next()?.parse().ok()).expect("a number");
    let stack: u32 = number(said.split(" bytes stack frame").next().and_then(|before| before.rsplit(' ').next()));
    assert_eq!(stack, 0, "{said}");
    let registers = number(said.split("Used ").nth(1));
    Compiled { name: kernel.name.to_string(), architecture, registers }
}

fn compile_all(jobs: Vec<(Kernel, &'static str)>) -> Vec<Compiled> {
    let Some(program) = ptxas() else { return Vec::new() };
    // Each test has its own, and removes it.
    static FOLDERS: AtomicUsize = AtomicUsize::new(0);
    let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("garner-ptxas-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (jobs, done) = (Mutex::new(jobs), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some((kernel, architecture)) = jobs.lock().unwrap().pop() else { return };
                    let compiled = compile(&program, &folder, &kernel, architecture);
                    done.lock().unwrap().push(compiled);
                }
            });
        }
    });
    std::fs::remove_dir_all(&folder).unwrap();
    let done = done.into_inner().unwrap();
    for Compiled { name, architecture, registers } in &done {
        println!("{name:<30} {architecture:<7} {registers:>4} registers");
    }
    done
}

#[test]
fn every_kernel_compiles_without_spills() {
    compile_all(all().into_iter().map(|kernel| (kernel, "sm_90")).collect());
}

#[test]
fn the_kernels_of_rsa_2048_compile_without_spills_for_every_architecture() {
    let roles = [Role::Prepare, Role::Walk, Role::Recombine];
    let jobs = ARCHITECTURES.into_iter().flat_map(|arch| roles.map(|role| (Kernel::new(role, 32), arch)));
    compile_all(jobs.collect());
}
