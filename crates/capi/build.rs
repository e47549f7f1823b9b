// SPDX-License-Identifier: Apache-2.0
//! Names the shared library for the dynamic linker and keeps it loaded: its threads may outlive a `dlclose`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libgarner.so.{}", env!("CARGO_PKG_VERSION_MAJOR"));
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
