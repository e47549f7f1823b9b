// SPDX-License-Identifier: Apache-2.0
//! The demonstration of the board: a TLS server, OpenSSL's own, whose private operations are done by the simulated FPGA,
//! and clients without Garner that check certificate and handshake. `make board-demo` runs it.
//!
//!     handshakes MODULE.SO GARNER-BOARD MODEL.SO [CLOCK-MHZ]
//!
//! Prints each handshake, the statistics of the provider and those of the board in device time, and one line in the end.

use garner::key::PrivateKey;
use garner_device_board::{Direct, Job};
use serde_json::Value;
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

type Outcome<T> = Result<T, Box<dyn Error>>;

const HANDSHAKES: [(&str, &str); 4] = [
    ("TLS 1.3, signed by PSS", "-tls1_3"),
    ("TLS 1.2, signed by PSS", "-tls1_2"),
    ("TLS 1.2, signed by PKCS#1 v1.5", "-tls1_2 -sigalgs RSA+SHA256"),
    ("TLS 1.2, RSA key exchange", "-tls1_2 -cipher AES256-GCM-SHA384"),
];
/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(120);

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, board, model, clock @ ..] = &arguments[..] else {
        return Err("usage: handshakes MODULE.SO GARNER-BOARD MODEL.SO [CLOCK-MHZ]".into());
    };
    let stage = Stage::new(Path::new(module))?;
    let board = stage.board(Path::new(board), Path::new(model), clock)?;
    let (server, port) = stage.server()?;

    println!("openssl s_server, RSA-2048, its private operations done by {}\n", stage.socket());
    for (name, options) in HANDSHAKES {
        let start = Instant::now();
        let said = stage.client(port, options)?;
        println!("  {name:<32} {said}, {:.1} s of simulation", start.elapsed().as_secs_f64());
    }
    server.ended("openssl s_server")?;
    let provider = stage.figures()?;
    // Cycles depend on lengths alone, so loading the key once more tells what of the server's time that took.
    let device = stage.device_time(1)?;
    let cores = stage.load_key()?;
    let load = stage.device_time(2)?;
    drop(board);
    report(&provider, &device, &load, cores)
}

/// A process that is ended when dropped.
struct Process(Child);

