// SPDX-License-Identifier: Apache-2.0
//! The engine under programs of the old kind: `tests/c/old.c`, which is the sequence of calls that users of such engines
//! have always written, and OpenSSH's `ssh-keygen`.

use garner::key::PublicKey;
use garner_remote::stub;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// The engine, up to date, of the profile these tests have. Cargo builds it for nobody's tests.
fn module() -> &'static Path {
    static MODULE: LazyLock<PathBuf> = LazyLock::new(|| {
        // The test is target/PROFILE/deps/TEST.
        let folder = env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned();
        let profile = folder.file_name().unwrap().to_str().unwrap();
        let profile = if profile == "debug" { "dev" } else { profile };
        let mut cargo = Command::new(env!("CARGO"));
        // All of the workspace, with its examples: else cargo would choose other features than `cargo test` has, and build
        // nearly everything anew.
        cargo.args([
            "build",
            "--quiet",
            "--workspace",
            "--lib",
            "--examples",
            "--bin",
            "garnerd",
            "--profile",
            profile,
        ]);
        cargo.arg("--target-dir");
        let status = cargo.arg(folder.parent().unwrap()).current_dir(env!("CARGO_MANIFEST_DIR")).status();
        assert!(status.expect("cargo").success(), "{cargo:?} failed");
        folder.join("libgarner_engine.so")
    });
    &MODULE
}

/// A folder of a test's own.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The program, compiled.
fn old(folder: &Path) -> PathBuf {
    let program = folder.join("old");
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
    cc.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/old.c")).args(["-lcrypto", "-lpthread"]);
    assert!(cc.status().unwrap().success(), "{cc:?}");
    program
}

#[track_caller]
fn run(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let said = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
    assert!(status.success(), "{command:?}: {status}\n{said}");
    said
}

/// What the program printed under a name.
fn figure(said: &str, name: &str) -> f64 {
    let found = said.split_whitespace().find_map(|word| word.strip_prefix(name));
    found.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {name} in {said}"))
}

/// Says what does not run here and why, past what keeps the words of tests that pass.
fn left_out(why: &str) {
    std::io::stderr().write_all(format!("left out: {why}\n").as_bytes()).unwrap();
}

/// Whether there are engines; says so if not.
fn engines() -> bool {
    // SAFETY: no arguments.
    let there = unsafe { openssl_sys::OpenSSL_version_num() } < 0x4000_0000;
    if !there {
        left_out("OpenSSL 4 has no engines");
    }
    there
}

/// Where there are no kernels for the processor the engine leaves everything to OpenSSL, unless told otherwise.
fn on_any_processor(command: &mut Command) -> &mut Command {
    command.env("ENGINE_DEVICE", device())
}

/// The device with which the engine offers RSA here.
fn device() -> &'static str {
    if garner::arithmetic::best().unwrap().lanes() > 1 { "auto" } else { "libcrypto" }
}

#[test]
fn rsa_calls_of_threads_and_jobs_are_answered_rightly_and_counted() {
    if !engines() {
        return;
    }
    let folder = folder("calls");
    let program = old(&folder);
    for (arguments, operations) in [("8 0 10", 240.0), ("2 16 4", 384.0)] {
        let said = run(on_any_processor(Command::new(&program).arg(module()).args(arguments.split(' '))));
        assert_eq!(figure(&said, "operations="), operations);
        let (total, average) = (figure(&said, "total-time="), figure(&said, "average-time="));
        assert!((total * 1e6 / operations - average).abs() < 0.01 * average + 0.01, "{said}");
        let load = figure(&said, "average-load=");
        assert!(load > 0.0 && load <= 1.0, "{said}");
    }
}

#[test]
fn inputs_of_any_size_are_answered_as_by_openssls_own_method() {
    if !engines() {
        return;
    }
    let folder = folder("beside");
    let said = run(on_any_processor(Command::new(old(&folder)).arg(module()).arg("beside")));
    assert!(figure(&said, "operations=") > 200.0, "{said}");
}

#[test]
fn children_sign_while_their_parent_signs() {
    if !engines() {
        return;
    }
    let folder = folder("fork");
    run(on_any_processor(Command::new(old(&folder)).arg(module()).arg("fork")));
}

#[test]
fn wrong_id_and_wrong_settings_are_refused_with_the_reason() {
    if !engines() {
        return;
    }
    let folder = folder("wrong");
    let said = run(Command::new(old(&folder)).arg(module()).arg("wrong"));
    assert!(said.contains("the engine's ID is \"garner\", not \"other\""), "{said}");
    assert!(said.contains("slots = many: must be a whole number from 1 to 4096"), "{said}");
}

#[test]
fn without_a_device_that_beats_it_openssl_does_everything() {
    if !engines() {
        return;
    }
    let folder = folder("fallback");
    let said = run(Command::new(old(&folder)).arg(module()).args(["2", "0", "2"]).env("GARNER_CPU", "libcrypto"));
    assert_eq!(figure(&said, "operations="), 0.0);
}

/// The engine takes the daemon's name as the provider does; where no daemon is, everything is computed here.
#[test]
fn with_the_daemon_as_its_device_everything_is_answered_where_no_daemon_is() {
    if !engines() {
        return;
    }
    let folder = folder("daemon");
    let mut command = Command::new(old(&folder));
    command.arg(module()).args(["2", "4", "4"]).env("ENGINE_DEVICE", "garnerd:/nonexistent/socket");
    assert_eq!(figure(&run(&mut command), "operations="), 96.0);
}

