// SPDX-License-Identifier: Apache-2.0
//! The C library as a C programmer meets it: installed, found by pkg-config, compiled against and run.

mod built;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const STRICT: [&str; 3] = ["-Wall", "-Wextra", "-Werror"];

/// One installation of the library in a folder of its own, with a key in it.
struct Installed(PathBuf);

impl Installed {
    fn new(name: &str) -> Installed {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        run(Command::new(source("install.sh")).arg(built::folder()).arg(&folder));
        run(Command::new("openssl").args(["genrsa", "-out"]).arg(folder.join("key.pem")).arg("2048"));
        Installed(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// What pkg-config says about the library.
    fn flags(&self, options: &[&str]) -> Vec<String> {
        let search = self.path("lib/pkgconfig");
        let output = run(Command::new("pkg-config").env("PKG_CONFIG_PATH", search).args(options).arg("garner"));
        String::from_utf8(output.stdout).unwrap().split_whitespace().map(str::to_owned).collect()
    }

    /// Compiles a C program, a file or a folder of them; gives the path of what came out.
    fn compile(&self, program: &str) -> PathBuf {
        let binary = self.path("program");
        let mut compiler = Command::new("cc");
        compiler.args(STRICT).args(["-std=c11", "-g", "-O1", "-pthread", "-o"]).arg(&binary).args(sources(program));
        run(compiler.args(self.flags(&["--cflags", "--libs"])));
        binary
    }

    /// A command that finds the installed library.
    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("LD_LIBRARY_PATH", self.path("lib")).current_dir(&self.0);
        command
    }

    /// Runs the example and has OpenSSL verify what it signed.
    fn sign(&self, example: &Path) {
        fs::write(self.path("message"), "what is signed").unwrap();
        let output = run(self.command(example).args(["key.pem", "message", "signature"]));
        let text = String::from_utf8(output.stdout).unwrap();
        for expected in ["2048 bits", "100 messages signed and verified", "without waiting", "5^3 mod 77 = 48"] {
            assert!(text.contains(expected), "no {expected:?} in\n{text}");
        }
        run(self.command("openssl").args([
            "dgst",
            "-sha256",
            "-prverify",
            "key.pem",
            "-signature",
            "signature",
            "message",
        ]));
    }
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn sources(name: &str) -> Vec<PathBuf> {
    let path = source(name);
    if !path.is_dir() {
        return vec![path];
    }
    let files = fs::read_dir(path).unwrap().map(|file| file.unwrap().path());
    files.filter(|file| file.extension().is_some_and(|extension| extension == "c")).collect()
}

/// Runs a command that must succeed.
fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}{err}", output.status);
    output
}

#[test]
fn example_signs_what_openssl_verifies() {
    let installed = Installed::new("example");
    installed.sign(&installed.compile("examples/sign.c"));
}

#[test]
fn example_makes_keys_ciphertexts_and_pss_signatures_that_openssl_takes() {
    let installed = Installed::new("encrypt");
    let example = installed.compile("examples/encrypt.c");
    let words = ["new.pem", "a password", "the message", "ciphertext", "signature"];
    let output = run(installed.command(&example).args(words));
    let text = String::from_utf8(output.stdout).unwrap();
    for expected in ["2048 bits", "4 more at once", "99 decrypted in a batch", "PSS signature"] {
        assert!(text.contains(expected), "no {expected:?} in\n{text}");
    }
    let openssl = |words: &str| {
        let words = words.split_whitespace().map(|word| word.replace("PASSWORD", "pass:a password"));
        run(installed.command("openssl").args(words))
    };
    openssl("rsa -in new.pem -passin PASSWORD -check -noout");
    let decrypted = openssl(
        "pkeyutl -decrypt -inkey new.pem -passin PASSWORD -in ciphertext \
         -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256",
    );
    assert_eq!(decrypted.stdout, b"the message");
    fs::write(installed.path("message"), "the message").unwrap();
    openssl(
        "dgst -sha256 -prverify new.pem -passin PASSWORD -sigopt rsa_padding_mode:pss \
         -sigopt rsa_pss_saltlen:digest -signature signature message",
    );
}

