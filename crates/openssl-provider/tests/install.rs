// SPDX-License-Identifier: Apache-2.0
//! What `make install` does with the modules, in a folder instead of the system.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Site, build, built, run, words};

/// A script of the repository.
fn script(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

#[test]
fn one_line_in_openssls_own_configuration_accelerates_its_programs() {
    let site = Site::new();
    let install = |from: &Path| {
        let mut install = site.plain(script("crates/openssl-common/install.sh").to_str().unwrap());
        install.arg(from).arg("/opt/garner").arg(site.path("root"));
        run(install.envs([("MODULES", "/mod"), ("ENGINES", "/eng")]))
    };
    let said = install(built());
    assert!(said.contains(".include /opt/garner/share/garner/openssl.cnf"), "{said}");
    let there = |file: &str| site.path("root").join(file).is_file();
    assert!(there("mod/garner.so") && there("opt/garner/share/garner/openssl.cnf"));
    let examples = "opt/garner/share/doc/garner/examples";
    for name in ["nginx.conf", "haproxy.cfg", "apache.conf", "systemd.conf"] {
        let sample = String::from_utf8(site.read(&format!("root/{examples}/{name}"))).unwrap();
        assert!(!sample.contains("/usr/share/garner"), "{name} names a folder that is not there");
    }
    let drop_in = String::from_utf8(site.read(&format!("root/{examples}/systemd.conf"))).unwrap();
    assert!(drop_in.contains("\nEnvironment=OPENSSL_CONF=/opt/garner/share/garner/openssl.cnf\n"), "{drop_in}");
    // OpenSSL 4 has no engines, and gets none.
    let engines = openssl::version::number() >> 28 == 3;
    assert_eq!((there("eng/garner.so"), there("opt/garner/share/garner/openssl-engine.cnf")), (engines, engines));
    if engines {
        let engine = String::from_utf8(site.read("root/opt/garner/share/garner/openssl-engine.cnf")).unwrap();
        assert!(engine.contains("dynamic_path = /eng/garner.so\n"), "{engine}");
    }

    // Debian's openssl.cnf, with that line at its end.
    let folder = run(site.plain("openssl").args(words("version -d")));
    let folder = folder.split('"').nth(1).unwrap();
    let mut text = std::fs::read_to_string(format!("{folder}/openssl.cnf")).unwrap();
    text += &format!("\n.include {}\n", site.path("root/opt/garner/share/garner/openssl.cnf").display());
    text += support::offering();
    text.push('\n');
    site.write("openssl.cnf", text.as_bytes());
    let mut openssl = site.garner("openssl");
    openssl.env("OPENSSL_MODULES", site.path("root/mod"));
    run(openssl.args(words("req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -subj /CN=test")));
    site.figures().private_at_least(1);

    let said = install(Path::new("--remove"));
    assert!(said.contains("/opt/garner/share/garner/openssl.cnf, take that line out"), "{said}");
    assert!(!there("mod/garner.so") && !there("eng/garner.so"));
    assert!(
        !site.path("root/opt/garner/share/garner").exists() && !site.path("root/opt/garner/share/doc/garner").exists()
    );
}

#[test]
fn nothing_is_installed_or_removed_at_a_guess_where_no_openssl_says_where() {
    let site = Site::new();
    let script = script("crates/openssl-common/install.sh");
    std::fs::create_dir(site.path("bin")).unwrap();
    for program in ["sh", "sed", "dirname", "rm", "rmdir", "install", "strip", "cat"] {
        let there = run(site.plain("sh").args(["-c", &format!("command -v {program}")]));
        std::os::unix::fs::symlink(there.trim(), site.path("bin").join(program)).unwrap();
    }
    std::fs::create_dir(site.path("root")).unwrap();
    site.write("root/garner.so", b"somebody's");
    for first in [built(), Path::new("--remove")] {
        let mut install = site.plain(script.to_str().unwrap());
        install.arg(first).arg("/opt/garner").arg(site.path("root")).env("PATH", site.path("bin"));
        let output = install.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("name the folder in MODULES"), "{said}");
        assert_eq!(site.read("root/garner.so"), b"somebody's");
        assert_eq!(site.path("root").read_dir().unwrap().count(), 1);
    }
}

