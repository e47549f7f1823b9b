//! What `make install` does with the modules, in a folder instead of the system.

mod support;

use std::path::Path;
use std::process::Command;
use support::{Site, built, run, words};

#[test]
fn one_line_in_openssls_own_configuration_accelerates_its_programs() {
    let site = Site::new();
    let mut cargo = Command::new(env!("CARGO"));
    let profile = if built().ends_with("debug") { "dev" } else { "release" };
    cargo.args(["build", "--quiet", "--package", "garner-openssl-engine", "--profile", profile, "--target-dir"]);
    run(cargo.arg(built().parent().unwrap()).current_dir(env!("CARGO_MANIFEST_DIR")));

    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openssl-common/install.sh");
    let mut install = site.plain(script.to_str().unwrap());
    let said = run(install
        .arg(built())
        .arg("/opt/garner")
        .arg(site.path("root"))
        .envs([("MODULES", "/mod"), ("ENGINES", "/eng")]));
    assert!(said.contains(".include /opt/garner/share/garner/openssl.cnf"), "{said}");
    let there = |file: &str| site.path("root").join(file).is_file();
    assert!(there("mod/garner.so") && there("opt/garner/share/garner/openssl.cnf"));
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
    if !support::accelerated() {
        text += "device = libcrypto\n";
    }
    site.write("openssl.cnf", text.as_bytes());
    let mut openssl = site.garner("openssl");
    openssl.env("OPENSSL_MODULES", site.path("root/mod"));
    run(openssl.args(words("req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -subj /CN=test")));
    site.figures().private_at_least(1);
}
