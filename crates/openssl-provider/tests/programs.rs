// SPDX-License-Identifier: Apache-2.0
//! Unmodified servers and clients on loopback: Garner does their private operations, as its figures show, and programs without
//! it accept the results.

mod support;

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use support::{Server, Site, ends, free_port, run, with_certificate, words};

/// Writes a configuration that comes with Garner into the site, with other paths and ports: each of `changes` says what stands
/// there, and what shall.
#[track_caller]
fn sample(site: &Site, name: &str, changes: &[(&str, &str)]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/samples").join(name);
    let mut text = fs::read_to_string(path).unwrap();
    for (there, here) in changes {
        assert!(text.contains(there), "{name} has no {there:?} any more");
        text = text.replace(there, here);
    }
    site.write(name, text.as_bytes());
}

/// One handshake by a client without Garner, which checks the certificate and the handshake's signature.
#[track_caller]
fn client(site: &Site, port: u16, options: &str) -> String {
    let address = format!("127.0.0.1:{port}");
    let mut client = site.plain("openssl");
    client.args(["s_client", "-connect", &address, "-CAfile", "cert.pem", "-verify_return_error", "-brief"]);
    client.args(words(options));
    let output = ends(&mut client);
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success() && said.contains("Verification: OK"), "{client:?}: {said}");
    said
}

const KEY_EXCHANGE: &str = "-tls1_2 -cipher AES256-GCM-SHA384";
const HANDSHAKES: [&str; 4] = ["-tls1_3", "-tls1_2", "-tls1_2 -sigalgs RSA+SHA256", KEY_EXCHANGE];

#[test]
fn s_server_answers_plain_clients_with_and_without_jobs() {
    let site = with_certificate(Site::new());
    for options in ["", "-async"] {
        let port = free_port();
        let mut server = site.garner("openssl");
        let accept = format!("127.0.0.1:{port}");
        // One more than handshakes: the first connection is the look whether it listens.
        server.args(["s_server", "-accept", &accept, "-cert", "cert.pem", "-key", "key.pem", "-quiet", "-www"]);
        server.args(["-naccept", "5"]).args(words(options)).stdout(Stdio::null()).stderr(Stdio::null());
        let mut server = Server::start(&mut server, port);
        for handshake in HANDSHAKES {
            client(&site, port, handshake);
        }
        server.0.wait().unwrap();
        site.figures().private_at_least(4);
    }
}

#[test]
fn client_with_garner_signs_in_with_its_certificate() {
    let site = with_certificate(Site::new());
    let port = free_port();
    let mut server = site.plain("openssl");
    let accept = format!("127.0.0.1:{port}");
    server.args(["s_server", "-accept", &accept, "-cert", "cert.pem", "-key", "key.pem", "-quiet", "-www"]);
    server.args(["-Verify", "1", "-CAfile", "cert.pem", "-verify_return_error"]);
    let _server = Server::start(server.stdout(Stdio::null()).stderr(Stdio::null()), port);
    for version in ["-tls1_2", "-tls1_3"] {
        let mut client = site.garner("openssl");
        client.args(["s_client", "-connect", &accept, "-CAfile", "cert.pem", "-cert", "cert.pem", "-key", "key.pem"]);
        run(client.args(["-verify_return_error", "-brief", version]));
        site.figures().private_at_least(1);
    }
}

#[test]
fn lying_device_is_never_seen_by_a_tls_client() {
    if !support::accelerated() {
        return support::left_out("a device that lies: there are no kernels for this processor");
    }
    let site = with_certificate(Site::lying());
    let port = free_port();
    let mut server = site.garner("openssl");
    let accept = format!("127.0.0.1:{port}");
    server.args(["s_server", "-accept", &accept, "-cert", "cert.pem", "-key", "key.pem", "-quiet", "-www"]);
    server.args(["-naccept", "33"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut server = Server::start(&mut server, port);
    for _ in 0..8 {
        for handshake in HANDSHAKES {
            client(&site, port, handshake);
        }
    }
    server.0.wait().unwrap();
    let figures = site.figures();
    figures.private_at_least(32);
    assert!(figures.get("faults") >= 4, "it did not lie");
}

#[test]
fn nginx_workers_serve_plain_clients() {
    if !support::system_programs() {
        return;
    }
    let site = with_certificate(Site::new());
    let port = free_port();
    let folder = site.path("").display().to_string();
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let temporary = temporary.map(|kind| format!("{kind}_temp_path {folder}/{kind};")).join(" ");
    sample(
        &site,
        "nginx.conf",
        &[
            ("user www-data;", "user root; daemon off;"),
            ("worker_processes auto;", "worker_processes 2;"),
            ("/run/nginx.pid", &format!("{folder}/nginx.pid")),
            ("/var/log/nginx/error.log", &format!("{folder}/nginx.log")),
            ("http {", &format!("http {{ {temporary}")),
            ("listen 443", &format!("listen 127.0.0.1:{port}")),
            ("/etc/ssl/certs/example.pem", &format!("{folder}/cert.pem")),
            ("/etc/ssl/private/example.key", &format!("{folder}/key.pem")),
        ],
    );
    let mut nginx = site.garner("nginx");
    nginx.args(["-c", &format!("{folder}/nginx.conf"), "-e", &format!("{folder}/nginx.log")]).stderr(Stdio::null());
    let server = Server::start(&mut nginx, port);
    for _ in 0..3 {
        for handshake in HANDSHAKES {
            client(&site, port, handshake);
        }
    }
    server.stop("QUIT");
    site.figures().private_at_least(12);
}

#[test]
fn haproxy_with_ssl_mode_async_serves_plain_clients() {
    if !support::system_programs() {
        return;
    }
    let site = with_certificate(Site::new());
    let port = free_port();
    let both = site.path("both.pem").display().to_string();
    sample(
        &site,
        "haproxy.cfg",
        &[
            ("ssl-mode-async", "ssl-mode-async\n    nbthread 2"),
            ("bind :443", &format!("bind 127.0.0.1:{port}")),
            ("/etc/haproxy/example.pem", &both),
        ],
    );
    let mut haproxy = site.garner("haproxy");
    haproxy.args(["-db", "-f", "haproxy.cfg"]).stdout(Stdio::null()).stderr(Stdio::null());
    let server = Server::start(&mut haproxy, port);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| HANDSHAKES.map(|handshake| client(&site, port, handshake)));
        }
    });
    server.stop("USR1");
    site.figures().private_at_least(16);
}