#[test]
fn example_runs_with_the_static_library() {
    let installed = Installed::new("static");
    let binary = installed.path("program");
    let mut compiler = Command::new("cc");
    compiler.args(STRICT).args(["-std=c11", "-o"]).arg(&binary).arg(source("examples/sign.c"));
    let flags = installed.flags(&["--static", "--cflags", "--libs"]);
    run(compiler.args(flags.into_iter().map(|flag| if flag == "-lgarner" { "-l:libgarner.a".into() } else { flag })));
    installed.sign(&binary);
}

#[test]
fn programs_ask_for_the_library_by_its_soname() {
    let installed = Installed::new("soname");
    let binary = installed.compile("examples/sign.c");
    let output = run(Command::new("readelf").arg("--dynamic").arg(binary));
    assert!(String::from_utf8(output.stdout).unwrap().contains("[libgarner.so.0]"));
}

#[test]
fn every_misuse_is_refused() {
    let installed = Installed::new("misuse");
    let binary = installed.compile("tests/c/misuse");
    run(installed.command(binary).arg("key.pem"));
}

#[test]
fn misuse_leaves_nothing_for_memcheck_to_find() {
    let installed = Installed::new("memcheck");
    let binary = installed.compile("tests/c/misuse");
    let mut valgrind = installed.command("valgrind");
    valgrind.args(["--quiet", "--error-exitcode=1", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
    // valgrind has no AVX-512.
    run(valgrind.env("GARNER_CPU", "libcrypto").arg(binary).arg("key.pem"));
}

#[test]
fn children_sign_while_threads_of_their_parent_do() {
    let installed = Installed::new("threads");
    let binary = installed.compile("tests/c/threads.c");
    run(installed.command(binary).arg("key.pem"));
}

#[test]
fn forks_in_handlers_find_the_library_whole() {
    let installed = Installed::new("forks");
    let binary = installed.compile("tests/c/forks.c");
    run(installed.command(binary).arg("key.pem"));
}

#[test]
fn threads_that_sign_while_the_process_ends_meet_no_libcrypto() {
    let installed = Installed::new("exits");
    let binary = installed.path("program");
    let mut compiler = Command::new("cc");
    compiler.args(STRICT).args(["-std=gnu11", "-g", "-O1", "-pthread", "-o"]).arg(&binary);
    run(compiler.arg(source("tests/c/exits.c")).args(installed.flags(&["--cflags", "--libs"])).arg("-lcrypto"));
    for i in 0..40 {
        run(installed.command(&binary).args(["key.pem", &(500 + i * 7919 % 10_000).to_string()]));
    }
}

#[test]
fn library_outlives_want_of_memory() {
    let installed = Installed::new("memory");
    let binary = installed.path("program");
    let failing = source("../reserve/tests/c");
    let mut compiler = Command::new("cc");
    // -rdynamic: the program's allocator is the library's, too.
    compiler.args(STRICT).args(["-std=c11", "-g", "-O1", "-pthread", "-rdynamic", "-o"]).arg(&binary);
    compiler
        .arg(source("tests/c/memory.c"))
        .arg("-I")
        .arg(&failing)
        .args(["allocator.c", "run_out.c"].map(|c| failing.join(c)));
    run(compiler.args(installed.flags(&["--cflags", "--libs"])));
    for (who, points) in [("module", "80"), ("everybody", "80"), ("limit", "30"), ("starved", "30")] {
        run(installed.command(&binary).args(["key.pem", who, points]));
    }
}

#[test]
fn header_serves_cpp_programs() {
    let installed = Installed::new("cpp");
    let binary = installed.path("program");
    let mut compiler = Command::new("c++");
    compiler.args(STRICT).args(["-pedantic", "-std=c++11", "-o"]).arg(&binary).arg(source("tests/c/header.cpp"));
    run(compiler.args(installed.flags(&["--cflags", "--libs"])));
    run(&mut installed.command(binary));
}

#[test]
fn header_needs_nothing_beyond_c99() {
    let mut compiler = Command::new("cc");
    compiler.args(STRICT).args(["-pedantic", "-std=c99", "-fsyntax-only", "-x", "c"]);
    run(compiler.arg(source("include/garner.h")));
}
