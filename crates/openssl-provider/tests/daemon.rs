// SPDX-License-Identifier: Apache-2.0
//! Unmodified programs and garnerd, a process of its own: it holds the key that a stub stands for, or is lent theirs.

mod support;

use garner::key::PublicKey;
use garner_remote::stub;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};
use support::{PATIENCE, Server, Site, build, built, ends, free_port, run, words};

/// The daemon's program, of the profile these tests have.
fn program() -> &'static PathBuf {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
        build(built(), &["--lib", "--examples", "--bin", "garnerd"]);
        built().join("garnerd")
    });
    &PROGRAM
}

/// A site whose `key.pem` is a stub, with the key it stands for in the folder `keys`, beside a certificate.
struct Held {
    site: Site,
    daemon: Option<Child>,
}

impl Held {
    fn new(policy: &str) -> Held {
        let held = Held::of(Site::new(), policy);
        let public = PublicKey::read(&held.site.read("public.pem"), None).unwrap();
        held.site.write("key.pem", stub::to_pem("www", &public).as_bytes());
        held
    }

    /// Where `key.pem` is the key itself, which programs lend to a daemon that has no keys.
    fn lending(policy: &str) -> Held {
        let held = Held::of(Site::with("device = garnerd"), policy);
        fs::rename(held.site.path("keys/www.pem"), held.site.path("key.pem")).unwrap();
        held
    }

    /// With a key in the folder `keys` beside a certificate.
    fn of(site: Site, policy: &str) -> Held {
        fs::create_dir(site.path("keys")).unwrap();
        let request = "req -x509 -newkey rsa:2048 -nodes -keyout keys/www.pem -out cert.pem -days 3 -subj /CN=localhost \
                       -addext subjectAltName=DNS:localhost,IP:127.0.0.1";
        run(site.plain("openssl").args(words(request)));
        run(site.plain("openssl").args(words("rsa -in keys/www.pem -pubout -out public.pem")));
        fs::set_permissions(site.path("keys/www.pem"), fs::Permissions::from_mode(0o600)).unwrap();
        site.write("garnerd.toml", policy.as_bytes());
        Held { site, daemon: None }
    }

    fn started(policy: &str) -> Held {
        let mut held = Held::new(policy);
        held.start();
        held
    }

