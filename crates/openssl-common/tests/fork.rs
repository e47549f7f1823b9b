// SPDX-License-Identifier: Apache-2.0
//! fork(2) while another thread opens the service, or changes what it is opened with.

use garner_openssl_common::{Service, Settings};
use std::io::Read;
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

/// Runs `work` in a forked child; whether it returned true. A child that hangs is killed after `seconds`.
fn in_a_child(seconds: u32, work: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child uses only what the library promises to work after fork, and leaves by _exit.
    match unsafe { libc::fork() } {
        0 => {
            // SAFETY: plain system calls.
            unsafe {
                libc::alarm(seconds);
                libc::_exit(i32::from(!work()))
            }
        }
        child => {
            let mut status = -1;
            // SAFETY: waits for the child made above.
            assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
            status == 0
        }
    }
}

fn of(device: &str) -> Settings {
    let mut settings = Settings::default();
    settings.set("device", device).unwrap();
    settings
}

#[test]
fn a_fork_does_not_wait_for_a_board_that_is_silent() {
    let path = std::env::temp_dir().join(format!("garner-silent-{}", std::process::id()));
    let listener = UnixListener::bind(&path).unwrap();
    let (connected, came) = mpsc::channel();
    thread::spawn(move || listener.incoming().all(|stream| connected.send(stream.unwrap()).is_ok()));
    thread::scope(|scope| {
        let open = || Service::open(&of(&format!("vfio-user:{}", path.display())), "test").map(drop);
        let openers = [scope.spawn(open), scope.spawn(open)];
        let mut board = came.recv().unwrap();
        assert!(in_a_child(60, || Service::open(&of("libcrypto"), "test").is_ok()), "the child opens its own");
        // Whoever opens the board gives it up after a while, and closes the connection.
        board.set_nonblocking(true).unwrap();
        while let Ok(read) = board.read(&mut [0; 64]) {
            assert_ne!(read, 0, "the fork waited until opening had failed");
        }
        assert!(came.try_recv().is_err(), "the board is opened by one thread at a time");
        drop((board, came));
        for opener in openers {
            assert!(opener.join().unwrap().is_err());
        }
    });
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_child_forked_while_settings_are_changed_can_change_them() {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    of("cpu");
                }
            });
        }
        let good = (0..300).all(|_| in_a_child(20, || of("cpu") != Settings::default()));
        over.store(true, Ordering::Relaxed);
        assert!(good, "a lock was taken when the child was made");
    });
}
