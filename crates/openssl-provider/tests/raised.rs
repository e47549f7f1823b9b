// SPDX-License-Identifier: Apache-2.0
//! The provider in a program that has more rights than its user: no variable of the user's environment has any effect.

#[path = "../../garner/tests/raised_support/mod.rs"]
mod raised_support;
mod support;

use raised_support::{Ground, Rights};
use std::fs;
use std::path::Path;
use support::{built, compile, ends};

/// What the program says, standard output and error, and every file that it made.
fn outcome(ground: &Ground, rights: Rights, variables: &[(&str, &Path)]) -> (bool, String, bool) {
    let program = ground.program(&compile("raised"), rights).unwrap();
    let summary = ground.path("summary");
    let _ = fs::remove_file(&summary);
    let output = ends(ground.command(&program).arg(ground.path("modules")).envs(variables.iter().copied()));
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned(), summary.exists())
}

#[test]
fn no_variable_has_an_effect_in_a_program_with_more_rights_than_its_user() {
    let Some(ground) = Ground::find() else { return };
    fs::create_dir(ground.path("modules")).unwrap();
    ground.copy(&built().join("libgarner_provider.so"), "modules/garner.so");
    let configuration = include_str!("../openssl.cnf");
    fs::write(ground.path("openssl.cnf"), format!("{configuration}device = libcrypto\n")).unwrap();
    let [summary, configuration, modules] = ["summary", "openssl.cnf", "modules"].map(|name| ground.path(name));
    let nonsense = Path::new("nonsense");

    let (done, plain, _) = outcome(&ground, Rights::User, &[]);
    assert!(done && plain.starts_with("configured: 0\nsigned by: "), "{plain}");

    let variables: [&[(&str, &Path)]; 4] = [
        &[("GARNER_SUMMARY", &summary)],
        &[("GARNER_CPU", nonsense)],
        &[("GARNER_GPU", nonsense)],
        &[("OPENSSL_CONF", &configuration), ("OPENSSL_MODULES", &modules)],
    ];
    for variables in variables {
        let heard = outcome(&ground, Rights::User, variables);
        assert_ne!(heard, (true, plain.clone(), false), "{variables:?} has no effect at all");
        for rights in ground.raised() {
            let ignored = outcome(&ground, rights, variables);
            assert_eq!(ignored, (true, plain.clone(), false), "{rights:?}, {variables:?}");
        }
    }
}
