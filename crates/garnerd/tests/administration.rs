// SPDX-License-Identifier: Apache-2.0
//! Configuration, keys, policies, sockets: what an administrator does right and wrong.

mod support;

use garner::key::PrivateKey;
use garner_remote::message::{KeyName, Refusal, Work};
use garner_remote::{Client, Error, figures, lender};
use openssl::rsa::Rsa;
use rustix::process::{Signal, geteuid};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::*;

#[test]
fn check_says_what_is_wrong_by_name() {
    let said = |prepare: &dyn Fn(&Daemon)| {
        let daemon = Daemon::prepared("");
        prepare(&daemon);
        failure(daemon.command().arg("--check"))
    };
    let other = Rsa::generate(1024).unwrap().private_key_to_pem().unwrap();
    for (wrong, named) in [
        (said(&|daemon| daemon.put("open.pem", &other, 0o644)), "open.pem: others may read or change it (mode 644)"),
        (said(&|daemon| daemon.put("two words.pem", &other, 0o600)), "two words.pem: a key's name has"),
        (said(&|daemon| daemon.put("bad.pem", b"no key", 0o600)), "bad.pem: not a usable RSA key"),
        (said(&|daemon| daemon.put("again.pem", key().to_pkcs1_pem().as_bytes(), 0o600)), "is the same key as"),
        (said(&|daemon| symlink("www.pem", daemon.keys().join("link.pem")).unwrap()), "link.pem: is not a file"),
        (said(&|daemon| fs::write(daemon.configuration(), "[key.web]").unwrap()), "there is no key \"web\""),
        (said(&|daemon| fs::write(daemon.configuration(), "sockt = 1").unwrap()), "unknown field `sockt`"),
        (
            said(&|daemon| fs::write(daemon.configuration(), "[key.www]\nusers = ['no-such']").unwrap()),
            "no user \"no-such\"",
        ),
        (said(&|daemon| fs::remove_dir_all(daemon.keys()).unwrap()), "keys: No such file"),
        (said(&|daemon| fs::remove_file(daemon.configuration()).unwrap()), "garnerd.toml: No such file"),
    ] {
        assert!(wrong.contains(named), "{wrong}");
    }
    let daemon = Daemon::prepared("");
    let right = daemon.command().arg("--check").output().unwrap();
    assert!(right.status.success());
    assert_eq!(right.stdout, b"1 keys\n");
}

/// As it is installed: the folder and the keys belong to the daemon's user, whoever asks.
#[test]
fn check_by_root_takes_the_keys_of_the_daemons_user() {
    if !geteuid().is_root() {
        return left_out("only root can give files away");
    }
    let daemon = Daemon::prepared("");
    for path in [daemon.keys(), daemon.keys().join("www.pem")] {
        chown(path, Some(65534), Some(65534)).unwrap();
    }
    let right = daemon.command().arg("--check").output().unwrap();
    assert_eq!(right.stdout, b"1 keys\n");
    chown(daemon.keys().join("www.pem"), Some(65533), Some(65534)).unwrap();
    let said = failure(daemon.command().arg("--check"));
    assert!(said.contains("www.pem: belongs to user 65533, not to the daemon's or root"), "{said}");
    // What runs as root reads no keys of others.
    chown(daemon.keys().join("www.pem"), Some(65534), Some(65534)).unwrap();
    let said = failure(&mut daemon.command());
    assert!(said.contains("www.pem: belongs to user 65534"), "{said}");
}

#[test]
fn keys_and_policies_are_read_again_all_or_none() {
    let daemon = Daemon::started("");
    let client = daemon.client();
    let second = Rsa::generate(1024).unwrap();
    daemon.put("second.pem", &second.private_key_to_pem().unwrap(), 0o600);
    daemon.signal(Signal::HUP);
    wait_until("reading again", || daemon.log().contains("2 keys, read again"));
    client.call(garner_remote::message::KeyName::Named("second"), SIGN).unwrap();
    fs::write(daemon.configuration(), "[key.www]\noperations = []\n[key.gone]\n").unwrap();
    daemon.signal(Signal::HUP);
    wait_until("refusing", || daemon.log().contains("there is no key \"gone\""));
    sign(&client, www(), key().public());
    fs::write(daemon.configuration(), "[key.www]\noperations = []").unwrap();
    daemon.signal(Signal::HUP);
    wait_until("reading again", || daemon.log().matches("2 keys, read again").count() == 2);
    assert!(matches!(client.call(www(), SIGN), Err(Error::Refused(Refusal::Forbidden(_)))));
}

