// SPDX-License-Identifier: Apache-2.0
//! The C library in a program that has more rights than its user: no variable of the user's environment has any effect.

mod built;
#[path = "../../garner/tests/raised_support/mod.rs"]
mod raised_support;

use raised_support::{Ground, Rights};
use std::path::Path;
use std::process::Command;

/// Whether the program succeeds, and all that it says.
fn outcome(ground: &Ground, rights: Rights, variable: Option<(&str, &str)>) -> (bool, String) {
    let program = ground.program(&ground.path("raised"), rights).unwrap();
    let output = ground.command(&program).envs(variable).output().unwrap();
    (output.status.success(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

#[test]
fn no_variable_has_an_effect_in_a_program_with_more_rights_than_its_user() {
    let Some(ground) = Ground::find() else { return };
    let source = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let library = ground.copy(&built::folder().join("libgarner.so"), "libgarner.so.0");
    let mut cc = Command::new("cc");
    cc.args(["-Wall", "-Wextra", "-Werror", "-o"]).arg(ground.path("raised")).arg(source("tests/c/raised.c"));
    cc.arg("-I").arg(source("include")).arg(&library);
    assert!(cc.arg(format!("-Wl,-rpath,{}", ground.path("").display())).status().unwrap().success(), "{cc:?}");

    let plain = outcome(&ground, Rights::User, None);
    assert!(plain.0 && plain.1.contains("libcrypto\n"), "{plain:?}");
    for variable in [("GARNER_CPU", "nonsense"), ("GARNER_GPU", "nonsense")] {
        let heard = outcome(&ground, Rights::User, Some(variable));
        assert!(!heard.0 && heard.1.contains(variable.0), "{variable:?} has no effect at all: {heard:?}");
        for rights in ground.raised() {
            assert_eq!(outcome(&ground, rights, Some(variable)), plain, "{rights:?}, {variable:?}");
        }
    }
}