    fn start(&mut self) {
        let mut command = Command::new(program());
        command.args(words("--socket socket --keys keys --config garnerd.toml")).current_dir(self.site.path("."));
        let log = fs::File::create(self.site.path("log")).unwrap();
        self.daemon = Some(command.stderr(log).spawn().unwrap());
        let start = Instant::now();
        while !self.log().contains("listening") {
            assert!(start.elapsed() < PATIENCE, "{}", self.log());
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn kill(&mut self) {
        if let Some(mut daemon) = self.daemon.take() {
            daemon.kill().unwrap();
            daemon.wait().unwrap();
        }
    }

    fn log(&self) -> String {
        String::from_utf8(self.site.read("log")).unwrap()
    }

    /// A program with Garner that finds the daemon.
    fn garner(&self, program: &str) -> Command {
        let mut command = self.site.garner(program);
        command.env("GARNER_SOCKET", self.site.path("socket"));
        command
    }

    fn openssl(&self, arguments: &str) -> &Held {
        run(self.garner("openssl").args(words(arguments)));
        self
    }

    fn plain(&self, arguments: &str) -> &Held {
        run(self.site.plain("openssl").args(words(arguments)));
        self
    }

    /// What OpenSSL says when it fails.
    fn fails(&self, command: &mut Command, arguments: &str) -> String {
        let output = ends(command.args(words(arguments)));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{arguments}: {said}");
        said
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.kill();
    }
}

const PSS: &str = "-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest";

#[test]
fn openssl_signs_and_decrypts_with_a_stub_what_plain_openssl_accepts() {
    let held = Held::started("");
    held.site.write("message", b"a message");
    held.openssl("dgst -sha256 -sign key.pem -out pkcs1.sig message");
    held.plain("dgst -sha256 -verify public.pem -signature pkcs1.sig message");
    held.openssl(&format!("dgst -sha384 {PSS} -sign key.pem -out pss.sig message"));
    held.plain(&format!("dgst -sha384 {PSS} -verify public.pem -signature pss.sig message"));
    // Without a digest's name, as TLS 1.1 signs.
    held.openssl("pkeyutl -sign -inkey key.pem -in message -out unnamed.sig");
    held.plain("pkeyutl -verify -pubin -inkey public.pem -in message -sigfile unnamed.sig");
    for padding in ["pkcs1", "oaep"] {
        let padding = format!("-pkeyopt rsa_padding_mode:{padding}");
        held.plain(&format!("pkeyutl -encrypt -pubin -inkey public.pem {padding} -in message -out secret"));
        held.openssl(&format!("pkeyutl -decrypt -inkey key.pem {padding} -in secret -out opened"));
        assert_eq!(held.site.read("opened"), b"a message");
    }
    held.openssl("req -new -key key.pem -subj /CN=renewed -out request.pem");
    held.plain("req -verify -noout -in request.pem");
    assert!(held.log().contains("key www: used by user"), "{}", held.log());
}

/// TLS 1.2 with RSA key exchange: the premaster secret is decrypted, and nothing signed.
#[test]
fn a_server_with_a_stub_takes_premaster_secrets_of_old_clients() {
    let held = Held::started("[key.www]\noperations = ['decrypt']");
    let port = free_port();
    let mut server = held.garner("openssl");
    server.args(words("s_server -quiet -tls1_2 -cipher AES128-GCM-SHA256 -cert cert.pem -key key.pem -port"));
    let server = Server::start(server.arg(port.to_string()).stdin(Stdio::null()), port);
    for _ in 0..3 {
        assert!(client(&held, port).wait().unwrap().success());
    }
    server.stop("TERM");
}

#[test]
fn what_the_daemon_refuses_fails_by_its_reason() {
    let held = Held::started("[key.www]\noperations = ['sign']\npaddings = ['pss']");
    held.site.write("message", b"a message");
    let said = held.fails(&mut held.garner("openssl"), "dgst -sha256 -sign key.pem -out pkcs1.sig message");
    assert!(said.contains("garnerd: not permitted: padding pkcs1v15 with this key"), "{said}");
    held.plain("pkeyutl -encrypt -pubin -inkey public.pem -in message -out secret");
    let said = held.fails(&mut held.garner("openssl"), "pkeyutl -decrypt -inkey key.pem -in secret");
    assert!(said.contains("garnerd: not permitted: to decrypt with this key"), "{said}");
    held.site.write("block", &[1; 256]);
    let raw = "pkeyutl -decrypt -pkeyopt rsa_padding_mode:none -inkey key.pem -in block";
    let said = held.fails(&mut held.garner("openssl"), raw);
    assert!(said.contains("garnerd: not permitted: operations without padding with this key"), "{said}");
}

#[test]
fn nobody_but_the_daemon_signs_for_a_stub() {
    let held = Held::new("");
    held.site.write("message", b"a message");
    let sign = "dgst -sha256 -sign key.pem -out message.sig message";
    let said = held.fails(held.garner("openssl").env("GARNER_PATIENCE", "0.1"), sign);
    assert!(said.contains("garnerd does not answer at"), "{said}");
    held.fails(&mut held.site.plain("openssl"), sign);
    assert!(!held.site.path("message.sig").exists() || held.site.read("message.sig").is_empty());
}

/// nginx reads the stub before the daemon runs, in a process that none of its workers is, and answers while the daemon is
/// killed and started again.
#[test]
fn nginx_answers_while_the_daemon_is_killed_and_started_again() {
    let mut held = Held::new("");
    nginx_answers(&mut held);
    assert!(held.log().contains("key www: used by user"), "{}", held.log());
}

#[test]
fn openssl_lends_its_key_and_signs_and_decrypts_what_plain_openssl_accepts() {
    let mut held = Held::lending("");
    held.site.write("message", b"a message");
    let sign = |held: &Held| {
        held.openssl(&format!("dgst -sha256 {PSS} -sign key.pem -out message.sig message"));
        held.plain(&format!("dgst -sha256 {PSS} -verify public.pem -signature message.sig message"));
    };
    sign(&held);
    held.start();
    assert!(!held.log().contains("lent by user"), "{}", held.log());
    sign(&held);
    held.plain("pkeyutl -encrypt -pubin -inkey public.pem -pkeyopt rsa_padding_mode:oaep -in message -out secret");
    held.openssl("pkeyutl -decrypt -inkey key.pem -pkeyopt rsa_padding_mode:oaep -in secret -out opened");
    assert_eq!(held.site.read("opened"), b"a message");
    assert_eq!(held.log().matches("lent by user").count(), 2, "{}", held.log());
}

/// The same workers as above, which have the key: nothing waits for the daemon.
#[test]
fn nginx_that_lends_its_key_answers_while_the_daemon_is_killed_and_started_again() {
    let mut held = Held::lending("");
    nginx_answers(&mut held);
    held.kill();
    held.start();
    assert!(!held.log().contains("used by user"), "{}", held.log());
}

/// nginx with four workers, begun before the daemon is: handshakes succeed while that is killed and started again.
fn nginx_answers(held: &mut Held) {
    let port = free_port();
    let configuration = format!(
        "daemon off; worker_processes 4; pid nginx.pid; error_log error.log; env OPENSSL_CONF; env OPENSSL_MODULES;\n\
         env GARNER_SOCKET; {user} events {{}}\n\
         http {{ access_log off; client_body_temp_path t; proxy_temp_path t; fastcgi_temp_path t; uwsgi_temp_path t;\n\
         scgi_temp_path t; server {{ listen 127.0.0.1:{port} ssl; ssl_certificate cert.pem; ssl_certificate_key key.pem;\n\
         return 200 done; }} }}",
        user = if rustix::process::geteuid().is_root() { "user root;" } else { "" },
    );
    held.site.write("nginx.conf", configuration.as_bytes());
    let mut nginx = held.garner("nginx");
    nginx.args(["-p", ".", "-c", "nginx.conf", "-e", "error.log"]).stderr(Stdio::null());
    let nginx = Server::start(&mut nginx, port);
    held.start();
    let start = Instant::now();
    for round in 0..40 {
        if round % 10 == 5 {
            held.kill();
            // In the background: the handshake below begins while nobody answers.
            let mut waiting = client(held, port);
            thread::sleep(Duration::from_millis(100));
            held.start();
            assert!(waiting.wait().unwrap().success());
        }
        assert!(client(held, port).wait().unwrap().success(), "round {round}");
        assert!(start.elapsed() < PATIENCE);
    }
    nginx.stop("TERM");
}

/// A handshake by OpenSSL without Garner.
fn client(held: &Held, port: u16) -> Child {
    let mut client = held.site.plain("openssl");
    client
        .args(words("s_client -CAfile cert.pem -verify_return_error -brief -connect"))
        .arg(format!("127.0.0.1:{port}"));
    client.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}
