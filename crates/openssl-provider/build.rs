// SPDX-License-Identifier: Apache-2.0
//! Keeps the module loaded once it is: its threads may outlive a `dlclose`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
