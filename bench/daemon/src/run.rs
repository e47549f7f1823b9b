// SPDX-License-Identifier: Apache-2.0
//! One measurement: daemons, client processes, their start at the same time, and the processor time of all of them.

use crate::Transport;
use crate::client::{Done, PIN};
use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;
use openssl::rsa::Rsa;
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use tempfile::TempDir;

const TRANSPORTS: [Transport; 7] = [
    Transport::Openssl,
    Transport::InProcess,
    Transport::Garnerd,
    Transport::Lent,
    Transport::Pkcs11,
    Transport::Unbatched,
    Transport::SoftHsm,
];

/// PKCS#11 modules.
pub struct Modules {
    /// Of garnerd's keys.
    pub pkcs11: PathBuf,
    /// SoftHSM's, if it is there.
    pub softhsm: PathBuf,
}

/// The median of rounds.
#[derive(Debug)]
pub struct Measured {
    pub per_s: f64,
    pub p50_us: f64,
    pub p99_us: f64,
    /// Processor time of an operation, daemon and clients together.
    pub cpu_us: f64,
    pub checked: u64,
}

/// garnerd and the peer without batches, with one key.
pub struct Bench {
    folder: TempDir,
    batching: Child,
    unbatched: Child,
    modules: Modules,
    seconds: f64,
}

