// SPDX-License-Identifier: Apache-2.0
//! A peer that is after the process that uses it: over a real socket, with the process's own descriptors.

use super::driver::Driver;
use super::fake::{self, Fake, Seen};
use super::format::{COMPLETION, Completion, DESCRIPTOR, status};
use super::interface::registers as register;
use super::ring::DEPTH;
use super::transport::Transport;
use super::vfio_user::VfioUser;
use super::{Direct, Job};
use bytemuck::bytes_of;
use garner::device::{DeviceError, Private};
use garner_vfio_user::Socket;
use garner_vfio_user::message::{DmaMap, Header, Info, RegionAccess, RegionInfo, Version, command, flags, parse, pci};
use rustix::fs::{OFlags, SealFlags, fcntl_add_seals, fcntl_setfl, ftruncate};
use rustix::io::{Errno, pwrite, write};
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// Far longer than anything here takes, but for what hangs.
const LONG: Duration = Duration::from_secs(60);

/// What a peer does besides what a board does.
struct Acts {
    /// With the memory, when it is mapped.
    mapped: Box<dyn FnMut(&OwnedFd) + Send>,
    /// With the event descriptor.
    armed: Box<dyn FnMut(&OwnedFd) + Send>,
    /// With the memory, at a doorbell, once the jobs there are done.
    told: Box<dyn FnMut(&OwnedFd) + Send>,
    /// What a register reads as, if not as the board's.
    register: fn(usize) -> Option<u32>,
}

impl Default for Acts {
    fn default() -> Acts {
        Acts { mapped: Box::new(|_| ()), armed: Box::new(|_| ()), told: Box::new(|_| ()), register: |_| None }
    }
}

/// A peer's socket; it serves one client.
fn peer(acts: Acts) -> (PathBuf, Arc<Seen>) {
    static PEERS: AtomicUsize = AtomicUsize::new(0);
    let number = PEERS.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("garner-hostile-{}-{number}", std::process::id()));
    let listener = UnixListener::bind(&path).unwrap();
    let (fake, seen) = Fake::new();
    let place = path.clone();
    thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        std::fs::remove_file(place).unwrap();
        serve(&Socket::new(stream), *fake, acts);
    });
    (path, seen)
}

fn serve(socket: &Socket, mut fake: Fake, mut acts: Acts) {
    let mut memory = None;
    while let Ok(mut message) = socket.receive() {
        let body = &message.body;
        let answer = match message.header.command {
            command::VERSION => bytes_of(&Version { major: 0, minor: 1 }).to_vec(),
            command::GET_INFO => bytes_of(&Info { flags: Info::PCI, ..Info::default() }).to_vec(),
            command::GET_REGION_INFO => bytes_of(&RegionInfo { size: 4096, ..RegionInfo::default() }).to_vec(),
            command::DMA_MAP => {
                let _: (DmaMap, _) = parse(body).unwrap();
                let file = message.descriptors.pop().unwrap();
                fake.attach(file.try_clone().unwrap());
                (acts.mapped)(&file);
                memory = Some(file);
                Vec::new()
            }
            command::SET_IRQS => {
                let event = message.descriptors.pop().unwrap();
                (acts.armed)(&event);
                fake.signal(event);
                Vec::new()
            }
            command::REGION_READ => {
                let (access, _): (RegionAccess, _) = parse(body).unwrap();
                let offset = access.offset as usize;
                let value = (acts.register)(offset).unwrap_or_else(|| fake.read(offset).unwrap());
                [bytes_of(&access), &value.to_le_bytes()].concat()
            }
            command::REGION_WRITE => {
                let (access, data): (RegionAccess, _) = parse(body).unwrap();
                if access.region == pci::BAR0 {
                    fake.write(access.offset as usize, u32::from_le_bytes(data.try_into().unwrap())).unwrap();
                    if access.offset as usize == register::SUBMISSION_TAIL {
                        (acts.told)(memory.as_ref().unwrap());
                    }
                }
                bytes_of(&access).to_vec()
            }
            command::RESET => fake.reset().map(|()| Vec::new()).unwrap(),
            _ => Vec::new(),
        };
        let header = Header { flags: flags::REPLY, ..message.header };
        if socket.send(header, &[&answer], &[]).is_err() {
            return;
        }
    }
}

