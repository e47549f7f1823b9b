// SPDX-License-Identifier: Apache-2.0
//! The command beside a garnerd that holds the key.

mod common;

use common::folder::Folder;
use common::{refused, run};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

/// The daemon's program, beside that of the command.
fn program() -> &'static Path {
    let folder = Path::new(env!("CARGO_BIN_EXE_garner")).parent().unwrap();
    let profile = if folder.ends_with("debug") { "dev" } else { "release" };
    let mut cargo = Command::new(env!("CARGO"));
    // The whole workspace: for one package Cargo would choose other features and build nearly everything anew.
    cargo.args(["build", "--quiet", "--workspace", "--bin", "garnerd", "--profile", profile, "--target-dir"]);
    let status = cargo.arg(folder.parent().unwrap()).current_dir(env!("CARGO_MANIFEST_DIR")).status();
    assert!(status.unwrap().success(), "{cargo:?} failed");
    Box::leak(folder.join("garnerd").into_boxed_path())
}

/// A folder with a daemon that holds the key `www`, whose public half is `public.pem` and whose stub is `stub.pem`.
struct Held {
    folder: Folder,
    daemon: Child,
}

impl Held {
    fn new(name: &str) -> Held {
        let folder = Folder::new(name);
        folder.openssl_good("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key.pem");
        folder.openssl_good("pkey -in key.pem -pubout -out public.pem");
        fs::create_dir(folder.path("keys")).unwrap();
        folder.write("garnerd.toml", format!("metrics = [{:?}]", folder.path("metrics")));
        folder.write("message", "what is signed\n");
        folder.good("stub --name www key.pem --import --keys keys --out stub.pem");
        fs::remove_file(folder.path("key.pem")).unwrap();
        let mut command = Command::new(program());
        command.args("--socket socket --keys keys --config garnerd.toml".split(' ')).current_dir(folder.path("."));
        let daemon = command.stderr(fs::File::create(folder.path("log")).unwrap()).spawn().unwrap();
        let held = Held { folder, daemon };
        held.until_log("listening");
        held
    }