#[test]
fn a_second_daemon_is_refused_and_a_dead_ones_socket_is_taken() {
    let mut daemon = Daemon::started("");
    assert!(failure(&mut daemon.command()).contains("another garnerd runs there"));
    sign(&daemon.client(), www(), key().public());
    daemon.kill();
    assert!(exists(&daemon.socket()));
    daemon.start();
    sign(&daemon.client(), www(), key().public());
}

/// As systemd hands a socket over: as descriptor 3.
#[test]
fn a_socket_that_is_handed_over_is_used() {
    let daemon = Daemon::prepared("");
    let path = daemon.socket();
    let script = "import os, socket, sys\n\
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.bind(sys.argv[1]); s.listen()\n\
        os.dup2(s.fileno(), 3); os.set_inheritable(3, True)\n\
        os.environ |= {'LISTEN_FDS': '1', 'LISTEN_PID': str(os.getpid())}\n\
        os.execv(sys.argv[2], sys.argv[2:])";
    let given = daemon.command();
    let mut process = Command::new("python3")
        .args(["-c", script])
        .arg(&path)
        .arg(given.get_program())
        .args(given.get_args())
        .spawn()
        .unwrap();
    wait_until("the socket", || exists(&path));
    sign(&daemon.client(), www(), key().public());
    assert!(!exists(&daemon.path("socket.lock")));
    process.kill().unwrap();
    process.wait().unwrap();
}

const SOCKET: &str = "GARNERD_TEST_SOCKET";

/// Not a test by itself: asks as another user, for those below.
#[test]
fn asks_as_somebody_else() {
    let Some(path) = std::env::var_os(SOCKET) else { return };
    let client = Client::new(path, Duration::from_secs(20));
    match client.call(www(), SIGN) {
        Ok(_) => println!("answer: signed"),
        Err(error) => println!("answer: {error}"),
    }
    let own = PrivateKey::from_der(&Rsa::generate(1024).unwrap().private_key_to_der().unwrap()).unwrap();
    // On one connection, a time for each line of the input.
    for line in std::io::stdin().lines() {
        line.unwrap();
        match client.operate(&[lender::Private { key: &own, input: &[1; 128] }]) {
            Ok(_) => println!("lending: done"),
            Err(error) => println!("lending: {error}"),
        }
    }
}

/// A place from where another user can ask.
struct Others {
    folder: tempfile::TempDir,
}

impl Others {
    /// Others cannot reach the program where it was built.
    fn new() -> Others {
        use std::os::unix::fs::PermissionsExt;
        let others = Others { folder: tempfile::tempdir().unwrap() };
        copy(&std::env::current_exe().unwrap(), &others.program());
        for path in [others.folder.path(), &others.program()] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        others
    }

    fn program(&self) -> PathBuf {
        self.folder.path().join("asks")
    }

    /// Starts `asks_as_somebody_else`.
    fn ask(&self, daemon: &Daemon) -> Child {
        let nobody = 65534;
        let mut command = Command::new(self.program());
        command.args(["--exact", "asks_as_somebody_else", "--nocapture"]).env(SOCKET, daemon.socket());
        command.uid(nobody).gid(nobody).current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
    }

    /// What it says, told once to go on.
    fn answer(&self, daemon: &Daemon) -> String {
        let mut process = self.ask(daemon);
        process.stdin.take().unwrap().write_all(b"\n").unwrap();
        String::from_utf8(process.wait_with_output().unwrap().stdout).unwrap()
    }
}

#[test]
fn keys_that_are_lent_are_forgotten_when_their_user_may_lend_no_more() {
    if !geteuid().is_root() {
        return left_out("only root can ask as somebody else");
    }
    let mut daemon = Daemon::prepared("");
    let metrics = daemon.path("metrics");
    let without = format!("metrics = [{metrics:?}]\n");
    fs::write(daemon.configuration(), format!("{without}[lend]\nusers = [65534]")).unwrap();
    daemon.start();
    let figure = |name: &str| {
        let figures: BTreeMap<_, _> = figures::read(&metrics).unwrap().into_iter().collect();
        figures[&format!("garnerd_{name}")]
    };
    let others = Others::new();
    let mut process = others.ask(&daemon);
    let mut said = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut lends = || {
        process.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        said.find(|line| line.starts_with("lending: ")).unwrap()
    };
    assert_eq!(lends(), "lending: done");
    assert_eq!((figure("keys_lent"), figure("connections")), (1.0, 1.0));
    fs::write(daemon.configuration(), without).unwrap();
    daemon.signal(Signal::HUP);
    wait_until("reading again", || daemon.log().contains("read again"));
    assert_eq!((figure("keys_lent"), figure("connections")), (0.0, 1.0));
    assert_eq!(lends(), "lending: garnerd: not permitted: to lend keys");
    assert_eq!(figure("keys_lent"), 0.0);
    drop(process.stdin.take());
    assert!(process.wait().unwrap().success());
}