#[test]
fn package_holds_command_libraries_and_modules_that_work_where_it_is_unpacked() {
    let site = Site::new();
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        return support::left_out("there is no dpkg-deb");
    }
    build(built(), &["--lib", "--examples", "--bin", "garner"]);
    // Whoever builds it may keep his files to himself.
    let packaging = format!("umask 077 && {} \"$@\"", script("packaging/deb.sh").display());
    run(site.plain("sh").args(["-c", &packaging, "sh"]).arg(built()).arg(site.path("not/there/yet")));
    let package = run(site.plain("sh").args(["-c", "echo not/there/yet/garner_*.deb"]));
    let depends = run(site.plain("dpkg-deb").args(["--field", package.trim(), "Depends"]));
    let unpackaged = std::env::var_os("GARNER_TEST_OPENSSL").is_some(); // built from source by the matrix
    assert!(depends.contains("libc6") && (unpackaged || depends.contains("libssl")), "{depends}");
    run(site.plain("dpkg-deb").args(["--raw-extract", package.trim(), "root"]));
    let version = env!("CARGO_PKG_VERSION");
    let (soname, library) =
        (format!("lib/libgarner.so.{}", env!("CARGO_PKG_VERSION_MAJOR")), format!("lib/libgarner.so.{version}"));
    let runtime = ["bin/garner", &soname, &library, "share/garner/openssl.cnf", "share/doc/garner/examples/nginx.conf"];
    let development = [
        "include/garner.h",
        "include/garner_keys.h",
        "include/garner_aes_board.h",
        "lib/libgarner.a",
        "lib/libgarner.so",
        "lib/pkgconfig/garner.pc",
    ];
    for file in runtime {
        assert!(site.path("root/usr").join(file).exists(), "{file}");
    }
    for file in development {
        assert!(!site.path("root/usr").join(file).is_symlink() && !site.path("root/usr").join(file).exists(), "{file}");
    }
    development_package(&site, package.trim(), &runtime, &development);
    for file in ["man/man1/garner-bulk.1.gz", "bash-completion/completions/garner", "zsh/site-functions/_garner"] {
        assert!(site.path("root/usr/share").join(file).exists(), "{file}");
    }
    for page in ["openssl", "daemon", "security", "performance", "gpu", "board", "linux"] {
        let text = String::from_utf8(site.read(&format!("root/usr/share/doc/garner/{page}.md"))).unwrap();
        let without_code: String = text.split('`').step_by(2).collect();
        for link in without_code.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            let there = link.is_empty()
                || link.starts_with("http")
                || site.path("root/usr/share/doc/garner").join(link).exists();
            assert!(there, "{page}.md links {link}");
        }
        assert!(text.len() > 1000 && (page != "board" || text.contains("vfio-msix[0](")), "{page}");
    }
    scripts(&site);

    let garner = site.path("root/usr/bin/garner");
    let said = run(site.plain(garner.to_str().unwrap()).arg("--version"));
    assert!(said.contains(env!("CARGO_PKG_VERSION")), "{said}");

    // The folder that OpenSSL itself names, below the package's root.
    let modules = run(site.plain("openssl").args(words("version -m")));
    let modules = modules.split('"').nth(1).unwrap().trim_start_matches('/');
    let mut text = site.read("root/usr/share/garner/openssl.cnf");
    text.extend_from_slice(support::offering().as_bytes());
    text.push(b'\n');
    site.write("openssl.cnf", &text);
    let mut openssl = site.garner("openssl");
    openssl.env("OPENSSL_MODULES", site.path("root").join(modules));
    let request = "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -subj /CN=test -config /dev/null";
    run(openssl.args(words(request)));
    site.figures().private_at_least(1);
}

/// What dpkg runs makes the daemon's user, and says how OpenSSL's programs are accelerated; files are for everybody to read.
fn scripts(site: &Site) {
    std::fs::create_dir(site.path("bin")).unwrap();
    for program in ["systemd-sysusers", "systemctl"] {
        site.write(&format!("bin/{program}"), format!("#!/bin/sh\necho {program} \"$@\" >>calls\n").as_bytes());
    }
    run(site.plain("chmod").args(["755", "bin/systemd-sysusers", "bin/systemctl"]));
    let script = |name: &str, what: &str| {
        let command = format!("PATH=$PWD/bin:$PATH sh root/DEBIAN/{name} {what}");
        run(site.plain("sh").args(["-c", &command]))
    };
    let hint = script("postinst", "configure");
    assert!(hint.contains("\n                         .include /usr/share/garner/openssl.cnf\n"), "{hint}");
    assert!(hint.ends_with("openssl-engine.cnf\n") || hint.ends_with("to be without it.\n"), "{hint}");
    let booted = Path::new("/run/systemd/system").is_dir();
    let calls = || String::from_utf8(site.read("calls")).unwrap();
    assert!(calls().starts_with("systemd-sysusers garnerd.conf\n"), "{}", calls());
    assert!(!calls().contains("try-restart"), "nothing ran before the first installation");
    script("postinst", "configure 0.0.1");
    assert_eq!(calls().contains("systemctl try-restart garnerd.service"), booted, "{}", calls());
    for (name, what, stops) in [("prerm", "upgrade 0.2", false), ("prerm", "remove", true), ("postrm", "remove", true)]
    {
        script(name, what);
        let stopped = calls().contains("systemctl disable --now garnerd.service garnerd.socket");
        assert_eq!(stopped, stops && booted, "{name} {what}: {}", calls());
    }
    let closed = "find root/usr ! -type l ! -perm -o=r -print; find root/usr -type d ! -perm -o=x -print";
    assert_eq!(run(site.plain("sh").args(["-c", closed])), "");
}

/// The package for C programs has what the runtime has not, and with both a program is built and runs.
fn development_package(site: &Site, runtime: &str, theirs: &[&str], ours: &[&str]) {
    let package = runtime.replace("/garner_", "/libgarner-dev_");
    let listed = run(site.plain("dpkg-deb").args(["--contents", &package]));
    let has = |file: &&str| listed.lines().any(|line| line.contains(&format!(" ./usr/{file}")));
    assert!(ours.iter().all(has) && !theirs.iter().any(has), "{listed}");
    let depends = run(site.plain("dpkg-deb").args(["--field", &package, "Depends"]));
    assert!(depends.starts_with(&format!("garner (= {})", env!("CARGO_PKG_VERSION"))), "{depends}");

    run(site.plain("dpkg-deb").args(["--extract", &package, "root"]));
    let flags = "pkg-config --define-variable=prefix=$PWD/root/usr --cflags --libs garner";
    let source = script("crates/capi/examples/sign.c");
    let compile = format!("cc -o sign {} $(PKG_CONFIG_PATH=root/usr/lib/pkgconfig {flags})", source.display());
    run(site.plain("sh").args(["-c", &compile]));
    // The runtime alone has what the program needs then.
    std::fs::remove_file(site.path("root/usr/lib/libgarner.so")).unwrap();
    let linked = run(site.plain("ldd").arg(site.path("sign")).env("LD_LIBRARY_PATH", site.path("root/usr/lib")));
    assert!(linked.contains(&format!("root/usr/{}", theirs[1])), "{linked}");
}
