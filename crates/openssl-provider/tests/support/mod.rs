// SPDX-License-Identifier: Apache-2.0
//! What these tests share: the module built, a folder with a configuration that names it, programs run with and without
//! it, and the figures it leaves behind.
//!
//! `GARNER_TEST_OPENSSL` names the prefix of another OpenSSL (as `/opt/openssl-3.5`) to test against, as
//! `make openssl-matrix` does. If its libcrypto has another name than the system's, all must have been built for it
//! (`OPENSSL_DIR`). `LD_LIBRARY_PATH` must name its libraries for the tests themselves.
#![allow(dead_code, reason = "each test file uses a part")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

/// When to give up waiting for what must come: long, so that a busy machine never fails a test.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// The folder with an up-to-date `libgarner_provider.so`, of the profile these tests have.
///
/// Cargo builds it for nobody's tests, as Rust cannot link it; so these have it built.
pub fn built() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        // The test is target/PROFILE/deps/TEST.
        let folder = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned();
        build(&folder, &["--lib", "--examples"]);
        folder
    });
    &FOLDER
}

/// Has Cargo build what the arguments say, of all packages, into target/PROFILE, with that profile. It takes what time it
/// takes; but with other packages than `cargo test` has, or without examples, it would choose other features and build nearly
/// everything anew.
pub fn build(folder: &Path, arguments: &[&str]) {
    let profile = folder.file_name().unwrap().to_str().unwrap();
    let profile = if profile == "debug" { "dev" } else { profile };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--workspace", "--profile", profile, "--target-dir"]).arg(folder.parent().unwrap());
    let status = cargo.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).status();
    assert!(status.expect("cargo").success(), "{cargo:?} failed");
}

/// Whether there are kernels for this processor.
pub fn accelerated() -> bool {
    garner::arithmetic::best().unwrap().lanes() > 1
}

/// The line in the provider's section with which it offers RSA here.
pub fn offering() -> &'static str {
    if accelerated() { "" } else { "device = libcrypto" }
}

fn prefix() -> Option<PathBuf> {
    std::env::var_os("GARNER_TEST_OPENSSL").map(PathBuf::from)
}

/// Where a C compiler finds the headers of the OpenSSL under test.
pub fn include() -> Option<String> {
    prefix().map(|prefix| format!("-I{}/include", prefix.display()))
}

/// Says what does not run here and why, past what keeps the words of tests that pass.
pub fn left_out(why: impl std::fmt::Display) {
    std::io::stderr().write_all(format!("left out: {why}\n").as_bytes()).unwrap();
}

/// Whether this system's programs can load the module: not if it was built for a libcrypto of another name than theirs. Says
/// so.
pub fn system_programs() -> bool {
    if prefix().is_none() {
        return true;
    }
    let output = Command::new("openssl").arg("version").env_remove("LD_LIBRARY_PATH").output().expect("openssl");
    let theirs = String::from_utf8(output.stdout).unwrap();
    let ours = openssl::version::version();
    let major = |version: &str| version.split([' ', '.']).nth(1).map(str::to_owned);
    let same = major(&theirs) == major(ours);
    if !same {
        left_out(format_args!("the system's programs are linked to {}, the module to {ours}", theirs.trim_end()));
    }
    same
}

/// A folder of a test's own with the module and a configuration that names it.
pub struct Site {
    folder: PathBuf,
}

impl Site {
    /// With settings of the default device (or of libcrypto's, where there is none).
    pub fn new() -> Site {
        Site::with(offering())
    }

    /// With libcrypto as the device, whatever the processor has.
    pub fn slow() -> Site {
        Site::with("device = libcrypto")
    }

    /// With these lines in the provider's section.
    pub fn with(settings: &str) -> Site {
        Site::of(&built().join("libgarner_provider.so"), settings)
    }

    /// With the module whose device lies.
    pub fn lying() -> Site {
        Site::of(&built().join("examples/liblying.so"), "device = lying\nfaults_allowed = 1000000")
    }

