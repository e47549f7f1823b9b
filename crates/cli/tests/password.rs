// SPDX-License-Identifier: Apache-2.0
//! Passwords typed on a terminal: asked for, not shown, asked for twice where a new file is to open with them.

mod common;

use common::folder::Folder;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;

/// Runs a command with a terminal of its own, and types each answer once it has been asked for something. What was shown,
/// and whether it went well.
fn on_terminal(mut command: Command, answers: &[&str]) -> (bool, String) {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap().into_string().unwrap();
    let terminal = OpenOptions::new().read(true).write(true).open(&name).unwrap();
    command.stdin(Stdio::from(terminal.try_clone().unwrap())).stdout(Stdio::from(terminal.try_clone().unwrap()));
    command.stderr(Stdio::from(terminal));
    // SAFETY: both are system calls, without locks or memory.
    unsafe {
        command.pre_exec(|| {
            rustix::process::setsid()?;
            rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
            Ok(())
        });
    }
    let mut child = command.spawn().unwrap();
    // The terminal ends when nobody holds it any more: not even this command's description of it.
    drop(command);
    let mut controller = File::from(controller);
    let (mut shown, mut buffer, mut answers) = (Vec::new(), [0; 1024], answers.iter());
    loop {
        match controller.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => shown.extend_from_slice(&buffer[..length]),
            // EIO: the other side is closed.
            Err(error) if error.kind() != ErrorKind::Interrupted => break,
            Err(_) => continue,
        }
        if shown.ends_with(b": ")
            && let Some(answer) = answers.next()
        {
            // A moment after the question the terminal stops showing what is typed. Nobody types faster than that.
            while tcgetattr(&controller).unwrap().local_modes.contains(LocalModes::ECHO) {
                thread::yield_now();
            }
            writeln!(controller, "{answer}").unwrap();
        }
    }
    (child.wait().unwrap().success(), String::from_utf8_lossy(&shown).into_owned())
}

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
    for text in ["signatures  ", "/s", "left)", " %", "8 000 signatures; ", "per second"] {
        assert!(shown.contains(text), "{text} is not in: {shown}");
    }
}