    /// Waits until the daemon has said so.
    fn until_log(&self, words: &str) {
        let start = Instant::now();
        while !String::from_utf8_lossy(&self.folder.read("log")).contains(words) {
            assert!(start.elapsed() < Duration::from_secs(180), "the daemon does not say {words:?}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// `garner` with these words, which finds the daemon.
    fn garner(&self, words: &str) -> Command {
        let mut command = self.folder.garner(words);
        command.env("GARNER_SOCKET", self.folder.path("socket")).env("GARNER_PATIENCE", "60");
        command
    }

    #[track_caller]
    fn good(&self, words: &str) {
        let outcome = run(&mut self.garner(words));
        assert_eq!(outcome.status, 0, "garner {words}: {outcome:?}");
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

#[test]
fn the_daemon_signs_and_decrypts_by_name_and_by_stub() {
    let held = Held::new("daemon-operations");
    let folder = &held.folder;
    let mode = fs::metadata(folder.path("keys/www.pem")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    for key in ["garner:www", "stub.pem"] {
        held.good(&format!("sign --key {key} message --out signature --force"));
        folder.openssl_good("dgst -sha256 -verify public.pem -signature signature message");
        held.good(&format!("sign --key {key} --padding pss --hash sha3-256 message --out pss --force"));
        folder.good("verify --key public.pem --padding pss --hash sha3-256 --signature pss message");
        held.good(&format!("verify --key {key} --signature signature message"));
        held.good(&format!("encrypt --key {key} message --out secret --force"));
        held.good(&format!("decrypt --key {key} secret --out opened --force"));
        assert_eq!(folder.read("opened"), folder.read("message"));
        // No device is opened here, so none need be there.
        let mut sign = held.garner(&format!("sign --key {key} message --out signature --force"));
        assert_eq!(run(sign.env("GARNER_CPU", "nonsense")).status, 0);
        let raw = held.garner(&format!("decrypt --key {key} --padding raw secret"));
        refused(&mut { raw }, 3, &[key, "not permitted: operations without padding with this key"]);
    }
    folder.write("bad", [1; 256]);
    refused(&mut held.garner("decrypt --key garner:www bad"), 1, &["bad: does not decrypt by this key and scheme"]);
    refused(
        &mut held.garner("sign --key garner:web message"),
        3,
        &["garner:web", "no such key, or you may not use it"],
    );
    refused(&mut held.garner("sign --key garner:../www message"), 2, &["garner:../www", "a key's name has"]);
}

#[test]
fn bulk_has_signatures_made_by_the_daemon_beside_a_key_of_its_own() {
    let mut held = Held::new("daemon-bulk");
    held.folder.openssl_good("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out own.pem");
    let digest = |i: usize| format!("{:064x}\n", i * i + 1);
    held.folder.write("digests", (0..300).map(digest).collect::<String>());
    held.good("bulk --key garner:www digests --out signatures");
    held.folder.good("bulk --key public.pem --verify signatures digests");
    held.good("bulk --key garner:www --verify signatures digests");
    // As many lines as it had: an interrupted one goes on by the daemon, too.
    let whole = held.folder.read("signatures");
    held.folder.write("again.partial", &whole[..whole.len() / 3]);
    held.good("bulk --key stub.pem digests --out again");
    assert!(held.folder.read("again") == whole);

    let name = |i: usize| if i.is_multiple_of(2) { "www" } else { "own" };
    held.folder.write("named", (0..100).map(|i| format!("{} {}", name(i), digest(i))).collect::<String>());
    held.good("bulk --key www=garner:www --key own=own.pem --padding pss named --out named.signatures");
    held.folder.good("bulk --key www=public.pem --key own=own.pem --padding pss --verify named.signatures named");

    // More than a second's allowance takes longer, and is signed.
    fs::write(held.folder.path("garnerd.toml"), "[key.www]\nper_second = 50").unwrap();
    kill_process(Pid::from_child(&held.daemon), Signal::HUP).unwrap();
    held.until_log("read again");
    held.folder.write("digests", (0..120).map(digest).collect::<String>());
    let start = Instant::now();
    held.good("bulk --key garner:www digests --out limited");
    assert!(start.elapsed() > Duration::from_secs(1), "70 of them have to wait");
    held.folder.good("bulk --key public.pem --verify limited digests");

    held.daemon.kill().unwrap();
    held.daemon.wait().unwrap();
    let mut command = held.garner("bulk --key stub.pem digests --out gone");
    refused(command.env("GARNER_PATIENCE", "0.05"), 3, &["digests:1: ", "garnerd: does not answer"]);
}

/// As the manual installs it: root imports into a folder of the daemon's user, who may put links there.
#[test]
fn a_key_imported_by_root_belongs_to_the_folders_owner() {
    let folder = Folder::new("daemon-import-by-root");
    if !rustix::process::geteuid().is_root() {
        return common::left_out("only root can give files away");
    }
    folder.openssl_good("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key.pem");
    fs::create_dir(folder.path("keys")).unwrap();
    chown(folder.path("keys"), Some(65534), Some(65533)).unwrap();
    folder.good("stub --name www key.pem --import --keys keys --out stub.pem");
    let about = fs::symlink_metadata(folder.path("keys/www.pem")).unwrap();
    assert_eq!((about.uid(), about.gid(), about.mode() & 0o777), (65534, 65533, 0o600));
    // A link that is there is no key to write through.
    fs::write(folder.path("other"), "other").unwrap();
    symlink("../other", folder.path("keys/link.pem")).unwrap();
    refused(&mut folder.garner("stub --name link key.pem --import --keys keys"), 3, &["keys/link.pem"]);
    assert_eq!(fs::metadata(folder.path("other")).unwrap().uid(), 0);
    assert_eq!(folder.read("other"), b"other");
}

#[test]
fn an_import_writes_over_no_key_and_a_stub_is_made_of_a_public_key_too() {
    let held = Held::new("daemon-import");
    let folder = &held.folder;
    folder.openssl_good("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out other.pem");
    let twice = &mut folder.garner("stub --name www other.pem --import --keys keys");
    refused(twice, 3, &["keys/www.pem: garnerd has a key of that name", "leave --import out"]);
    refused(&mut folder.garner("stub --name www public.pem --import --keys keys"), 3, &["public.pem"]);
    refused(&mut folder.garner("stub --name a/b public.pem"), 2, &["a/b", "a key's name has"]);
    folder.good("stub --name www public.pem --out of_public.pem");
    assert_eq!(folder.read("of_public.pem"), folder.read("stub.pem"));
    held.good("sign --key of_public.pem message --out signature");
    folder.openssl_good("dgst -sha256 -verify public.pem -signature signature message");
}

#[test]
fn nothing_is_imported_when_the_stub_cannot_be_written() {
    let folder = Folder::new("daemon-import-refused");
    folder.openssl_good("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out www.pem");
    fs::create_dir(folder.path("keys")).unwrap();
    let key = folder.read("www.pem");
    let command = "stub --name www www.pem --import --keys keys --out www.pem --force";
    refused(&mut folder.garner(command), 2, &["www.pem: is the key itself"]);
    assert_eq!(folder.path("keys").read_dir().unwrap().count(), 0);
    assert_eq!(folder.read("www.pem"), key);
}

#[test]
fn without_a_daemon_the_command_says_where_it_looked() {
    let folder = Folder::new("daemon-none");
    folder.write("message", "what is signed\n");
    let mut command = folder.garner("sign --key garner:www message");
    command.env("GARNER_SOCKET", folder.path("socket")).env("GARNER_PATIENCE", "0.05");
    refused(&mut command, 3, &["garner:www", "garnerd does not answer at", "socket"]);
}

#[test]
fn stats_without_a_process_are_the_daemons() {
    let held = Held::new("daemon-stats");
    let stats = |words: &str| {
        let mut command = held.garner(words);
        command.env("GARNER_METRICS", held.folder.path("metrics"));
        run(&mut command)
    };
    held.good("sign --key garner:www message --out signature");
    let figures: serde_json::Value = serde_json::from_str(&stats("stats --json").stdout).unwrap();
    // The key is described before it signs.
    assert_eq!(figures["garnerd_requests_answered_total"], 2.0, "{figures}");
    assert_eq!(figures["garnerd_batch_requests_sum"], 1.0, "{figures}");
    let words = stats("stats").stdout;
    for line in ["garnerd", "  requests answered       2", "  requests per batch      1.00 in 1 batches"] {
        assert!(words.lines().any(|other| other == line), "{line}\n{words}");
    }
    let mut nowhere = held.garner("stats");
    nowhere.env("GARNER_METRICS", held.folder.path("none"));
    refused(&mut nowhere, 3, &["garnerd does not answer at", "none"]);
    refused(&mut held.garner("stats --watch"), 2, &["PID"]);
}