#[test]
fn apache_serves_plain_clients() {
    if !support::system_programs() {
        return;
    }
    let site = with_certificate(Site::new());
    let port = free_port();
    let folder = site.path("").display().to_string();
    // Its children are another user's than root, and leave their figures here.
    fs::create_dir(site.path("figures")).unwrap();
    fs::set_permissions(site.path("figures"), fs::Permissions::from_mode(0o777)).unwrap();
    sample(
        &site,
        "apache.conf",
        &[
            ("/run/apache2/apache2.pid", &format!("{folder}/apache.pid")),
            ("/var/log/apache2/error.log", &format!("{folder}/apache.log")),
            ("/var/lock/apache2", &folder),
            ("Listen 443", &format!("Listen 127.0.0.1:{port}")),
            ("*:443", &format!("*:{port}")),
            ("/etc/ssl/certs/example.pem", &format!("{folder}/cert.pem")),
            ("/etc/ssl/private/example.key", &format!("{folder}/key.pem")),
            ("/var/www/html", &folder),
        ],
    );
    let mut apache = site.garner("apache2");
    apache.env("GARNER_SUMMARY", site.path("figures/summary"));
    apache.args(["-D", "FOREGROUND", "-f", &format!("{folder}/apache.conf")]).stderr(Stdio::null());
    let server = Server::start(&mut apache, port);
    for handshake in HANDSHAKES {
        client(&site, port, handshake);
    }
    server.stop("TERM");
    fs::rename(site.path("figures/summary"), site.path("summary")).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&site.read("apache.log")));
    });
    site.figures().private_at_least(4);
}

#[test]
fn bind_signs_a_zone_of_ten_thousand_names() {
    if !support::system_programs() {
        return;
    }
    let site = Site::new();
    let mut zone =
        "$TTL 3600\n@ IN SOA ns hostmaster 1 3600 600 86400 3600\n@ IN NS ns\nns IN A 127.0.0.1\n".to_owned();
    for name in 0..10_000 {
        writeln!(zone, "h{name} IN A 10.{}.{}.{}", name >> 16, name >> 8 & 255, name & 255).unwrap();
    }
    site.write("zone", zone.as_bytes());
    run(site.plain("dnssec-keygen").args(words("-q -a RSASHA256 -b 1024 example")));
    run(site.plain("dnssec-keygen").args(words("-q -a RSASHA256 -b 2048 -f KSK example")));
    run(site.garner("dnssec-signzone").args(words("-q -S -n 8 -o example -x zone")));
    // One signature for each address and one for each NSEC record.
    site.figures().private_at_least(20_000);
    run(site.plain("dnssec-verify").args(words("-q -o example zone.signed")));
    run(site.garner("dnssec-verify").args(words("-q -o example zone.signed")));
    assert!(site.figures().get("public-operations") >= 20_000);
}

#[test]
fn pythons_ssl_serves_and_its_plain_self_connects() {
    if !support::system_programs() {
        return;
    }
    let site = with_certificate(Site::new());
    let port = free_port();
    site.write(
        "server.py",
        b"import socket, ssl, sys, threading\n\
          c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)\n\
          c.load_cert_chain('cert.pem', 'key.pem')\n\
          s = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n\
          s.accept()[0].close()\n\
          def serve(raw):\n\
          \x20   with c.wrap_socket(raw, server_side=True) as t: t.sendall(b'fine')\n\
          for _ in range(8): threading.Thread(target=serve, args=(s.accept()[0],)).start()\n",
    );
    site.write(
        "client.py",
        b"import socket, ssl, sys\n\
          c = ssl.create_default_context(cafile='cert.pem')\n\
          for _ in range(8):\n\
          \x20   with c.wrap_socket(socket.create_connection(('localhost', int(sys.argv[1]))), server_hostname='localhost') as t:\n\
          \x20       assert t.recv(9) == b'fine'\n",
    );
    let number = port.to_string();
    let mut server = Server::start(site.garner("python3").args(["server.py", &number]), port);
    run(site.plain("python3").args(["client.py", &number]));
    assert!(server.0.wait().unwrap().success());
    site.figures().private_at_least(8);
}

#[test]
fn statistics_of_a_running_server_are_read_from_outside() {
    let site = with_certificate(Site::new());
    let port = free_port();
    let mut server = site.garner("openssl");
    let accept = format!("127.0.0.1:{port}");
    server.args(["s_server", "-accept", &accept, "-cert", "cert.pem", "-key", "key.pem", "-quiet", "-www"]);
    let server = Server::start(server.stdout(Stdio::null()).stderr(Stdio::null()), port);
    for handshakes in 1..=3 {
        client(&site, port, "-tls1_3");
        assert_eq!(garner::stats::read(server.0.id()).unwrap().private_operations, handshakes);
    }
}
