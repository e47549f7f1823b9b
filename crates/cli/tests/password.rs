// SPDX-License-Identifier: Apache-2.0
//! Passwords typed on a terminal: asked for, not shown, asked for twice where a new file is to open with them.

mod common;

use common::folder::Folder;
use common::terminal::on_terminal;

#[test]
fn a_password_is_asked_for_and_never_shown() {
    let folder = Folder::new("password-read");
    folder.write("m", "message");
    folder.openssl_good("genpkey -algorithm RSA -aes-256-cbc -pass pass:swordfish -out key.pem");
    let sign = |out: &str| folder.garner(&format!("sign --key key.pem m --out {out}"));
    let (good, shown) = on_terminal(sign("s"), &["swordfish"]);
    assert!(good && shown.contains("Password of key.pem: ") && !shown.contains("swordfish"), "{shown}");
    folder.openssl_good("dgst -sha256 -prverify key.pem -passin pass:swordfish -signature s m");
    let (good, shown) = on_terminal(sign("t"), &["marlin"]);
    assert!(!good && shown.contains("key.pem: ") && shown.contains("wrong password"), "{shown}");
    assert!(!shown.contains("marlin") && !folder.exists("t"));
}

#[test]
fn a_new_password_is_asked_for_twice() {
    let folder = Folder::new("password-write");
    let keygen = || folder.garner("keygen --cipher aes-256-cbc --iterations 1000 --out key.pem");
    let (good, shown) = on_terminal(keygen(), &["swordfish", "swordfist"]);
    assert!(!good && shown.contains("the two passwords differ"), "{shown}");
    assert!(!folder.exists("key.pem"));
    let (good, shown) = on_terminal(keygen(), &["", ""]);
    assert!(!good && shown.contains("the password is empty"), "{shown}");
    let (good, shown) = on_terminal(keygen(), &["swordfish", "swordfish"]);
    assert!(good && shown.contains("New password for key.pem: ") && !shown.contains("swordfish"), "{shown}");
    folder.openssl_good("rsa -in key.pem -passin pass:swordfish -check -noout");
}

#[test]
fn binary_results_are_kept_from_the_terminal() {
    let folder = Folder::new("password-binary");
    folder.write("m", "message");
    folder.good("keygen --out key.pem");
    let (good, shown) = on_terminal(folder.garner("sign --key key.pem m"), &[]);
    assert!(!good && shown.contains("--out"), "{shown}");
    let (good, shown) = on_terminal(folder.garner("sign --key key.pem --encoding hex m"), &[]);
    assert!(good && shown.trim().len() == 512, "{shown}");
}

#[test]
fn progress_shows_rate_and_time_left_on_a_terminal_and_what_it_came_to() {
    let folder = Folder::new("password-progress");
    folder.good("keygen --out key.pem");
    folder.write("digests", "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n".repeat(8_000));
    let (good, shown) = on_terminal(folder.garner("bulk --key key.pem digests --out s"), &[]);
    assert!(good, "{shown}");
    for text in [" signed  ", "/s", "left)", " %", "8 000 signed; ", "per second"] {
        assert!(shown.contains(text), "{text} is not in: {shown}");
    }
    // What an earlier run signed is verified, and counts neither as signed nor for the rate.
    folder.write("t.partial", &folder.read("s")[..7_900 * 513]);
    let (good, shown) = on_terminal(folder.garner("bulk --key key.pem digests --out t"), &[]);
    assert!(good && folder.read("t") == folder.read("s"), "{shown}");
    for text in [" signed, 7 900 there before  ", "100 signed, 7 900 there before and verified; "] {
        assert!(shown.contains(text), "{text} is not in: {shown}");
    }
    assert!(!shown.contains("8 000 signed"), "{shown}");
}
