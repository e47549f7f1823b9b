// SPDX-License-Identifier: Apache-2.0
//! The command with more rights than its user: no variable of the user's environment has any effect.

#[path = "../../garner/tests/raised_support/mod.rs"]
mod raised_support;

use raised_support::{Ground, Rights};
use std::path::Path;

#[test]
fn no_variable_has_an_effect_on_a_command_with_more_rights_than_its_user() {
    let Some(ground) = Ground::find() else { return };
    let devices = |rights, variable: Option<(&str, &str)>| {
        let program = ground.program(Path::new(env!("CARGO_BIN_EXE_garner")), rights).unwrap();
        let output = ground.command(&program).arg("devices").envs(variable).output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let plain = devices(Rights::User, None);
    for variable in [("GARNER_CPU", "nonsense"), ("GARNER_GPU", "nonsense")] {
        assert_ne!(devices(Rights::User, Some(variable)), plain, "{variable:?} has no effect at all");
        for rights in ground.raised() {
            let said = devices(rights, Some(variable));
            assert_eq!(said, devices(rights, None), "{rights:?}, {variable:?}");
            // Its own code and NVIDIA's driver, which would take code by such variables.
            assert!(said.contains("this program has more rights than its user"), "{rights:?}: {said}");
        }
    }
}