#[test]
fn other_users_may_do_what_the_policy_says_and_else_there_is_no_key() {
    if !geteuid().is_root() {
        return left_out("only root can ask as somebody else");
    }
    let others = Others::new();
    let daemon = Daemon::started("");
    let said = others.answer(&daemon);
    assert!(said.contains("answer: garnerd: it has no such key, or you may not use it"), "{said}");
    assert!(said.contains("lending: garnerd: not permitted: to lend keys"), "{said}");
    let daemon = Daemon::started("[key.www]\nusers = [65534]\n[lend]\ngroups = [65534]");
    let said = others.answer(&daemon);
    assert!(said.contains("answer: signed") && said.contains("lending: done"), "{said}");
    let daemon = Daemon::started("[key.www]\ngroups = [65534]\npaddings = ['pss']");
    let said = others.answer(&daemon);
    assert!(said.contains("answer: garnerd: not permitted: padding pkcs1v15 with this key"), "{said}");
}

/// Also one whom only the group's list of members names, not the group of his process.
#[test]
fn members_of_a_group_may_do_what_the_group_may() {
    if !Command::new("unshare").args(["--mount", "true"]).status().is_ok_and(|status| status.success()) {
        return left_out("no /etc/group for the daemon alone: that takes root, and a mount namespace");
    }
    let mut daemon = Daemon::prepared("[key.www]\ngroups = ['garner-testers']");
    let list = daemon.path("group");
    fs::write(&list, fs::read_to_string("/etc/group").unwrap() + "garner-testers:x:54321:daemon,nobody\n").unwrap();
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", "mount --bind \"$0\" /etc/group && exec \"$@\""]).arg(&list);
    command.arg(env!("CARGO_BIN_EXE_garnerd")).args(daemon.command().get_args());
    daemon.start_as(&mut command);
    let said = Others::new().answer(&daemon);
    assert!(said.contains("answer: signed"), "{said}");
}

#[test]
fn raw_operations_need_to_be_named() {
    let daemon = Daemon::started("");
    let answer = daemon.client().call(www(), Work::Raw { input: &[1; 128] });
    assert!(matches!(answer, Err(Error::Refused(Refusal::Forbidden(_)))));
}

/// Others of the daemon's user do not look into its memory: what may not be dumped belongs to root.
#[test]
fn the_daemons_memory_is_closed_to_its_own_user() {
    let mut daemon = Daemon::prepared("");
    let program = daemon.path("garnerd");
    copy(Path::new(env!("CARGO_BIN_EXE_garnerd")), &program);
    let mut command = Command::new(&program);
    command.args(daemon.command().get_args());
    if geteuid().is_root() {
        for path in
            [daemon.folder.path().to_owned(), daemon.keys(), daemon.keys().join("www.pem"), daemon.configuration()]
        {
            chown(path, Some(65534), Some(65534)).unwrap();
        }
        command.uid(65534).gid(65534);
    }
    daemon.start_as(&mut command);
    let about = fs::metadata(format!("/proc/{}/mem", daemon.pid())).unwrap();
    assert_eq!(about.uid(), 0);
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    assert!(!status.contains("Uid:\t0"), "{status}");
}

/// What the unit lets a daemon that was taken over do, as systemd counts it: 0.4, where 10 is everything (docs/daemon.md).
#[test]
fn the_unit_is_right_and_leaves_little() {
    let units = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/systemd");
    let folder = tempfile::tempdir().unwrap();
    for unit in ["garnerd.service", "garnerd.socket", "garnerd-metrics.socket"] {
        let text = fs::read_to_string(format!("{units}/{unit}")).unwrap();
        let text = text.replace("/usr/local/bin/garnerd", env!("CARGO_BIN_EXE_garnerd"));
        fs::write(folder.path().join(unit), text).unwrap();
    }
    let analyse = |arguments: &[&str]| {
        let mut command = Command::new("systemd-analyze");
        command.args(arguments).arg(folder.path().join("garnerd.service")).current_dir(folder.path()).output()
    };
    let Ok(output) = analyse(&["security", "--offline=true", "--threshold=5"]) else {
        return left_out("there is no systemd-analyze");
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let output = analyse(&["verify", "--man=no"]).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("garnerd"), "{said}");
}

