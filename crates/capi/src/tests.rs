// SPDX-License-Identifier: Apache-2.0
//! Calls with whatever comes: they never crash, never panic, and write only where they may.

use crate::batch::garner_run;
use crate::call::{call, garner_last_error};
use crate::context::{garner_free, garner_new};
use crate::encryption::*;
use crate::handles::{self, GarnerContext, GarnerModulus, GarnerPrivateKey, GarnerPublicKey};
use crate::keys::*;
use crate::operation::{GarnerOperation, HASHES, kind, salt};
use crate::pss::*;
use crate::single::*;
use crate::status::Status;
use crate::ticket::*;
use crate::write::*;
use core_garner::key::Cipher;
use core_garner::padding::Hash;
use openssl::rsa::Rsa;
use proptest::prelude::*;
use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::{Arc, LazyLock};

const HEADERS: [&str; 2] = [include_str!("../include/garner.h"), include_str!("../include/garner_keys.h")];

/// A key of 1,024 bits in PEM.
static PEM: LazyLock<Vec<u8>> = LazyLock::new(|| Rsa::generate(1024).unwrap().private_key_to_pem().unwrap());

fn last_error() -> String {
    // SAFETY: never NULL, valid until the next failing call of this thread.
    unsafe { CStr::from_ptr(garner_last_error()) }.to_str().unwrap().to_owned()
}

fn in_header(constant: &str, value: c_int) -> bool {
    let line = format!("    {constant} = {value}");
    HEADERS
        .iter()
        .flat_map(|header| header.lines())
        .any(|text| text.strip_prefix(&line).is_some_and(|rest| !rest.starts_with(char::is_numeric)))
}

#[test]
fn header_has_the_statuses_hashes_and_kinds_of_the_source() {
    for status in Status::ALL {
        let name: String = format!("{status:?}")
            .char_indices()
            .flat_map(|(i, c)| {
                [if i > 0 && c.is_uppercase() { "_" } else { "" }.to_owned(), c.to_uppercase().to_string()]
            })
            .collect();
        let prefix = if (status as c_int) < 0 { "GARNER_ERR_" } else { "GARNER_" };
        assert!(in_header(&format!("{prefix}{name}"), status as c_int), "{status:?}");
    }
    for (hash, number) in HASHES.into_iter().zip(1..) {
        let name = hash.name().replace("SHA-", "SHA").replace(['-', '/'], "_");
        assert!(in_header(&format!("GARNER_{name}"), number), "{}", hash.name());
    }
    assert!(Hash::ALL.iter().all(|hash| HASHES.contains(hash)));
    let kinds = [
        ("PRIVATE", kind::PRIVATE),
        ("PUBLIC", kind::PUBLIC),
        ("MOD_EXP", kind::MOD_EXP),
        ("SIGN", kind::SIGN),
        ("SIGN_DIGEST", kind::SIGN_DIGEST),
        ("VERIFY", kind::VERIFY),
        ("VERIFY_DIGEST", kind::VERIFY_DIGEST),
        ("SIGN_PSS", kind::SIGN_PSS),
        ("SIGN_DIGEST_PSS", kind::SIGN_DIGEST_PSS),
        ("VERIFY_PSS", kind::VERIFY_PSS),
        ("VERIFY_DIGEST_PSS", kind::VERIFY_DIGEST_PSS),
        ("ENCRYPT_OAEP", kind::ENCRYPT_OAEP),
        ("DECRYPT_OAEP", kind::DECRYPT_OAEP),
        ("ENCRYPT_PKCS1", kind::ENCRYPT_PKCS1),
        ("DECRYPT_PKCS1", kind::DECRYPT_PKCS1),
        ("DECRYPT_PKCS1_EXPLICIT", kind::DECRYPT_PKCS1_EXPLICIT),
        ("SALT_DIGEST", salt::DIGEST),
        ("SALT_NONE", salt::NONE),
        ("SALT_LONGEST", salt::LONGEST),
        ("SALT_ANY", salt::ANY),
        ("PEM", format::PEM),
        ("DER", format::DER),
        ("PKCS1_PEM", format::PKCS1_PEM),
        ("PKCS1_DER", format::PKCS1_DER),
        ("AES_128_CBC", 1),
        ("AES_192_CBC", 2),
        ("AES_256_CBC", 3),
    ];
    assert_eq!(CIPHERS, [Cipher::Aes128Cbc, Cipher::Aes192Cbc, Cipher::Aes256Cbc]);
    for (name, number) in kinds {
        assert!(in_header(&format!("GARNER_{name}"), number), "{name}");
    }
}

#[test]
fn panic_becomes_an_error_of_its_call() {
    assert_eq!(call(|| panic!("on purpose, with a \0 in it")), Status::Internal as c_int);
    assert_eq!(last_error(), "a defect of the library: on purpose, with a  in it");
    assert_eq!(call(|| Ok(Status::Ok)), 0);
}

