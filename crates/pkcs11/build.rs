// SPDX-License-Identifier: Apache-2.0
//! Keeps the module loaded: its threads' notes and connections would be lost with it at each `dlclose`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
