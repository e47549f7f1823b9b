// SPDX-License-Identifier: Apache-2.0
//! Builds OpenSSL's libcrypto from the sources in crate `openssl-src` and links it statically.

fn main() {
    openssl_src::Build::new().build().print_cargo_metadata();
    println!("cargo:rerun-if-changed=build.rs");
}