    fn of(module: &Path, settings: &str) -> Site {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("site-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("modules")).unwrap();
        std::os::unix::fs::symlink(module, folder.join("modules/garner.so")).unwrap();
        let site = Site { folder };
        let configuration = include_str!("../../openssl.cnf");
        let text =
            format!("config_diagnostics = 1\n{configuration}{settings}\n\n[req]\ndistinguished_name = name\n[name]\n");
        site.write("openssl.cnf", text.as_bytes());
        site
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a file in the folder.
    pub fn write(&self, name: &str, text: &[u8]) -> PathBuf {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    /// The content of a file in the folder.
    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// A program that runs in the folder, without Garner.
    pub fn plain(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        // Where Debian has servers, which not every user's path has.
        let mut path = format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default());
        if let Some(prefix) = prefix() {
            let folders = ["lib", "lib64"].map(|lib| prefix.join(lib).display().to_string()).join(":");
            command.env("LD_LIBRARY_PATH", folders);
            path = format!("{}/bin:{path}", prefix.display());
        }
        command
            .env("PATH", path)
            .current_dir(&self.folder)
            .env_remove("OPENSSL_CONF")
            .env_remove("OPENSSL_MODULES")
            .stdin(Stdio::null());
        command
    }

    /// A program that runs in the folder, with Garner, and leaves its figures here.
    pub fn garner(&self, program: &str) -> Command {
        let mut command = self.plain(program);
        command.env("OPENSSL_CONF", self.path("openssl.cnf")).env("OPENSSL_MODULES", self.path("modules"));
        command.env("GARNER_SUMMARY", self.path("summary"));
        command
    }

    /// The sums of the figures left behind since the last call.
    pub fn figures(&self) -> Figures {
        let text = fs::read_to_string(self.path("summary")).unwrap_or_default();
        let _ = fs::remove_file(self.path("summary"));
        let mut figures = Figures { sums: BTreeMap::new(), text: text.clone() };
        for (name, value) in text.split_whitespace().filter_map(|word| word.split_once('=')) {
            if let Ok(value) = value.parse::<f64>() {
                *figures.sums.entry(name.to_owned()).or_default() += value;
            }
        }
        figures
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// A key and a certificate for localhost, `key.pem` and `cert.pem`; together in `both.pem`. Made without Garner.
pub fn with_certificate(site: Site) -> Site {
    let request = "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 3 -subj /CN=localhost \
                   -addext subjectAltName=DNS:localhost,IP:127.0.0.1";
    run(site.plain("openssl").args(words(request)));
    site.write("both.pem", &[site.read("cert.pem"), site.read("key.pem")].concat());
    site
}

/// Compiles a C program of `tests/c`, a file or a folder of them, against the OpenSSL under test: once, whoever asks.
pub fn compile(name: &str) -> PathBuf {
    compile_with(name, &["-lcrypto", "-lpthread"])
}

/// The same with an allocator that fails, which by `-rdynamic` is the libraries', too.
pub fn compile_out_of_memory(name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../reserve/tests/c");
    let [allocator, run_out] = ["allocator.c", "run_out.c"].map(|file| format!("{folder}/{file}"));
    compile_with(name, &["-rdynamic", "-I", folder, &allocator, &run_out, "-lcrypto", "-lpthread"])
}

/// The same with libcrypto inside the program.
pub fn compile_static(name: &str) -> PathBuf {
    compile_with(name, &["-l:libcrypto.a", "-ldl", "-lpthread"])
}

/// A library to be loaded, linked to libcrypto.
pub fn compile_library(name: &str) -> PathBuf {
    compile_with(name, &["-shared", "-fPIC", "-lcrypto"])
}

fn compile_with(name: &str, libraries: &[&str]) -> PathBuf {
    static COMPILED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let tests = std::env::current_exe().unwrap();
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(tests.file_name().unwrap()).join(name);
    let mut compiled = COMPILED.lock().unwrap();
    if compiled.contains(&program) {
        return program;
    }
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
    cc.args(sources(name)).args(include());
    if let Some(prefix) = prefix() {
        cc.args(["lib", "lib64"].map(|lib| format!("-L{}/{lib}", prefix.display())));
    }
    assert!(cc.args(libraries).status().unwrap().success(), "{cc:?}");
    compiled.insert(program.clone());
    program
}

fn sources(name: &str) -> Vec<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(name);
    if !path.is_dir() {
        return vec![path.with_extension("c")];
    }
    let files = fs::read_dir(path).unwrap().map(|file| file.unwrap().path());
    files.filter(|file| file.extension().is_some_and(|extension| extension == "c")).collect()
}

/// Sums of figures.
pub struct Figures {
    sums: BTreeMap<String, f64>,
    text: String,
}

impl Figures {
    /// One of them; 0 when nobody left it.
    pub fn get(&self, name: &str) -> u64 {
        self.sums.get(name).copied().unwrap_or(0.0) as u64
    }

    /// Panics with everything that was left unless Garner did `count` private operations or more.
    #[track_caller]
    pub fn private_at_least(&self, count: u64) {
        assert!(self.get("private-operations") >= count, "fewer than {count} private operations:\n{}", self.text);
    }
}

/// Runs a command to its end and gives its standard output; panics with all it said unless it succeeded.
#[track_caller]
pub fn run(command: &mut Command) -> String {
    let output = ends(command);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}{err}", output.status);
    out.into_owned()
}

/// Runs a command to its end, which must come.
#[track_caller]
pub fn ends(command: &mut Command) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let id = child.id();
    let (done, wait) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let output = child.wait_with_output();
        let _ = done.send(());
        output
    });
    if wait.recv_timeout(PATIENCE).is_err() {
        let _ = Command::new("kill").args(["-KILL", &id.to_string()]).status();
        panic!("{command:?} did not end");
    }
    reader.join().unwrap().unwrap()
}

/// Words as arguments.
pub fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// A TCP port on loopback that was free a moment ago.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A server that is asked to end, and then killed, when dropped.
pub struct Server(pub Child);

impl Server {
    /// Starts one, and waits until the port answers.
    pub fn start(command: &mut Command, port: u16) -> Server {
        let mut server = Server(command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}")));
        let start = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(start.elapsed() < PATIENCE, "{command:?} does not listen");
            if let Some(status) = server.0.try_wait().unwrap() {
                panic!("{command:?} ended: {status}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        server
    }

    /// Sends a signal by name and waits for the end.
    pub fn stop(mut self, signal: &str) {
        assert!(self.ends_by(signal), "a server that ends");
    }

    /// Whether it ends when it is sent that signal.
    fn ends_by(&mut self, signal: &str) -> bool {
        let _ = Command::new("kill").args([&format!("-{signal}"), &self.0.id().to_string()]).status();
        let start = Instant::now();
        while self.0.try_wait().unwrap().is_none() {
            if start.elapsed() > PATIENCE {
                return false;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        true
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that is killed leaves its workers behind, with our standard output in their hands.
        if self.0.try_wait().unwrap().is_none() && !self.ends_by("TERM") {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}
