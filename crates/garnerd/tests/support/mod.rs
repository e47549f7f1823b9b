// SPDX-License-Identifier: Apache-2.0
//! A daemon of a test's own: a folder with keys and a socket, and the process.

#![allow(dead_code)] // each test program uses a part

use garner::key::{PrivateKey, PublicKey};
use garner::padding::Hash;
use garner_remote::Client;
use garner_remote::message::{self, Buffer, KeyName, Refusal, Response, Work};
use garner_remote::scheme::SignatureScheme;
use garner_remote::socket::{Received, Socket};
use openssl::rsa::Rsa;
use rustix::event::PollFlags;
use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub const DIGEST: [u8; 32] = [7; 32];
pub const SIGN: Work<'static> =
    Work::Sign { scheme: SignatureScheme::Pkcs1v15 { hash: Hash::Sha256 }, digest: &DIGEST };

/// The key `www` of every daemon here.
pub fn key() -> &'static PrivateKey {
    static KEY: OnceLock<PrivateKey> = OnceLock::new();
    KEY.get_or_init(|| PrivateKey::read(&Rsa::generate(1024).unwrap().private_key_to_pem().unwrap(), None).unwrap())
}

pub struct Daemon {
    pub folder: TempDir,
    process: Option<Child>,
}

impl Daemon {
    /// A folder with the key `www` and this configuration; no process yet.
    pub fn prepared(configuration: &str) -> Daemon {
        let daemon = Daemon { folder: tempfile::tempdir().unwrap(), process: None };
        fs::set_permissions(daemon.folder.path(), Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(daemon.keys()).unwrap();
        daemon.put("www.pem", key().to_pkcs8_pem().as_bytes(), 0o600);
        fs::write(daemon.configuration(), configuration).unwrap();
        daemon
    }

    /// The same, running.
    pub fn started(configuration: &str) -> Daemon {
        let mut daemon = Daemon::prepared(configuration);
        daemon.start();
        daemon
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn socket(&self) -> PathBuf {
        self.path("socket")
    }

    pub fn keys(&self) -> PathBuf {
        self.path("keys")
    }

    pub fn configuration(&self) -> PathBuf {
        self.path("garnerd.toml")
    }

    pub fn put(&self, name: &str, content: &[u8], mode: u32) {
        let path = self.keys().join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_garnerd"));
        command.arg("--socket").arg(self.socket()).arg("--keys").arg(self.keys());
        command.arg("--config").arg(self.configuration());
        command
    }

    /// Starts the process, and waits until it listens.
    pub fn start(&mut self) {
        let mut command = self.command();
        self.start_as(&mut command);
    }

    pub fn start_as(&mut self, command: &mut Command) {
        let log = fs::File::create(self.path("log")).unwrap();
        self.process = Some(command.stderr(log).spawn().unwrap());
        wait_until("the daemon listens", || {
            assert_eq!(self.process.as_mut().unwrap().try_wait().unwrap(), None, "{}", self.log());
            self.log().contains("listening")
        });
    }

    /// The same for a process whose log goes elsewhere.
    pub fn start_silent(&mut self, command: &mut Command) {
        fs::write(self.path("log"), "").unwrap();
        self.process = Some(command.spawn().unwrap());
        wait_until("the daemon listens", || Socket::connect(&self.socket()).is_ok());
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap()
    }

    pub fn pid(&self) -> i32 {
        self.process.as_ref().unwrap().id() as i32
    }

    /// How many descriptors it has open.
    pub fn descriptors(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.pid())).unwrap().count()
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.pid()).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Kills the process as nothing can be caught.
    pub fn kill(&mut self) {
        let mut process = self.process.take().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }

    /// Ends it as its manager would, and gives what it said.
    pub fn end(&mut self) -> String {
        self.signal(rustix::process::Signal::TERM);
        assert!(self.process.take().unwrap().wait().unwrap().success());
        self.log()
    }

    pub fn client(&self) -> Client {
        Client::new(self.socket(), Duration::from_secs(20))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// What a command that must fail says.
pub fn failure(command: &mut Command) -> String {
    let mut process = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    process.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(!process.wait().unwrap().success(), "{said}");
    said
}

/// Copies a program that is to be started: by a process of its own, as a copy that is still open somewhere cannot be started, and
/// other tests of this process may fork while it is.
pub fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").args([from, to]).status().unwrap().success());
}

/// Says what does not run here and why, past what keeps the words of tests that pass.
pub fn left_out(why: &str) {
    std::io::stderr().write_all(format!("left out: {why}\n").as_bytes()).unwrap();
}

pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what} takes too long");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Has the daemon sign, and verifies that by OpenSSL.
pub fn sign(client: &Client, key: KeyName<'_>, public: &PublicKey) {
    verify(public, &client.call(key, SIGN).unwrap());
}

pub fn verify(public: &PublicKey, signature: &[u8]) {
    let public = Rsa::public_key_from_der(&public.to_der()).unwrap();
    let mut block = vec![0; public.size() as usize];
    let length = public.public_decrypt(signature, &mut block, openssl::rsa::Padding::PKCS1).unwrap();
    assert_eq!(block[length - 32..length], DIGEST);
}

/// The next packet on a connection; `None` at its end.
pub fn receive(socket: &Socket) -> Option<Vec<u8>> {
    let mut buffer = Buffer::default();
    assert_eq!(socket.wait(PollFlags::IN, Instant::now() + Duration::from_secs(30)), Ok(true));
    match socket.receive(&mut buffer) {
        Received::Packet(length) => Some(buffer.packet(length).to_vec()),
        Received::End => None,
        Received::Nothing => panic!("nothing though it was there"),
    }
}

/// The number and the refusal in a packet.
pub fn refusal(packet: &[u8]) -> (u64, Refusal) {
    let Response { id, answer } = message::decode(packet).unwrap();
    (id, answer.unwrap_err())
}

/// The answer in a packet, unless it is a refusal.
pub fn answer(packet: &[u8]) -> Option<Vec<u8>> {
    let response: Response<'_> = message::decode(packet).unwrap();
    response.answer.ok().map(<[u8]>::to_vec)
}

pub fn www() -> KeyName<'static> {
    KeyName::Named("www")
}

pub fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}