#[test]
fn errors_of_one_thread_stay_with_it() {
    garner_modulus_free(ptr::without_provenance_mut(1));
    assert_eq!(last_error(), "modulus: not a live handle of that kind");
    std::thread::spawn(|| assert_eq!(last_error(), "")).join().unwrap();
}

#[test]
fn handle_freed_by_one_thread_stays_whole_for_another() {
    let key: *mut GarnerPrivateKey = read_key();
    let held = handles::get(key.cast_const()).unwrap();
    assert_eq!(garner_private_key_free(key), 0);
    assert_eq!(held.public().bits(), 1024);
    assert_eq!(Arc::strong_count(&held), 1);
}

fn read_key() -> *mut GarnerPrivateKey {
    let mut key = ptr::null_mut();
    // SAFETY: pointers into live values with their lengths.
    let status = unsafe { garner_private_key_read(PEM.as_ptr().cast(), PEM.len(), ptr::null(), 0, &mut key) };
    assert_eq!(status, 0, "{}", last_error());
    key
}

/// Operands out of one buffer, output into it too.
#[derive(Debug, Clone)]
struct Operands {
    input: (usize, usize),
    second: (usize, usize),
    output: (usize, usize),
    null: [bool; 4],
}

/// One call: which function, on which handles, with what.
#[derive(Debug, Clone)]
struct Call {
    function: u8,
    gatherer: u8,
    handle: u8,
    number: c_int,
    kinds: [c_int; 4],
    operands: Operands,
}

const BUFFER: usize = 1200;

/// Functions that [`run`] chooses from.
const FUNCTIONS: u8 = 36;

fn span() -> impl Strategy<Value = (usize, usize)> {
    let length = prop_oneof![Just(0usize), Just(1), Just(20), Just(32), Just(127), Just(128), Just(129), 0..BUFFER];
    (0..BUFFER, length).prop_map(|(start, length)| (start, length.min(BUFFER - start)))
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let null = || prop::bool::weighted(0.05);
    let operands = (span(), span(), span(), [null(), null(), null(), null()])
        .prop_map(|(input, second, output, null)| Operands { input, second, output, null });
    let number = prop_oneof![4 => Just(3), 1 => -2..20, 1 => any::<c_int>()];
    let kind = || prop_oneof![9 => 0..18, 1 => any::<c_int>()];
    let call = (any::<u8>(), any::<u8>(), any::<u8>(), number, [kind(), kind(), kind(), kind()], operands);
    let call = call.prop_map(|(function, gatherer, handle, number, kinds, operands)| Call {
        function,
        gatherer,
        handle,
        number,
        kinds,
        operands,
    });
    prop::collection::vec(call, 1..40)
}

/// Every handle there ever was, live or not, and things that never were.
struct Handles(Vec<*mut c_void>);

impl Handles {
    fn pick<T>(&self, choice: u8) -> *mut T {
        match choice {
            0..4 => ptr::null_mut(),
            4 => ptr::without_provenance_mut(0x676e << 48),
            5 => ptr::without_provenance_mut(usize::MAX),
            6 => ptr::without_provenance_mut(1),
            _ => self.0[usize::from(choice) % self.0.len()].cast(),
        }
    }
}

