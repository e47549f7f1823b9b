// SPDX-License-Identifier: Apache-2.0
//! Commands on a terminal of their own.

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;

/// Runs a command with a terminal of its own, and types each answer once it has been asked for something. What was shown,
/// and whether it went well.
pub fn on_terminal(mut command: Command, answers: &[&str]) -> (bool, String) {
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