/// A garnerd that holds the key of `stub.pem` beside its socket; killed in the end.
struct Daemon {
    folder: PathBuf,
    process: Child,
}

impl Daemon {
    fn started(folder: PathBuf, policy: &str) -> Daemon {
        let keys = folder.join("keys");
        fs::create_dir(&keys).unwrap();
        let mut openssl = Command::new("openssl");
        run(openssl.args(["genpkey", "-algorithm", "RSA", "-out"]).arg(keys.join("www.pem")));
        fs::set_permissions(keys.join("www.pem"), fs::Permissions::from_mode(0o600)).unwrap();
        let mut openssl = Command::new("openssl");
        let public = run(openssl.args(["pkey", "-pubout", "-in"]).arg(keys.join("www.pem")));
        let public = PublicKey::read(public.as_bytes(), None).unwrap();
        fs::write(folder.join("stub.pem"), stub::to_pem("www", &public)).unwrap();
        fs::write(folder.join("garnerd.toml"), policy).unwrap();
        let mut command = Command::new(module().with_file_name("garnerd"));
        command.args(["--socket", "socket", "--keys", "keys", "--config", "garnerd.toml"]).current_dir(&folder);
        let process = command.stderr(fs::File::create(folder.join("log")).unwrap()).spawn().unwrap();
        let (daemon, start) = (Daemon { folder, process }, Instant::now());
        while !daemon.log().contains("listening") {
            assert!(start.elapsed() < Duration::from_secs(60), "{}", daemon.log());
            thread::sleep(Duration::from_millis(5));
        }
        daemon
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap()
    }

    /// The program with the stub as its key.
    fn program(&self, arguments: &str) -> Command {
        let mut command = Command::new(old(&self.folder));
        command.arg(module()).args(arguments.split(' ')).env("ENGINE_STUB", self.folder.join("stub.pem"));
        command.env("GARNER_SOCKET", self.folder.join("socket"));
        command
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn keys_that_garnerd_holds_sign_and_decrypt_for_threads_jobs_and_children() {
    if !engines() {
        return;
    }
    let daemon = Daemon::started(folder("held"), "");
    for arguments in ["4 0 5", "2 8 2", "fork"] {
        assert_eq!(figure(&run(&mut daemon.program(arguments)), "operations="), 0.0, "the daemon does them");
    }
    assert!(daemon.log().contains("key www: used by user"), "{}", daemon.log());
}

#[test]
fn what_garnerd_refuses_fails_by_its_reason() {
    if !engines() {
        return;
    }
    let daemon = Daemon::started(folder("refused"), "[key.www]\npaddings = ['pss']");
    let Output { status, stderr, .. } = daemon.program("1 0 1").output().unwrap();
    let said = String::from_utf8_lossy(&stderr);
    assert!(!status.success() && said.contains("not permitted: padding pkcs1v15 with this key"), "{said}");
}

#[test]
fn valgrind_finds_nothing_wrong_and_nothing_lost() {
    if !engines() {
        return;
    }
    let folder = folder("valgrind");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["-q", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
    valgrind.arg("--undef-value-errors=no").arg(old(&folder)).arg(module()).args(["2", "0", "1"]);
    run(valgrind.env("ENGINE_DEVICE", "libcrypto").env("GARNER_CPU", "libcrypto"));
}

#[test]
fn ssh_keygen_signs_through_the_engine_and_verifies_without_it() {
    if !engines() {
        return;
    }
    let folder = folder("ssh");
    let device = device();
    let configuration = format!(
        "openssl_conf = openssl_init\n[openssl_init]\nengines = engines\n[engines]\ngarner = garner_engine\n\
         [garner_engine]\nengine_id = garner\ndynamic_path = {}\nDEVICE = {device}\ndefault_algorithms = RSA\n\
         init = 1\n",
        module().display()
    );
    fs::write(folder.join("openssl.cnf"), configuration).unwrap();
    fs::write(folder.join("message"), "a message\n").unwrap();
    let ssh_keygen = |arguments: &[&str]| {
        let mut command = Command::new("ssh-keygen");
        command.current_dir(&folder).env_remove("OPENSSL_CONF").args(arguments);
        command
    };
    let mut generate = ssh_keygen(&["-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", "key"]);
    let generated = generate.output().unwrap();
    let refusal = String::from_utf8_lossy(&generated.stderr);
    if refusal.contains("OpenSSL version mismatch") {
        return left_out(&format!("ssh-keygen, without Garner, refuses this OpenSSL: {refusal}"));
    }
    assert!(generated.status.success(), "{refusal}");
    let mut sign = ssh_keygen(&["-Y", "sign", "-f", "key", "-n", "file", "message"]);
    run(sign.env("OPENSSL_CONF", folder.join("openssl.cnf")).env("GARNER_SUMMARY", folder.join("summary")));
    let summary = fs::read_to_string(folder.join("summary")).unwrap();
    assert_eq!(figure(&summary, "private-operations="), 1.0, "{summary}");
    fs::write(folder.join("allowed"), format!("me {}", fs::read_to_string(folder.join("key.pub")).unwrap())).unwrap();
    let mut verify = ssh_keygen(&["-Y", "verify", "-f", "allowed", "-I", "me", "-n", "file", "-s", "message.sig"]);
    run(verify.stdin(fs::File::open(folder.join("message")).unwrap()));
}