/// What `work` gives, which is to end.
fn that_ends<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, wait) = mpsc::channel();
    thread::spawn(move || done.send(work()));
    wait.recv_timeout(LONG).expect("it hangs")
}

fn driver(path: &Path, patience: Duration) -> Driver {
    Driver::start(Box::new(VfioUser::open(path).unwrap()), Some(patience)).unwrap()
}

fn operate(driver: &Driver) -> Result<(), DeviceError> {
    let (key, base, mut result) = (fake::key(), [3; 8], [0; 8]);
    driver.private(&mut [Private { key: &key, base: &base, result: &mut result }])
}

/// Writes a completion, of the descriptor `index`, as it would be found first.
fn complete(memory: &OwnedFd, at: usize, index: u16) {
    let place = DEPTH * DESCRIPTOR + at * COMPLETION;
    let record = Completion { index, status: status::OK, cycles: 0 }.to_bytes(true);
    pwrite(memory, &record, place as u64).unwrap();
}

#[test]
fn a_peer_cannot_take_the_memory_away_under_the_process() {
    let (found, refused) = mpsc::channel();
    let mapped = move |file: &OwnedFd| {
        for size in [0, 1 << 30] {
            found.send(ftruncate(file, size)).unwrap();
        }
        found.send(fcntl_add_seals(file, SealFlags::FUTURE_WRITE)).unwrap();
    };
    let (path, _) = peer(Acts { mapped: Box::new(mapped), ..Acts::default() });
    that_ends(move || operate(&driver(&path, LONG))).unwrap();
    assert_eq!(refused.iter().take(3).collect::<Vec<_>>(), [Err(Errno::PERM); 3]);
}

#[test]
fn a_peer_that_makes_the_interrupt_block_does_not_hold_the_drivers_thread() {
    let armed = |event: &OwnedFd| fcntl_setfl(event, OFlags::empty()).unwrap();
    let (path, seen) = peer(Acts { armed: Box::new(armed), ..Acts::default() });
    let lost = that_ends(move || {
        let driver = driver(&path, Duration::from_millis(200));
        operate(&driver).unwrap();
        seen.hang.store(true, Ordering::SeqCst);
        let lost = operate(&driver);
        assert_eq!(driver.events().resets.load(Ordering::SeqCst), 1);
        operate(&driver).unwrap();
        lost
    });
    assert!(lost.is_err(), "patience ends");
}

#[test]
fn a_peer_that_answers_for_jobs_it_was_not_given_is_out_of_use_at_once_and_left_no_secrets() {
    // Of the next pass through the ring, of none that comes soon, and twice the same.
    for indices in [[DEPTH as u16; 2], [u16::MAX; 2], [0, 0]] {
        let told =
            move |memory: &OwnedFd| indices.iter().enumerate().for_each(|(i, &index)| complete(memory, i, index));
        let (give, memory) = mpsc::channel();
        let mapped = move |file: &OwnedFd| give.send(file.try_clone().unwrap()).unwrap();
        let (path, seen) = peer(Acts { mapped: Box::new(mapped), told: Box::new(told), ..Acts::default() });
        seen.deaf.store(true, Ordering::SeqCst);
        let reasons = that_ends(move || {
            let driver = driver(&path, 10 * LONG);
            let reasons = [operate(&driver), operate(&driver)].map(|failed| failed.unwrap_err().0);
            assert_eq!(seen.resets.load(Ordering::SeqCst), 2, "when it was opened, and to erase its keys");
            let mut left = Vec::new();
            File::from(memory.recv().unwrap()).read_to_end(&mut left).unwrap();
            assert!(!left.is_empty() && left.iter().all(|&byte| byte == 0), "nothing is left in the memory");
            reasons
        });
        for reason in reasons {
            assert!(reason.contains("was not under way"), "{reason}");
        }
    }
}