/// What a reader gets for these bytes.
fn asked(mut stream: impl Read + Write, request: &[u8]) -> String {
    stream.write_all(request).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn figures_are_given_to_whoever_asks_and_count_what_was_done() {
    let mut daemon = Daemon::prepared("");
    // A port that was free a moment ago.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let metrics = daemon.path("metrics");
    fs::write(daemon.configuration(), format!("metrics = [{metrics:?}, '{address}']")).unwrap();
    daemon.start();
    let client = daemon.client();
    for _ in 0..3 {
        sign(&client, www(), key().public());
    }
    assert!(client.call(KeyName::Named("other"), SIGN).is_err());
    let figures: BTreeMap<_, _> = figures::read(&metrics).unwrap().into_iter().collect();
    for (name, value) in [
        ("requests_answered_total", 3.0),
        ("requests_refused_total", 1.0),
        ("batch_requests_count", 3.0),
        ("batch_requests_sum", 3.0),
        ("connections", 1.0),
        ("keys", 1.0),
        ("faults_total", 0.0),
    ] {
        assert_eq!(figures[&format!("garnerd_{name}")], value, "{name}");
    }
    assert!(figures["garnerd_batch_time_seconds_total"] > 0.0);
    let get = b"GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: application/openmetrics-text\r\n\r\n";
    let page = asked(TcpStream::connect(address).unwrap(), get);
    assert!(page.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/openmetrics-text; version=1.0.0"), "{page}");
    assert!(page.ends_with("# EOF\n") && !page.contains("www"), "{page}");

    // A daemon that was killed leaves its path, and the next takes it.
    daemon.kill();
    daemon.start();
    assert!(figures::read(&metrics).is_ok());
}

#[test]
fn readers_that_misbehave_are_told_so_or_dropped_and_others_are_served() {
    let mut daemon = Daemon::prepared("");
    let metrics = daemon.path("metrics");
    fs::write(daemon.configuration(), format!("metrics = [{metrics:?}]")).unwrap();
    daemon.start();
    let stream = || UnixStream::connect(&metrics).unwrap();
    for (request, answer) in [
        (&b"GET / HTTP/1.0\r\n\r\n"[..], "HTTP/1.1 404 "),
        (b"POST /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 405 "),
        (b"\xff\xfe\r\n\r\n", "HTTP/1.1 400 "),
        (b"GET /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 200 "),
    ] {
        let said = asked(stream(), request);
        assert!(said.starts_with(answer), "{said}");
    }
    let silent: Vec<_> = (0..10).map(|_| stream()).collect();
    drop(stream());
    let mut endless = stream();
    // It may be gone in the midst of that.
    let _ = endless.write_all(&[b'x'; 100_000]);
    let start = Instant::now();
    assert!(figures::read(&metrics).is_ok());
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    drop(silent);
    let second = format!("metrics = [{metrics:?}]\nsocket = {:?}", daemon.path("second"));
    fs::write(daemon.path("second.toml"), second).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_garnerd"));
    command.arg("--config").arg(daemon.path("second.toml")).arg("--keys").arg(daemon.keys());
    assert!(failure(&mut command).contains("somebody answers there already"));
}

#[test]
fn the_daemon_and_its_workers_give_way_as_configured() {
    for (configuration, nice) in [("", 5), ("nice = 0", 0), ("nice = 19", 19)] {
        let daemon = Daemon::started(configuration);
        sign(&daemon.client(), www(), key().public());
        let tasks = fs::read_dir(format!("/proc/{}/task", daemon.pid())).unwrap();
        // The fields behind the name in parentheses, of which the first is the third of all; the niceness is the nineteenth.
        let niceness = tasks.map(|task| {
            let stat = fs::read_to_string(task.unwrap().path().join("stat")).unwrap();
            let fields = stat.rsplit_once(") ").unwrap().1;
            fields.split(' ').nth(19 - 3).unwrap().parse::<i32>().unwrap()
        });
        let niceness: Vec<i32> = niceness.collect();
        let wanted = nice.max(rustix::process::getpriority_process(None).unwrap());
        assert!(niceness.len() > 2 && niceness.iter().all(|of| *of == wanted), "{configuration}: {niceness:?}");
    }
}
