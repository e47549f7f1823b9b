// SPDX-License-Identifier: Apache-2.0
//! bench/openssl.sh, as short as it gets: its data say where they come from.

mod support;

use std::path::Path;
use support::{Site, accelerated, build, built, run};

#[test]
fn data_of_programs_under_openssl_name_commit_machine_and_the_load_before() {
    if !support::system_programs() {
        return;
    }
    build(built(), &["--lib", "--examples", "--bin", "garner"]);
    let site = Site::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/openssl.sh");
    let mut benchmark = site.plain(script.to_str().unwrap());
    benchmark.arg("zone").env("MODULE", built().join("libgarner_provider.so")).env("RESULTS", site.path("results"));
    benchmark.envs([
        ("PROCESSOR", ""),
        ("ROUNDS", "1"),
        ("NAMES", "20"),
        ("DEVICE", if accelerated() { "auto" } else { "libcrypto" }),
    ]);
    run(&mut benchmark);
    let json = String::from_utf8(site.read("results/openssl-zone.json")).unwrap();
    for field in [
        "\"commit\":",
        "\"dirty\":",
        "\"load\":",
        "\"busy\":",
        "\"machine\":{\"cpu\":",
        "\"kernels\":",
        "\"rows\": [\n",
    ] {
        assert!(json.contains(field), "{field} is not in {json}");
    }
    // Whatever reads JSON takes it.
    run(site.plain("python3").args(["-m", "json.tool", "results/openssl-zone.json"]));
}