#[test]
fn a_peer_that_floods_completions_holds_nobody() {
    let flood = |memory: &OwnedFd| {
        let memory = memory.try_clone().unwrap();
        thread::spawn(move || {
            for round in 0u32.. {
                let flooding = Completion { index: u16::MAX, status: status::OK, cycles: 0 };
                let record = flooding.to_bytes(round % 2 == 1);
                if pwrite(&memory, &record.repeat(DEPTH), (DEPTH * DESCRIPTOR) as u64).is_err() {
                    return;
                }
            }
        });
    };
    let (path, _) = peer(Acts { mapped: Box::new(flood), ..Acts::default() });
    let reasons = that_ends(move || {
        let driver = driver(&path, 10 * LONG);
        let until_out_of_use = || loop {
            // Right ones may come first.
            if let Err(DeviceError(reason)) = operate(&driver) {
                return reason;
            }
        };
        thread::scope(|scope| {
            let callers: Vec<_> = (0..4).map(|_| scope.spawn(until_out_of_use)).collect();
            callers.into_iter().map(|caller| caller.join().unwrap()).collect::<Vec<_>>()
        })
    });
    for reason in reasons {
        assert!(reason.contains("was not under way"), "{reason}");
    }
}

#[test]
fn a_peer_that_floods_interrupts_holds_nobody() {
    let over = Arc::new(AtomicBool::new(false));
    let end = Arc::clone(&over);
    let flood = move |event: &OwnedFd| {
        let (event, end) = (event.try_clone().unwrap(), Arc::clone(&end));
        fcntl_setfl(&event, OFlags::NONBLOCK).unwrap();
        thread::spawn(move || {
            while !end.load(Ordering::SeqCst) {
                let _ = write(&event, &(u64::MAX / 2).to_ne_bytes());
            }
        });
    };
    let (path, _) = peer(Acts { armed: Box::new(flood), ..Acts::default() });
    that_ends(move || {
        let driver = driver(&path, LONG);
        thread::scope(|scope| {
            let callers: Vec<_> = (0..4).map(|_| scope.spawn(|| operate(&driver))).collect();
            callers.into_iter().for_each(|caller| caller.join().unwrap().unwrap());
        });
    });
    over.store(true, Ordering::SeqCst);
}

#[test]
fn a_peer_that_is_never_done_with_wiping_does_not_hold_whoever_closes_it() {
    static READ: AtomicUsize = AtomicUsize::new(0);
    // It says once, when it is opened, that it has nothing to erase.
    let register = |offset| {
        (offset == register::STATUS && READ.fetch_add(1, Ordering::SeqCst) > 0).then_some(register::STATUS_ZEROISING)
    };
    let (path, _) = peer(Acts { register, ..Acts::default() });
    that_ends(move || drop(driver(&path, LONG)));
}

#[test]
fn a_peer_of_any_capabilities_is_refused_or_can_be_used() {
    static DICE: AtomicUsize = AtomicUsize::new(1);
    let register = |offset| match offset {
        register::CAPABILITY_CORES | register::CAPABILITY_ARITHMETIC | register::CAPABILITY_MONTGOMERY => {
            // A multiplicative generator: dice, not randomness for secrets.
            Some((DICE.fetch_add(1, Ordering::SeqCst) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) as u32)
        }
        _ => None,
    };
    for _ in 0..40 {
        let (path, _) = peer(Acts { register, ..Acts::default() });
        that_ends(move || {
            let Ok(mut direct) = Direct::open(&format!("vfio-user:{}", path.display())) else { return };
            let (load, job) =
                (Job::LoadModulus { slot: 0, modulus: &[u64::MAX; 128] }, Job::Private { slot: 0, base: &[3; 8] });
            if [load, job].iter().any(|job| direct.submit(job).is_ok_and(|ticket| ticket.is_some())) {
                direct.ring_doorbell().unwrap();
                let _ = direct.poll(&mut [0; 1 << 10]);
            }
        });
    }
}