impl Process {
    /// Waits until it ends by itself.
    fn ended(mut self, what: &str) -> Outcome<()> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.0.try_wait()? {
                return if status.success() { Ok(()) } else { Err(format!("{what}: {status}").into()) };
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(format!("{what} does not end").into())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Where the demonstration works.
struct Stage(PathBuf);

impl Stage {
    fn new(module: &Path) -> Outcome<Stage> {
        let stage = Stage(env::temp_dir().join(format!("garner-board-demo-{}", std::process::id())));
        fs::create_dir_all(stage.path("modules"))?;
        std::os::unix::fs::symlink(fs::canonicalize(module)?, stage.path("modules/garner.so"))?;
        let configuration = include_str!("../../../crates/openssl-provider/openssl.cnf");
        fs::write(
            stage.path("openssl.cnf"),
            format!("config_diagnostics = 1\n{configuration}device = {}\n", stage.socket()),
        )?;
        let request = "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 3 -subj /CN=localhost";
        let made = stage.openssl(request).stderr(Stdio::null()).status()?;
        if made.success() { Ok(stage) } else { Err("openssl req makes no certificate".into()) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The board's address.
    fn socket(&self) -> String {
        format!("vfio-user:{}", self.path("board").display())
    }

    /// OpenSSL's program, without Garner.
    fn openssl(&self, arguments: &str) -> Command {
        let mut command = Command::new("openssl");
        command.args(arguments.split_whitespace()).current_dir(&self.0).stdin(Stdio::null());
        command.env_remove("OPENSSL_CONF").env_remove("OPENSSL_MODULES");
        command
    }

    fn board(&self, program: &Path, model: &Path, clock: &[String]) -> Outcome<Process> {
        let mut command = Command::new(program);
        command.arg("--model").arg(model).arg("--socket").arg(self.path("board"));
        command.arg("--statistics").arg(self.path("statistics")).stderr(Stdio::null());
        command.args(clock.iter().flat_map(|clock| ["--clock-mhz", clock.as_str()]));
        let mut process = Process(command.spawn().map_err(|error| format!("{}: {error}", program.display()))?);
        let start = Instant::now();
        while !self.path("board").exists() {
            if process.0.try_wait()?.is_some() || start.elapsed() > PATIENCE {
                return Err("garner-board does not listen".into());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(process)
    }

    /// A TLS server with Garner that ends after all handshakes, and its port.
    fn server(&self) -> Outcome<(Process, u16)> {
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let count = HANDSHAKES.len();
        let options = format!("s_server -accept 127.0.0.1:{port} -cert cert.pem -key key.pem -www -naccept {count}");
        let mut command = self.openssl(&options);
        command.env("OPENSSL_CONF", self.path("openssl.cnf")).env("OPENSSL_MODULES", self.path("modules"));
        command.env("GARNER_SUMMARY", self.path("summary")).stdout(Stdio::piped());
        let mut process = Process(command.spawn()?);
        let output = process.0.stdout.take().expect("piped");
        let mut lines = BufReader::new(output).lines();
        if !lines.by_ref().any(|line| line.is_ok_and(|line| line.contains("ACCEPT"))) {
            return Err("openssl s_server does not start; its reason is above".into());
        }
        // Whatever else it says is read and forgotten, so that it never waits for a reader.
        thread::spawn(move || lines.for_each(drop));
        Ok((process, port))
    }

    /// One handshake by a client without Garner; what it says of it.
    fn client(&self, port: u16, options: &str) -> Outcome<String> {
        let connect =
            format!("s_client -connect 127.0.0.1:{port} -CAfile cert.pem -verify_return_error -brief {options}");
        let output = self.openssl(&connect).output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() || !said.contains("Verification: OK") {
            return Err(format!("openssl s_client {options}: {said}").into());
        }
        let value = |name: &str| said.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("-").trim().to_owned();
        Ok(format!("verified: {}, {}", value("Protocol version:"), value("Ciphersuite:")))
    }

    /// What the provider told in the end.
    fn figures(&self) -> Outcome<impl Fn(&str) -> Outcome<f64> + use<>> {
        let summary = fs::read_to_string(self.path("summary"))?;
        Ok(move |name: &str| {
            let value = summary.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            Ok(value.ok_or_else(|| format!("the provider tells no {name}"))?.parse()?)
        })
    }

    /// Loads the server's key into the board and does no more; how many cores that has.
    fn load_key(&self) -> Outcome<usize> {
        let key = PrivateKey::read(&fs::read(self.path("key.pem"))?, None)?;
        let mut board = Direct::open(&self.socket())?;
        board.submit(&Job::LoadKey { slot: 0, key: &key })?.ok_or("no room in a new ring")?;
        board.ring_doorbell()?;
        loop {
            match board.poll(&mut [])? {
                Some(ended) => return ended.cycles.map(|_| board.capability().cores).map_err(Into::into),
                None => thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    /// What the board told when its client of this number left.
    fn device_time(&self, client: usize) -> Outcome<Value> {
        let start = Instant::now();
        loop {
            let text = fs::read_to_string(self.path("statistics")).unwrap_or_default();
            match text.lines().nth(client - 1) {
                Some(line) if text.ends_with('\n') => return Ok(serde_json::from_str(line)?),
                _ if start.elapsed() > PATIENCE => return Err("the board tells no statistics".into()),
                _ => thread::sleep(Duration::from_millis(20)),
            }
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn report(provider: &impl Fn(&str) -> Outcome<f64>, device: &Value, load: &Value, cores: usize) -> Outcome<()> {
    let number = |of: &Value, name: &str| of[name].as_f64().ok_or_else(|| format!("the board tells no {name}"));
    let (clock, jobs) = (number(device, "clock_mhz")?, number(device, "jobs")?);
    let operations = provider("private-operations")?;
    let failed = provider("faults")? + provider("retries")?;
    if operations != HANDSHAKES.len() as f64 || jobs != operations + 1.0 || failed > 0.0 {
        return Err(format!("the board did not do all: {jobs} jobs, {operations} operations, {failed} failed").into());
    }
    let milliseconds = |cycles: f64| cycles / clock / 1e3;
    let (occupied, computing) = (number(device, "occupied_cycles")?, number(device, "computing_cycles")?);
    let (load, load_computing) = (number(load, "occupied_cycles")?, number(load, "computing_cycles")?);
    let (each, each_computing) = ((occupied - load) / operations, (computing - load_computing) / operations);
    let share = 100.0 * each_computing / each;
    let rate = 1e6 * clock / each;

    println!("\nStatistics of the provider, in the time of the simulation");
    println!("  total operations            {:>10.0}", provider("operations")?);
    println!("  total time                  {:>10.2} s", provider("total-time")?);
    println!("  average time per operation  {:>10.0} us", provider("average-time")?);
    println!("  average load                {:>10.1} %", 100.0 * provider("average-load")?);
    println!("\nThe same in device time: {clock} MHz, placed and routed; a PCIe 2.0 x4 link, 1 us");
    println!("  total operations            {operations:>10.0}");
    println!("  total time                  {:>10.3} ms", milliseconds(occupied));
    println!("    loading the key           {:>10.3} ms", milliseconds(load));
    println!("  average time per operation  {:>10.3} ms", milliseconds(each));
    println!("    computing                 {:>10.3} ms {share:>7.2} %", milliseconds(each_computing));
    println!("    communication             {:>10.3} ms {:>7.2} %", milliseconds(each - each_computing), 100.0 - share);
    let load = 100.0 * computing / (cores as f64 * occupied);
    println!(
        "  average load                {load:>10.1} %    of {cores} cores; the server does one handshake at a time"
    );
    println!("  simulated at                {:>10.0} kcycles/s", number(device, "cycles_per_second")? / 1e3);
    println!(
        "\nboard-demo: {} TLS handshakes by the simulated FPGA, verified by OpenSSL alone; RSA-2048 in {:.3} ms at {clock} \
         MHz, {share:.2} % computing, {:.2} % communication; {rate:.0} operations/s a core",
        HANDSHAKES.len(),
        milliseconds(each),
        100.0 - share,
    );
    Ok(())
}
