// SPDX-License-Identifier: Apache-2.0
//! Numbers declared by hand, compared by a C compiler with those of the headers of the OpenSSL under test.

mod support;

use garner_provider::CONSTANTS;
use std::fmt::Write as _;
use std::process::Command;
use support::Site;

#[test]
fn numbers_are_those_of_openssls_headers() {
    let site = Site::slow();
    let headers = ["core", "core_dispatch", "err", "evp", "rsa"];
    let mut program = headers.map(|name| format!("#include <openssl/{name}.h>\n")).concat();
    for (name, value) in CONSTANTS {
        writeln!(program, "_Static_assert({name} == {value}, \"{name}\");").unwrap();
    }
    let file = site.write("numbers.c", program.as_bytes());
    let output = Command::new("cc").arg("-fsyntax-only").args(support::include()).arg(file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(CONSTANTS.len() > 60);
}
