// SPDX-License-Identifier: Apache-2.0
//! Manual pages and completions: of every command, in every shell, and where `make install` puts them.

mod common;

use common::folder::Folder;
use common::{commands, garner, refused, run};
use std::path::Path;
use std::process::Command;

/// The long options that a command's help lists.
fn options(command: &str) -> Vec<String> {
    let help = run(&mut garner(&[command, "--help"])).stdout;
    let words = help.lines().filter(|line| line.trim_start().starts_with('-')).flat_map(str::split_whitespace);
    let name = |word: &str| word.split(['[', ',']).next().unwrap_or_default().to_owned();
    words.filter(|word| word.starts_with("--")).map(name).collect()
}

/// Whether a program is there; says so where it is not.
fn there(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok();
    if !there {
        common::left_out(format_args!("there is no {program}"));
    }
    there
}

#[test]
fn every_command_has_a_page_with_all_that_its_help_says() {
    let folder = Folder::new("manual-pages");
    folder.good("manual .");
    assert_eq!(folder.path("").read_dir().unwrap().count(), 1 + commands().len());
    let page = |name: &str| String::from_utf8(folder.read(&format!("{name}.1"))).unwrap();
    let whole = page("garner");
    assert!(whole.contains("EXIT STATUS") && whole.contains("ENVIRONMENT"), "{whole}");
    for command in commands() {
        let page = page(&format!("garner-{command}"));
        assert!(page.contains("EXAMPLES") && page.contains(".TH GARNER-"), "{command}");
        assert!(whole.contains(&format!("garner\\-{command}(1)")), "{command}");
        for option in options(&command) {
            assert!(page.contains(&option.replace('-', "\\-")), "{command} {option}");
        }
        if there("groff") {
            let file = folder.path(&format!("garner-{command}.1"));
            let checked = Command::new("groff").args(["-man", "-ww", "-Tutf8", "-z"]).arg(&file).output().unwrap();
            assert!(checked.status.success() && checked.stderr.is_empty(), "{checked:?}");
        }
    }
    refused(&mut folder.garner("manual no/folder"), 3, &["no/folder/garner.1: no such folder: no/folder"]);
}

#[test]
fn every_shell_completes_commands_and_options() {
    let folder = Folder::new("manual-completions");
    for shell in ["bash", "zsh", "fish"] {
        let text = folder.good(&format!("completions {shell}")).stdout;
        for command in commands() {
            assert!(text.contains(&command), "{shell}: {command}");
            for option in options(&command) {
                assert!(text.contains(option.trim_start_matches('-')), "{shell}: {command} {option}");
            }
        }
        folder.write(shell, text);
        if there(shell) {
            let checked = Command::new(shell).arg("-n").arg(folder.path(shell)).output().unwrap();
            assert!(checked.status.success() && checked.stderr.is_empty(), "{checked:?}");
        }
    }
    refused(&mut folder.garner("completions dash"), 2, &["dash", "bash", "zsh", "fish"]);
    let script = r#"
        source ./bash
        COMP_WORDS=(garner bulk --enc) COMP_CWORD=2 COMPREPLY=()
        _garner garner --enc bulk
        echo "${COMPREPLY[@]}"
        COMP_WORDS=(garner key) COMP_CWORD=1 COMPREPLY=()
        _garner garner key garner
        echo "${COMPREPLY[@]}"
        COMP_WORDS=(garner sign --hash sha3-5) COMP_CWORD=3 COMPREPLY=()
        _garner garner sha3-5 --hash
        echo "${COMPREPLY[@]}""#;
    let completed = run(Command::new("bash").args(["-c", script]).current_dir(folder.path("")));
    assert_eq!(completed.stdout, "--encoding\nkeygen\nsha3-512\n", "{completed:?}");
}

#[test]
fn pages_and_completions_are_installed_and_removed_with_the_command() {
    let folder = Folder::new("manual-install");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("install.sh");
    let build = Path::new(env!("CARGO_BIN_EXE_garner")).parent().unwrap();
    let install = |from: &Path| {
        let outcome = run(Command::new(&script).arg(from).arg("/usr").arg(folder.path("root")));
        assert_eq!(outcome.status, 0, "{outcome:?}");
    };
    install(build);
    let mut files = vec![
        "bin/garner".to_owned(),
        "share/man/man1/garner.1".to_owned(),
        "share/bash-completion/completions/garner".to_owned(),
        "share/zsh/site-functions/_garner".to_owned(),
        "share/fish/vendor_completions.d/garner.fish".to_owned(),
    ];
    files.extend(commands().iter().map(|command| format!("share/man/man1/garner-{command}.1")));
    for file in &files {
        assert!(folder.path("root/usr").join(file).is_file(), "{file}");
    }
    install(Path::new("--remove"));
    for file in &files {
        assert!(!folder.path("root/usr").join(file).exists(), "{file}");
    }
}