/// Runs one call; gives the handle it made, if it made one, and its status.
fn run(one: &Call, handles: &mut Handles, buffer: &mut [u8; BUFFER]) -> c_int {
    let Operands { input, second, output, null } = &one.operands;
    let base = buffer.as_mut_ptr();
    let at = |(start, _): (usize, usize), null: bool| if null { ptr::null_mut() } else { base.wrapping_add(start) };
    let (from, other, to) = (at(*input, null[0]), at(*second, null[1]), at(*output, null[2]));
    let (from, other, to): (*const c_void, *const c_void, *mut c_void) = (from.cast(), other.cast(), to.cast());
    let mut length = output.1;
    let length: *mut usize = if null[3] { ptr::null_mut() } else { &mut length };
    // Mostly the gatherer of the process.
    let gatherer: *mut GarnerContext = handles.pick(if one.gatherer < 200 { 0 } else { one.gatherer });
    let (h, n) = (one.handle, one.number);
    let private: *mut GarnerPrivateKey = handles.pick(h);
    let public: *mut GarnerPublicKey = handles.pick(h);
    let modulus: *mut GarnerModulus = handles.pick(h);
    let ticket: *mut GarnerTicket = handles.pick(h);
    let operation = |kind: c_int| GarnerOperation {
        size: size_of::<GarnerOperation>(),
        kind,
        hash: n,
        mgf1_hash: if h < 128 { 0 } else { n },
        salt_length: c_int::from(one.function) - 4,
        private_key: private,
        public_key: public,
        modulus,
        input: from,
        input_length: input.1,
        second: other,
        second_length: second.1,
        label: other,
        label_length: second.1,
        output: to,
        output_length: output.1,
        status: 0,
    };
    let mut fresh: *mut c_void = ptr::null_mut();
    let made: *mut *mut c_void = &mut fresh;
    let mut bits = 0;
    let mut descriptor = 0;
    // SAFETY: every pointer is NULL or into a live value of this function's or its caller's, with a length that fits;
    // the buffer is not used otherwise meanwhile. Handles need not be good.
    let status = unsafe {
        match one.function % FUNCTIONS {
            0 => garner_private_key_read(PEM.as_ptr().cast(), PEM.len(), other, second.1, made.cast()),
            1 => garner_private_key_read(from, input.1, other, second.1, made.cast()),
            2 => garner_public_key_read(PEM.as_ptr().cast(), PEM.len(), ptr::null(), 0, made.cast()),
            3 => garner_private_key_public(private, made.cast()),
            4 => garner_modulus_new(from, input.1, made.cast()),
            5 => garner_private_key_bits(private, &mut bits),
            6 => garner_modulus_bits(modulus, &mut bits),
            7 => garner_private_key_free(private),
            8 => garner_public_key_free(public),
            9 => garner_modulus_free(modulus),
            10 => garner_ticket_free(ticket),
            11 => garner_rsa_private(gatherer, private, from, input.1, to, length),
            12 => garner_rsa_public(gatherer, public, from, input.1, to, length),
            13 => garner_mod_exp(gatherer, modulus, from, input.1, other, second.1, to, length),
            14 => garner_sign(gatherer, private, n, from, input.1, to, length),
            15 => garner_sign_digest(gatherer, private, n, from, input.1, to, length),
            16 => garner_verify(gatherer, public, n, from, input.1, other, second.1),
            17 => garner_verify_digest(gatherer, public, n, from, input.1, other, second.1),
            18 => garner_run(gatherer, one.kinds.map(operation).as_mut_ptr(), one.kinds.len()),
            19 => garner_submit(gatherer, &operation(one.kinds[0]), made.cast()),
            20 => garner_ticket_fd(ticket, &mut descriptor),
            21 => garner_ticket_take(ticket, to, length),
            22 => garner_ticket_wait(ticket, to, length),
            23 => garner_sign_pss(gatherer, private, n, 0, n - 5, from, input.1, to, length),
            24 => garner_sign_digest_pss(gatherer, private, n, n, 0, from, input.1, to, length),
            25 => garner_verify_pss(gatherer, public, n, 0, -3, from, input.1, other, second.1),
            26 => garner_verify_digest_pss(gatherer, public, n, 2, 0, from, input.1, other, second.1),
            27 => garner_encrypt_oaep(gatherer, public, n, 0, other, second.1, from, input.1, to, length),
            28 => garner_decrypt_oaep(gatherer, private, n, 0, other, second.1, from, input.1, to, length),
            29 => garner_encrypt_pkcs1(gatherer, public, from, input.1, to, length),
            30 => garner_decrypt_pkcs1(gatherer, private, from, input.1, to, length),
            31 => garner_decrypt_pkcs1_explicit(gatherer, private, from, input.1, to, length),
            32 => garner_private_key_write(private, n, to, length),
            33 => garner_public_key_write(public, n, to, length),
            34 => garner_private_key_write_encrypted(private, n, n, 1, other, second.1, to, length),
            _ => match h {
                0..20 => garner_new(ptr::null(), made.cast()),
                _ => garner_free(handles.pick(h)),
            },
        }
    };
    if !fresh.is_null() {
        handles.0.push(fresh);
    }
    status
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_calls_in_any_order_get_a_status_and_stay_within_their_output(calls in calls(), seed: [u8; 32]) {
        let mut handles = Handles(vec![read_key().cast()]);
        let mut public: *mut GarnerPublicKey = ptr::null_mut();
        let mut modulus: *mut GarnerModulus = ptr::null_mut();
        // SAFETY: live values, and a length that is theirs.
        unsafe {
            prop_assert_eq!(garner_private_key_public(handles.pick(7), &mut public), 0);
            prop_assert_eq!(garner_modulus_new([1u8, 0, 1].as_ptr().cast(), 3, &mut modulus), 0);
        }
        handles.0.extend([public.cast(), modulus.cast()]);

        let mut buffer: [u8; BUFFER] = std::array::from_fn(|i| seed[i % 32].wrapping_mul(i as u8 | 1));
        for one in &calls {
            let before = buffer;
            let status = run(one, &mut handles, &mut buffer);
            prop_assert!(Status::ALL.iter().any(|known| *known as c_int == status), "{status}");
            prop_assert!(status != Status::Internal as c_int, "{:?}: {}", one, last_error());
            let (start, length) = one.operands.output;
            prop_assert_eq!(&before[..start], &buffer[..start]);
            prop_assert_eq!(&before[start + length..], &buffer[start + length..]);
            if status != 0 && one.function % FUNCTIONS != 18 {
                prop_assert_eq!(before, buffer, "written in spite of an error");
            }
        }
        for handle in handles.0 {
            garner_ticket_free(handle.cast());
            garner_private_key_free(handle.cast());
            garner_public_key_free(handle.cast());
            garner_modulus_free(handle.cast());
            if !handle.is_null() {
                garner_free(handle.cast());
            }
        }
    }
}