impl Bench {
    pub fn new(bits: u32, garnerd: &Path, modules: Modules, seconds: f64) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        let keys = folder.path().join("keys");
        fs::create_dir(&keys).expect("a folder of keys");
        let key = keys.join("key.pem");
        fs::write(&key, Rsa::generate(bits).expect("a key").private_key_to_pem().expect("PEM")).expect("a file");
        fs::set_permissions(&key, Permissions::from_mode(0o600)).expect("its mode");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("garnerd.toml"), "").expect("a configuration");
        let mut command = Command::new(garnerd);
        command.arg("--config").arg(path("garnerd.toml")).arg("--keys").arg(&keys);
        let batching = start(command.arg("--socket").arg(path("garnerd")));
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        let unbatched = start(command.args(["unbatched", "--key"]).arg(&key).arg("--socket").arg(path("unbatched")));
        match modules.softhsm.exists() {
            true => make_token(folder.path(), &key),
            false => eprintln!("left out: SoftHSM, {} is not there", modules.softhsm.display()),
        }
        Bench { folder, batching, unbatched, modules, seconds }
    }

    /// All transports, with so many clients.
    pub fn measure(&self, clients: usize, rounds: usize) -> Vec<(Transport, Measured)> {
        let there = |transport: &Transport| *transport != Transport::SoftHsm || self.modules.softhsm.exists();
        let mut all: Vec<(Transport, Vec<Measured>)> =
            TRANSPORTS.into_iter().filter(there).map(|transport| (transport, Vec::new())).collect();
        for _ in 0..rounds {
            for (transport, measured) in &mut all {
                measured.push(self.round(*transport, clients));
            }
        }
        all.into_iter().map(|(transport, rounds)| (transport, median(rounds))).collect()
    }

    fn round(&self, transport: Transport, clients: usize) -> Measured {
        // Garner in one process has threads in place of processes.
        let (processes, threads) = if transport == Transport::InProcess { (1, clients) } else { (clients, 1) };
        let (daemon, socket) = match transport {
            Transport::Unbatched => (&self.unbatched, "unbatched"),
            _ => (&self.batching, "garnerd"),
        };
        // One is ready before the next begins: SoftHSM does not find its token where several begin at once.
        let mut running = Vec::new();
        for _ in 0..processes {
            let (client, mut output) = self.client(transport, threads, socket);
            let mut line = String::new();
            output.read_line(&mut line).expect("a client's line");
            assert_eq!(line.trim(), "ready");
            running.push((client, output));
        }
        let before = processor_time(daemon);
        for (client, _) in &mut running {
            client.stdin.take().expect("piped").write_all(&[0]).expect("the start");
        }
        let (mut times, mut checked, mut per_s, mut cpu) = (Vec::new(), 0, 0.0, 0.0);
        for (mut client, output) in running {
            let done: Done = serde_json::from_reader(output).expect("a client's figures");
            assert!(client.wait().expect("a client").success());
            per_s += done.times.len() as f64 / done.seconds;
            cpu += done.cpu;
            checked += done.checked;
            times.extend(done.times);
        }
        if socket_is_used(transport) {
            cpu += processor_time(daemon) - before;
        }
        times.sort_unstable();
        let at = |part: f64| f64::from(times[((times.len() - 1) as f64 * part) as usize]);
        Measured { per_s, p50_us: at(0.5), p99_us: at(0.99), cpu_us: 1e6 * cpu / times.len() as f64, checked }
    }

    fn client(&self, transport: Transport, threads: usize, socket: &str) -> (Child, BufReader<ChildStdout>) {
        let path = |name: &str| -> PathBuf { self.folder.path().join(name) };
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        let name = clap::ValueEnum::to_possible_value(&transport).expect("a name");
        command.args(["client", "--transport", name.get_name(), "--threads", &threads.to_string()]);
        command.arg("--key").arg(path("keys/key.pem")).arg("--socket").arg(path(socket));
        command.args(["--seconds", &self.seconds.to_string()]);
        match transport {
            Transport::Pkcs11 => command.env("GARNER_SOCKET", path(socket)).arg("--module").arg(&self.modules.pkcs11),
            Transport::SoftHsm => {
                command.env("SOFTHSM2_CONF", path(SOFTHSM_CONF)).arg("--module").arg(&self.modules.softhsm)
            }
            _ => &mut command,
        };
        let mut client = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a client");
        let output = BufReader::new(client.stdout.take().expect("piped"));
        (client, output)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        for daemon in [&mut self.batching, &mut self.unbatched] {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

/// Starts a daemon, and waits until it listens.
fn start(command: &mut Command) -> Child {
    let mut daemon = command.stderr(Stdio::piped()).spawn().expect("a daemon");
    let mut lines = BufReader::new(daemon.stderr.take().expect("piped")).lines();
    assert!(lines.any(|line| line.is_ok_and(|line| line.contains("listening"))), "{command:?} does not listen");
    // Somebody has to take what it goes on to say.
    std::thread::spawn(move || lines.for_each(drop));
    daemon
}

/// SoftHSM's configuration.
const SOFTHSM_CONF: &str = "softhsm2.conf";

/// A token of SoftHSM's with the key.
fn make_token(folder: &Path, key: &Path) {
    let tokens = folder.join("tokens");
    fs::create_dir(&tokens).expect("a folder of tokens");
    let configuration = format!("directories.tokendir = {}\nobjectstore.backend = file\n", tokens.display());
    fs::write(folder.join(SOFTHSM_CONF), configuration).expect("a file");
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).env("SOFTHSM2_CONF", folder.join(SOFTHSM_CONF)).stdout(Stdio::null());
        assert!(command.status().expect(program).success(), "{command:?}");
    };
    let encoded = folder.join("key.p8");
    let (key, encoded) = (key.to_str().expect("a plain path"), encoded.to_str().expect("a plain path"));
    run("openssl", &["pkcs8", "-topk8", "-nocrypt", "-in", key, "-out", encoded]);
    run("softhsm2-util", &["--init-token", "--free", "--label", "bench", "--pin", PIN, "--so-pin", PIN]);
    run("softhsm2-util", &["--import", encoded, "--token", "bench", "--label", "key", "--id", "01", "--pin", PIN]);
}

/// Each figure's median.
fn median(rounds: Vec<Measured>) -> Measured {
    let of = |figure: fn(&Measured) -> f64| {
        let mut figures: Vec<f64> = rounds.iter().map(figure).collect();
        figures.sort_unstable_by(f64::total_cmp);
        figures[figures.len() / 2]
    };
    Measured {
        per_s: of(|round| round.per_s),
        p50_us: of(|round| round.p50_us),
        p99_us: of(|round| round.p99_us),
        cpu_us: of(|round| round.cpu_us),
        checked: rounds.iter().map(|round| round.checked).sum(),
    }
}

fn socket_is_used(transport: Transport) -> bool {
    matches!(transport, Transport::Garnerd | Transport::Lent | Transport::Pkcs11 | Transport::Unbatched)
}

/// Seconds of processor time of a daemon: all its threads, also those that have ended.
fn processor_time(daemon: &Child) -> f64 {
    let pid = Pid::from_raw(daemon.id() as i32);
    let time = clock_getcpuclockid(pid).and_then(clock_gettime).expect("the daemon's clock");
    time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9
}
