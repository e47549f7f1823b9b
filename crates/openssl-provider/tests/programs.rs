// SPDX-License-Identifier: Apache-2.0
//! Unmodified programs on loopback: Garner does their private operations, as its figures show, and programs without
//! it accept the results.

mod support;

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use support::{Server, Site, ends, free_port, run, words};

/// A key and a certificate for localhost, `key.pem` and `cert.pem`; together in `both.pem`. Made without Garner.
fn with_certificate(site: Site) -> Site {
    let request = "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 3 -subj /CN=localhost \
                   -addext subjectAltName=DNS:localhost,IP:127.0.0.1";
    run(site.plain("openssl").args(words(request)));
    site.write("both.pem", &[site.read("cert.pem"), site.read("key.pem")].concat());
    site
}

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
        return;
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
fn openssl_command_makes_what_a_plain_one_accepts() {
    let site = with_certificate(Site::new());
    site.write("message", b"a message\n");
    let (garner, plain) = (
        |line: &str| run(site.garner("openssl").args(words(line))),
        |line: &str| run(site.plain("openssl").args(words(line))),
    );
    let did = |private: u64| site.figures().private_at_least(private);
    garner("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out made.pem");
    assert_eq!(site.figures().get("keys-generated"), u64::from(true));
    plain("pkey -in made.pem -check -noout");
    garner("req -x509 -key made.pem -out ca.pem -subj /CN=ca -days 3 -addext basicConstraints=critical,CA:TRUE");
    did(1);
    garner("req -new -key key.pem -out leaf.csr -subj /CN=leaf");
    did(1);
    // OpenSSL 4 takes the whole configuration for extensions unless told where they are.
    site.write("extensions", b"basicConstraints = CA:FALSE\n");
    garner(
        "x509 -req -in leaf.csr -CA ca.pem -CAkey made.pem -CAcreateserial -extfile extensions -out leaf.pem -days 3",
    );
    did(1);
    plain("verify -CAfile ca.pem leaf.pem");
    garner("pkcs12 -export -in cert.pem -inkey key.pem -passout pass:word -out store.p12");
    garner("pkcs12 -in store.p12 -passin pass:word -nodes -nocerts -out from_store.pem");
    site.figures();
    garner("dgst -sha256 -sign from_store.pem -out signature message");
    did(1);
    plain("x509 -in cert.pem -noout -pubkey -out public.pem");
    plain("dgst -sha256 -verify public.pem -signature signature message");
    garner("cms -sign -in message -signer cert.pem -inkey key.pem -out signed.cms -outform DER -binary -nodetach");
    did(1);
    plain("cms -verify -in signed.cms -inform DER -CAfile cert.pem -binary -out verified -purpose any");
    plain("cms -encrypt -in message -outform DER -out sealed.cms -aes256 cert.pem");
    garner("cms -decrypt -in sealed.cms -inform DER -inkey key.pem -recip cert.pem -out opened");
    assert_eq!(site.read("opened").strip_suffix(b"\r\n"), site.read("message").strip_suffix(b"\n"));
    site.figures();
    garner("speed -seconds 1 rsa2048");
    did(1);
    garner("speed -seconds 1 -async_jobs 16 rsa2048");
    did(1);
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

#[test]
fn pkeyutl_signs_what_comes_without_a_digest_as_plain_openssl_does() {
    let site = with_certificate(Site::new());
    site.write("digest", &[0x55; 32]);
    site.write("both", &[0x55; 36]);
    site.write("short", &[0x55; 20]);
    run(site.plain("openssl").args(words("x509 -in cert.pem -noout -pubkey -out public.pem")));
    for (options, input, ours) in [
        ("rsa_padding_mode:pkcs1", "both", true),
        ("rsa_padding_mode:pkcs1 -pkeyopt digest:md5-sha1", "both", true),
        ("rsa_padding_mode:pkcs1 -pkeyopt digest:sha256", "digest", true),
        ("rsa_padding_mode:pkcs1 -pkeyopt digest:ripemd160", "short", false),
        ("digest:sha256 -pkeyopt rsa_padding_mode:x931", "digest", false),
    ] {
        let line = format!("pkeyutl -sign -inkey key.pem -in {input} -pkeyopt {options} -out");
        run(site.garner("openssl").args(words(&format!("{line} ours"))));
        assert_eq!(site.figures().get("private-operations"), u64::from(ours), "{options}");
        run(site.plain("openssl").args(words(&format!("{line} theirs"))));
        assert_eq!(site.read("ours"), site.read("theirs"), "{options}");
        let verified = format!("-pubin -inkey public.pem -pkeyopt {options}");
        for mut openssl in [site.garner("openssl"), site.plain("openssl")] {
            run(openssl.args(words(&format!("pkeyutl -verifyrecover {verified} -in ours -out recovered"))));
            assert_eq!(site.read("recovered"), site.read(input), "{options}");
        }
        let verify = format!("pkeyutl -verify {verified} -in {input} -sigfile ours");
        let theirs = ends(site.plain("openssl").args(words(&verify))).status.success();
        assert_eq!(ends(site.garner("openssl").args(words(&verify))).status.success(), theirs, "{options}");
        site.figures();
    }
}

#[test]
fn what_the_default_provider_refuses_is_refused() {
    let site = with_certificate(Site::new());
    site.write("message", b"a message\n");
    site.write("digest", &[0x55; 32]);
    site.write("block", &[0xff; 256]);
    run(site.plain("openssl").args(words(
        "genpkey -algorithm RSA-PSS -pkeyopt rsa_pss_keygen_md:sha256 -pkeyopt \
        rsa_pss_keygen_mgf1_md:sha256 -pkeyopt rsa_pss_keygen_saltlen:32 -out restricted.pem",
    )));
    for line in [
        "dgst -sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:223 -sign key.pem -out signature message",
        "dgst -sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:31 -sign restricted.pem -out signature message",
        "dgst -sha384 -sign restricted.pem -out signature message",
        "dgst -shake128 -sign key.pem -out signature message",
        "pkeyutl -sign -inkey key.pem -in digest -pkeyopt rsa_padding_mode:none -out signature",
        "pkeyutl -sign -inkey key.pem -in block -pkeyopt rsa_padding_mode:none -out signature",
        "pkeyutl -sign -inkey key.pem -in digest -pkeyopt digest:sha384 -out signature",
        "pkeyutl -encrypt -inkey key.pem -in block -out sealed",
        "pkeyutl -decrypt -inkey key.pem -in block -pkeyopt rsa_padding_mode:oaep -out opened",
        "pkeyutl -decrypt -inkey key.pem -in block -out opened",
    ] {
        for mut openssl in [site.plain("openssl"), site.garner("openssl")] {
            let output = ends(openssl.args(words(line)));
            assert!(output.status.code().is_some_and(|code| code != 0), "{line}: {}", output.status);
            assert!(!output.stderr.is_empty(), "{line}: without a word");
        }
    }
}

#[test]
fn digests_of_the_legacy_provider_are_there_if_the_program_has_it() {
    let site = with_certificate(Site::new());
    let said = run(site.plain("openssl").args(["version", "-m"]));
    let legacy = std::path::Path::new(said.split('"').nth(1).unwrap()).join("legacy.so");
    if !legacy.exists() {
        return eprintln!("left out: there is no {}", legacy.display());
    }
    std::os::unix::fs::symlink(legacy, site.path("modules/legacy.so")).unwrap();
    site.write("message", b"a message\n");
    site.write("digest", &[0x55; 16]);
    run(site.plain("openssl").args(words("x509 -in cert.pem -noout -pubkey -out public.pem")));

    // The module alone is no permission.
    let sign = "pkeyutl -sign -inkey key.pem -in digest -pkeyopt digest:md4 -out";
    for mut openssl in [site.plain("openssl"), site.garner("openssl")] {
        let output = ends(openssl.args(words(&format!("{sign} signature"))));
        assert!(!output.status.success());
    }

    // Behind Garner in the configuration, which cannot know of it when it is loaded.
    let text = String::from_utf8(site.read("openssl.cnf")).unwrap();
    let text = text.replace("garner = garner_provider\n", "garner = garner_provider\nlegacy = legacy_provider\n");
    site.write("openssl.cnf", format!("{text}\n[legacy_provider]\nactivate = 1\n").as_bytes());
    let garner = |line: &str| run(site.garner("openssl").args(words(line)));
    let plain = |line: &str| {
        let (command, rest) = line.split_once(' ').unwrap();
        let line = format!("{command} -provider default -provider legacy {rest}");
        run(site.plain("openssl").args(words(&line)))
    };
    plain(&format!("{sign} theirs"));
    garner(&format!("{sign} ours"));
    assert_eq!(site.read("ours"), site.read("theirs"));
    plain("dgst -md4 -sign key.pem -out theirs message");
    garner("dgst -md4 -sign key.pem -out ours message");
    assert_eq!(site.read("ours"), site.read("theirs"));
    garner("dgst -md4 -prverify key.pem -signature ours message");
    garner("dgst -md4 -verify public.pem -signature ours message");
    let oaep = "-pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:whirlpool";
    garner(&format!("pkeyutl -encrypt -pubin -inkey public.pem -in message -out sealed {oaep}"));
    garner(&format!("pkeyutl -decrypt -inkey key.pem -in sealed -out opened {oaep}"));
    assert_eq!(site.read("opened"), site.read("message"));
    plain(&format!("pkeyutl -decrypt -inkey key.pem -in sealed -out opened {oaep}"));
    assert_eq!(site.read("opened"), site.read("message"));
    // Signed and decrypted by OpenSSL: what comes after is still Garner's.
    assert_eq!(site.figures().get("private-operations"), 0);
    garner("dgst -sha256 -sign key.pem -out ours message");
    site.figures().private_at_least(1);
}

#[test]
fn padding_and_digest_matrix_gives_what_plain_openssl_gives() {
    let site = with_certificate(Site::new());
    site.write("message", b"a message\n");
    run(site.plain("openssl").args(words("x509 -in cert.pem -noout -pubkey -out public.pem")));
    let by = |command: &mut Command, line: &str| run(command.args(words(line)));
    for (digest, ours) in [
        ("sha1", false),
        ("sha224", true),
        ("sha256", true),
        ("sha384", true),
        ("sha512", true),
        ("sha512-224", true),
        ("sha512-256", true),
        ("sha3-224", true),
        ("sha3-256", true),
        ("sha3-384", true),
        ("sha3-512", true),
        ("md5", false),
        ("ripemd160", false),
    ] {
        let line = format!("dgst -{digest} -sign key.pem -out");
        by(&mut site.garner("openssl"), &format!("{line} ours message"));
        assert_eq!(site.figures().get("private-operations"), u64::from(ours), "{digest}");
        by(&mut site.plain("openssl"), &format!("{line} theirs message"));
        assert_eq!(site.read("ours"), site.read("theirs"), "{digest}: PKCS#1 v1.5 is deterministic");
        let line = format!("dgst -{digest} -verify public.pem -signature ours message");
        by(&mut site.garner("openssl"), &line);
        site.figures();
    }
    for (salt, mask) in [("-1", "sha256"), ("-2", "sha1"), ("-3", "sha512"), ("0", "sha256"), ("20", "sha3-256")] {
        let pss = format!("-sigopt rsa_padding_mode:pss -sigopt rsa_mgf1_md:{mask} -sigopt rsa_pss_saltlen");
        by(&mut site.garner("openssl"), &format!("dgst -sha256 {pss}:{salt} -sign key.pem -out pss message"));
        site.figures().private_at_least(1);
        let verify = format!("dgst -sha256 {pss}:{salt} -verify public.pem -signature pss message");
        by(&mut site.plain("openssl"), &verify);
        by(&mut site.garner("openssl"), &verify);
        site.figures();
    }
    for (options, ours) in [
        ("rsa_padding_mode:pkcs1", true),
        ("rsa_padding_mode:oaep", true),
        (
            "rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha512 -pkeyopt rsa_mgf1_md:sha1 -pkeyopt rsa_oaep_label:4142",
            true,
        ),
        ("rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:ripemd160", false),
    ] {
        let encrypt = format!("pkeyutl -encrypt -pubin -inkey public.pem -in message -out sealed -pkeyopt {options}");
        let decrypt = format!("pkeyutl -decrypt -inkey key.pem -in sealed -out opened -pkeyopt {options}");
        for (encrypts, decrypts) in [(true, false), (false, true)] {
            let by_who = |garner: bool| if garner { site.garner("openssl") } else { site.plain("openssl") };
            by(&mut by_who(encrypts), &encrypt);
            by(&mut by_who(decrypts), &decrypt);
            assert_eq!(site.read("opened"), site.read("message"), "{options}");
        }
        assert_eq!(site.figures().get("private-operations"), u64::from(ours), "{options}");
    }
    for (made, ours) in [
        ("genpkey -algorithm RSA-PSS", true),
        (
            "genpkey -algorithm RSA-PSS -pkeyopt rsa_pss_keygen_md:sha384 -pkeyopt rsa_pss_keygen_mgf1_md:sha384 -pkeyopt rsa_pss_keygen_saltlen:48",
            false,
        ),
        ("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024", false),
        ("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2049", false),
        ("genpkey -algorithm RSA -pkeyopt rsa_keygen_primes:3", false),
        ("genpkey -algorithm RSA -pkeyopt rsa_keygen_pubexp:3", false),
        ("genpkey -algorithm RSA -pkeyopt rsa_keygen_pubexp:65539", true),
    ] {
        by(&mut site.garner("openssl"), &format!("{made} -out generated.pem"));
        assert_eq!(site.figures().get("keys-generated"), u64::from(ours), "{made}");
        by(&mut site.garner("openssl"), "dgst -sha384 -sign generated.pem -out signature message");
        by(&mut site.plain("openssl"), "pkey -in generated.pem -pubout -out generated.pub");
        by(&mut site.plain("openssl"), "dgst -sha384 -verify generated.pub -signature signature message");
        by(&mut site.garner("openssl"), "dgst -sha384 -verify generated.pub -signature signature message");
        site.figures();
    }
}

/// In a folder that is open to all, others may have put something in the summary's place.
#[test]
fn summary_waits_at_no_pipe_and_goes_through_no_link() {
    let site = Site::new();
    run(site.plain("openssl").args(words("genrsa -out key.pem 2048")));
    let victim = site.write("victim", b"as it was");
    assert!(Command::new("mkfifo").arg(site.path("pipe")).status().unwrap().success());
    std::os::unix::fs::symlink(&victim, site.path("link")).unwrap();
    std::os::unix::fs::symlink(site.path("nothing"), site.path("dangling")).unwrap();
    fs::hard_link(&victim, site.path("second")).unwrap();
    for name in ["pipe", "link", "dangling", "second", "good"] {
        let mut sign = site.garner("timeout");
        sign.env("GARNER_SUMMARY", site.path(name))
            .args(words("10 openssl dgst -sha256 -sign key.pem -out signature key.pem"));
        run(&mut sign);
    }
    assert_eq!(site.read("victim"), b"as it was");
    assert!(!site.path("nothing").exists());
    assert!(String::from_utf8(site.read("good")).unwrap().starts_with("garner: pid="));
}
