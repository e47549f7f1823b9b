// SPDX-License-Identifier: Apache-2.0
//! Writes every kernel's PTX into a folder, to look at or to give to `ptxas`:
//! `cargo run -p garner-gpu-kernels --example ptx -- FOLDER`.

use garner_gpu_kernels::{all, ptx};
use std::path::Path;

fn main() {
    let folder = std::env::args().nth(1).expect("usage: ptx FOLDER");
    std::fs::create_dir_all(&folder).expect("making the folder");
    for kernel in all() {
        let file = Path::new(&folder).join(format!("{}.ptx", kernel.name));
        std::fs::write(&file, ptx::module(&kernel)).expect("writing PTX");
        println!("{}: {} bytes on the chip a warp", file.display(), kernel.program.shared_bytes());
    }
}
