// SPDX-License-Identifier: Apache-2.0
//! The module as the standard wants it, by its list of functions. One test a process: the module's state is the process's.

mod support;

use cryptoki_sys::*;
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sign::Verifier;
use std::ffi::c_void;
use std::process::Command;
use std::ptr::null_mut;
use std::time::Duration;
use std::{env, fs, thread};
use support::{Daemon, good, module};

/// Calls a function of the list.
macro_rules! call {
    ($list:expr, $function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: arguments as the standard demands them, or wrong in a way that it has an error for.
        unsafe { $list.$function.expect("every function is there")($($argument),*) }
    };
}

/// The list of the module, which is never unloaded.
fn functions() -> CK_FUNCTION_LIST {
    // SAFETY: the module's code runs when it is loaded: it has none that does.
    let module = Box::leak(Box::new(unsafe { Pkcs11::new(module()).unwrap() }));
    let mut list = null_mut();
    // SAFETY: room for a pointer; what it points to is the module's.
    unsafe {
        assert_eq!(module.C_GetFunctionList(&mut list), CKR_OK);
        *list
    }
}

fn session(list: &CK_FUNCTION_LIST) -> CK_SESSION_HANDLE {
    let mut session = 0;
    assert_eq!(call!(list, C_OpenSession(0, CKF_SERIAL_SESSION, null_mut(), None, &mut session)), CKR_OK);
    session
}

fn attribute(kind: CK_ATTRIBUTE_TYPE, value: &mut [u8]) -> CK_ATTRIBUTE {
    CK_ATTRIBUTE { type_: kind, pValue: value.as_mut_ptr().cast(), ulValueLen: value.len() as CK_ULONG }
}

/// The private object of that name.
fn find(list: &CK_FUNCTION_LIST, session: CK_SESSION_HANDLE, name: &str) -> CK_OBJECT_HANDLE {
    let (mut class, mut name) = (CKO_PRIVATE_KEY.to_ne_bytes(), name.as_bytes().to_vec());
    let mut template = [attribute(CKA_CLASS, &mut class), attribute(CKA_LABEL, &mut name)];
    assert_eq!(call!(list, C_FindObjectsInit(session, template.as_mut_ptr(), 2)), CKR_OK);
    let (mut objects, mut count) = ([0; 3], 0);
    assert_eq!(call!(list, C_FindObjects(session, objects.as_mut_ptr(), 3, &mut count)), CKR_OK);
    assert_eq!(count, 1);
    assert_eq!(call!(list, C_FindObjects(session, objects.as_mut_ptr(), 3, &mut count)), CKR_OK);
    assert_eq!(count, 0, "it was given");
    assert_eq!(call!(list, C_FindObjectsFinal(session)), CKR_OK);
    objects[0]
}

fn mechanism(kind: CK_MECHANISM_TYPE) -> CK_MECHANISM {
    CK_MECHANISM { mechanism: kind, pParameter: null_mut(), ulParameterLen: 0 }
}

/// Runs this test program again, with one of its tests alone, as a program that finds the daemon.
fn in_process(daemon: &Daemon, test: &str) {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "--ignored", "--nocapture", test]);
    command.env("GARNER_SOCKET", daemon.path("socket")).env("TEST_KEY", daemon.path("keys/www.pem"));
    command.env("TEST_DAEMON", daemon.pid().to_string());
    let said = good(&mut command).stdout;
    assert!(String::from_utf8_lossy(&said).contains("1 passed"), "there is no test {test}");
}

#[test]
fn a_program_keeps_to_the_standard() {
    in_process(&Daemon::new(), "states_handles_and_arguments_that_are_wrong_are_refused");
    in_process(&Daemon::new(), "threads_sign_in_sessions_of_their_own");
    in_process(&Daemon::new(), "a_child_initialises_anew");
    in_process(&Daemon::new(), "attributes_have_lengths_values_and_secrets");
    in_process(&Daemon::new(), "pieces_are_signed_together_or_not_at_all");
    in_process(&Daemon::new(), "parameters_that_do_not_fit_are_refused_before_anything_is_signed");
    in_process(&Daemon::new(), "numbers_of_any_length_are_raised_to_the_private_exponent");
    in_process(&Daemon::new(), "a_key_that_took_the_place_of_another_has_objects_of_its_own");
}

#[test]
#[ignore = "run by a_program_keeps_to_the_standard, in a process of its own"]
fn states_handles_and_arguments_that_are_wrong_are_refused() {
    let list = functions();
    let (mut count, mut handle) = (0, 0);
    assert_eq!(call!(list, C_GetSlotList(CK_TRUE, null_mut(), &mut count)), CKR_CRYPTOKI_NOT_INITIALIZED);
    assert_eq!(call!(list, C_Finalize(null_mut())), CKR_CRYPTOKI_NOT_INITIALIZED);
    assert_eq!(call!(list, C_Initialize(null_mut())), CKR_OK);
    assert_eq!(call!(list, C_Initialize(null_mut())), CKR_CRYPTOKI_ALREADY_INITIALIZED);
    assert_eq!(call!(list, C_GetSlotList(CK_TRUE, null_mut(), &mut count)), CKR_OK);
    assert_eq!(count, 1);
    assert_eq!(call!(list, C_GetSlotList(CK_TRUE, &mut handle, &mut 0)), CKR_BUFFER_TOO_SMALL);
    assert_eq!(call!(list, C_GetSlotList(CK_TRUE, null_mut(), null_mut())), CKR_ARGUMENTS_BAD);
    assert_eq!(call!(list, C_GetTokenInfo(1, null_mut())), CKR_SLOT_ID_INVALID);
    assert_eq!(call!(list, C_GetInfo(null_mut())), CKR_ARGUMENTS_BAD);
    assert_eq!(call!(list, C_OpenSession(0, 0, null_mut(), None, &mut handle)), CKR_SESSION_PARALLEL_NOT_SUPPORTED);
    assert_eq!(call!(list, C_FindObjectsInit(99, null_mut(), 0)), CKR_SESSION_HANDLE_INVALID);
    assert_eq!(call!(list, C_GenerateRandom(1, null_mut(), 0)), CKR_FUNCTION_NOT_SUPPORTED);
    assert_eq!(call!(list, C_Login(1, CKU_USER, null_mut(), 0)), CKR_FUNCTION_NOT_SUPPORTED);

    let open = session(&list);
    let key = find(&list, open, "www");
    let (mut data, mut signature, mut length) = (*b"data", [0; 256], 256);
    let mut sign =
        |length: &mut CK_ULONG| call!(list, C_Sign(open, data.as_mut_ptr(), 4, signature.as_mut_ptr(), length));
    assert_eq!(sign(&mut length), CKR_OPERATION_NOT_INITIALIZED);
    let init = |mechanism: &mut CK_MECHANISM, key| call!(list, C_SignInit(open, mechanism, key));
    assert_eq!(init(&mut mechanism(CKM_AES_CBC), key), CKR_MECHANISM_INVALID);
    assert_eq!(init(&mut mechanism(CKM_RSA_PKCS_PSS), key), CKR_MECHANISM_PARAM_INVALID);
    assert_eq!(init(&mut mechanism(CKM_RSA_PKCS), 0), CKR_KEY_HANDLE_INVALID);
    assert_eq!(init(&mut mechanism(CKM_RSA_PKCS), CK_ULONG::MAX), CKR_KEY_HANDLE_INVALID);
    assert_eq!(init(&mut mechanism(CKM_RSA_PKCS), key - 1), CKR_KEY_FUNCTION_NOT_PERMITTED, "a public key");
    assert_eq!(call!(list, C_SignInit(open, null_mut(), key)), CKR_ARGUMENTS_BAD);
    assert_eq!(init(&mut mechanism(CKM_RSA_PKCS), key), CKR_OK);
    assert_eq!(init(&mut mechanism(CKM_RSA_PKCS), key), CKR_OPERATION_ACTIVE);
    let mut short = 255;
    assert_eq!(sign(&mut short), CKR_BUFFER_TOO_SMALL);
    assert_eq!(short, 256);
    assert_eq!(sign(&mut length), CKR_OK, "it was still to be made");
    assert_eq!(sign(&mut length), CKR_OPERATION_NOT_INITIALIZED);
    assert_eq!(init(&mut mechanism(CKM_RSA_PKCS), key), CKR_OK);
    assert_eq!(call!(list, C_Sign(open, null_mut(), 0, null_mut(), null_mut())), CKR_ARGUMENTS_BAD);
    assert_eq!(sign(&mut length), CKR_OPERATION_NOT_INITIALIZED, "an error ends it");
    assert_eq!(call!(list, C_GetFunctionStatus(open)), CKR_FUNCTION_NOT_PARALLEL);

    let mut ciphertext = [1; 256];
    assert_eq!(call!(list, C_DecryptInit(open, &mut mechanism(CKM_RSA_PKCS), key)), CKR_OK);
    let short = call!(list, C_Decrypt(open, ciphertext.as_mut_ptr(), 255, signature.as_mut_ptr(), &mut length));
    assert_eq!(short, CKR_ENCRYPTED_DATA_LEN_RANGE);
    assert_eq!(call!(list, C_DecryptInit(open, &mut mechanism(CKM_RSA_X_509), key)), CKR_OK);
    let mut decrypt = |length: &mut CK_ULONG| {
        call!(list, C_Decrypt(open, ciphertext.as_mut_ptr(), 256, signature.as_mut_ptr(), length))
    };
    assert_eq!(decrypt(&mut length), CKR_KEY_FUNCTION_NOT_PERMITTED, "bare operations are in no policy");
    assert_eq!(decrypt(&mut length), CKR_OPERATION_NOT_INITIALIZED);
    assert_eq!(call!(list, C_CloseSession(open)), CKR_OK);
    assert_eq!(call!(list, C_CloseSession(open)), CKR_SESSION_HANDLE_INVALID);
    assert_eq!(call!(list, C_Finalize(null_mut())), CKR_OK);
}

/// Signs in a new session, and has OpenSSL verify that.
fn signed(list: &CK_FUNCTION_LIST, message: &str) {
    let session = session(list);
    let key = find(list, session, "www");
    let (mut signature, mut length) = ([0; 256], 256);
    assert_eq!(call!(list, C_SignInit(session, &mut mechanism(CKM_SHA256_RSA_PKCS), key)), CKR_OK);
    for piece in message.as_bytes().chunks(3) {
        let mut piece = piece.to_vec();
        assert_eq!(call!(list, C_SignUpdate(session, piece.as_mut_ptr(), piece.len() as CK_ULONG)), CKR_OK);
    }
    assert_eq!(call!(list, C_SignFinal(session, signature.as_mut_ptr(), &mut length)), CKR_OK);
    let pem = fs::read(env::var("TEST_KEY").unwrap()).unwrap();
    let key = PKey::private_key_from_pem(&pem).unwrap();
    let mut verifier = Verifier::new(MessageDigest::sha256(), &key).unwrap();
    assert!(verifier.verify_oneshot(&signature, message.as_bytes()).unwrap(), "{message}");
    assert_eq!(call!(list, C_CloseSession(session)), CKR_OK);
}

#[test]
#[ignore = "run by a_program_keeps_to_the_standard, in a process of its own"]
fn threads_sign_in_sessions_of_their_own() {
    let list = functions();
    let mut arguments = CK_C_INITIALIZE_ARGS {
        CreateMutex: None,
        DestroyMutex: None,
        LockMutex: None,
        UnlockMutex: None,
        flags: CKF_OS_LOCKING_OK,
        pReserved: null_mut(),
    };
    assert_eq!(call!(list, C_Initialize((&raw mut arguments).cast::<c_void>())), CKR_OK);
    thread::scope(|scope| {
        for thread in 0..16 {
            let list = &list;
            scope.spawn(move || (0..20).for_each(|i| signed(list, &format!("message {i} of thread {thread}"))));
        }
    });
    assert_eq!(call!(list, C_CloseAllSessions(0)), CKR_OK);
}

#[test]
#[ignore = "run by a_program_keeps_to_the_standard, in a process of its own"]
fn a_child_initialises_anew() {
    let list = functions();
    assert_eq!(call!(list, C_Initialize(null_mut())), CKR_OK);
    signed(&list, "the parent's");
    // SAFETY: the child uses what a child may: this program has no other thread that holds anything.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let mut count = 0;
        assert_eq!(call!(list, C_GetSlotList(CK_TRUE, null_mut(), &mut count)), CKR_CRYPTOKI_NOT_INITIALIZED);
        assert_eq!(call!(list, C_Initialize(null_mut())), CKR_OK);
        signed(&list, "the child's");
        // SAFETY: ends the child, without what its parent has registered for its own end.
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    // SAFETY: room for a status.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0);
    signed(&list, "the parent's, after its child's");
}

#[test]
#[ignore = "run by a_program_keeps_to_the_standard, in a process of its own"]
fn attributes_have_lengths_values_and_secrets() {
    let list = functions();
    assert_eq!(call!(list, C_Initialize(null_mut())), CKR_OK);
    let session = session(&list);
    let key = find(&list, session, "www");
    let get = |template: &mut [CK_ATTRIBUTE]| {
        call!(list, C_GetAttributeValue(session, key, template.as_mut_ptr(), template.len() as CK_ULONG))
    };
    let empty = |kind| CK_ATTRIBUTE { type_: kind, pValue: null_mut(), ulValueLen: 0 };
    let mut template = [empty(CKA_MODULUS), empty(CKA_PUBLIC_EXPONENT), empty(CKA_LABEL)];
    assert_eq!(get(&mut template), CKR_OK);
    assert_eq!(template.map(|attribute| attribute.ulValueLen), [256, 3, 3]);
    let (mut modulus, mut exponent, mut class) = ([0; 256], [0; 3], [0; 7]);
    let mut template = [attribute(CKA_MODULUS, &mut modulus), attribute(CKA_PUBLIC_EXPONENT, &mut exponent)];
    assert_eq!(get(&mut template), CKR_OK);
    let pem = fs::read(env::var("TEST_KEY").unwrap()).unwrap();
    let own = PKey::private_key_from_pem(&pem).unwrap().rsa().unwrap();
    assert_eq!((own.n().to_vec(), own.e().to_vec()), (modulus.to_vec(), exponent.to_vec()));

    let mut template = [attribute(CKA_CLASS, &mut class), empty(CKA_PRIVATE_EXPONENT), empty(CKA_KEY_TYPE)];
    assert!([CKR_BUFFER_TOO_SMALL, CKR_ATTRIBUTE_SENSITIVE].contains(&get(&mut template)));
    let lengths = template.map(|attribute| attribute.ulValueLen);
    assert_eq!(lengths, [CK_UNAVAILABLE_INFORMATION, CK_UNAVAILABLE_INFORMATION, 8], "each for itself");
    let mut template = [empty(CKA_PRIME_1)];
    assert_eq!(get(&mut template), CKR_ATTRIBUTE_SENSITIVE);
    let mut template = [empty(CKA_EC_POINT)];
    assert_eq!(get(&mut template), CKR_ATTRIBUTE_TYPE_INVALID);
}

#[test]
#[ignore = "run by a_program_keeps_to_the_standard, in a process of its own"]
fn pieces_are_signed_together_or_not_at_all() {
    let list = functions();
    assert_eq!(call!(list, C_Initialize(null_mut())), CKR_OK);
    let open = session(&list);
    let key = find(&list, open, "www");
    let (mut piece, mut signature, mut length) = ([7; 200], [0; 256], 256);
    assert_eq!(call!(list, C_SignInit(open, &mut mechanism(CKM_SHA256_RSA_PKCS), key)), CKR_OK);
    assert_eq!(call!(list, C_SignUpdate(open, piece.as_mut_ptr(), 200)), CKR_OK);
    let last = call!(list, C_Sign(open, piece.as_mut_ptr(), 200, signature.as_mut_ptr(), &mut length));
    assert_eq!(last, CKR_OPERATION_ACTIVE, "the pieces before would not be signed");
    assert_eq!(call!(list, C_SignInit(open, &mut mechanism(CKM_RSA_PKCS), key)), CKR_OK);
    assert_eq!(call!(list, C_SignUpdate(open, piece.as_mut_ptr(), 200)), CKR_OK);
    let more = call!(list, C_SignUpdate(open, piece.as_mut_ptr(), 200));
    assert_eq!(more, CKR_DATA_LEN_RANGE, "more than the modulus has room for is kept nowhere");
    assert_eq!(call!(list, C_SignFinal(open, signature.as_mut_ptr(), &mut length)), CKR_OPERATION_NOT_INITIALIZED);
}

#[test]
#[ignore = "run by a_program_keeps_to_the_standard, in a process of its own"]
fn parameters_that_do_not_fit_are_refused_before_anything_is_signed() {
    let list = functions();
    assert_eq!(call!(list, C_Initialize(null_mut())), CKR_OK);
    let open = session(&list);
    let key = find(&list, open, "mail");
    let init = |kind, hash, mgf, salt| {
        let mut parameters = CK_RSA_PKCS_PSS_PARAMS { hashAlg: hash, mgf, sLen: salt };
        let mut mechanism = CK_MECHANISM {
            mechanism: kind,
            pParameter: (&raw mut parameters).cast(),
            ulParameterLen: size_of::<CK_RSA_PKCS_PSS_PARAMS>() as CK_ULONG,
        };
        call!(list, C_SignInit(open, &mut mechanism, key))
    };
    for (kind, hash, mgf, salt) in [
        (CKM_SHA256_RSA_PKCS_PSS, CKM_SHA512, CKG_MGF1_SHA512, 32),
        (CKM_RSA_PKCS_PSS, CKM_SHA_1, CKG_MGF1_SHA1, 20),
        (CKM_RSA_PKCS_PSS, CKM_SHA256, CKG_MGF1_SHA256, 1_000),
        (CKM_RSA_PKCS_PSS, CKM_SHA256, CKG_MGF1_SHA256, CK_ULONG::MAX),
        (CKM_RSA_PKCS_PSS, CKM_SHA256, 99, 32),
    ] {
        assert_eq!(init(kind, hash, mgf, salt), CKR_MECHANISM_PARAM_INVALID, "{kind} {hash} {mgf} {salt}");
    }
    assert_eq!(init(CKM_SHA256_RSA_PKCS_PSS, CKM_SHA256, CKG_MGF1_SHA256, 32), CKR_OK);
}

#[test]
#[ignore = "run by a_program_keeps_to_the_standard, in a process of its own"]
fn numbers_of_any_length_are_raised_to_the_private_exponent() {
    let list = functions();
    assert_eq!(call!(list, C_Initialize(null_mut())), CKR_OK);
    let open = session(&list);
    let key = find(&list, open, "bare");
    let sign = |input: &[u8]| {
        let (mut input, mut result, mut length) = (input.to_vec(), [0; 256], 256);
        assert_eq!(call!(list, C_SignInit(open, &mut mechanism(CKM_RSA_X_509), key)), CKR_OK);
        let size = input.len() as CK_ULONG;
        let status = call!(list, C_Sign(open, input.as_mut_ptr(), size, result.as_mut_ptr(), &mut length));
        (status, result)
    };
    let short = sign(&[9; 100]);
    assert_eq!(short.0, CKR_OK);
    assert_eq!(sign(&[&[0; 156][..], &[9; 100]].concat()), short, "leading zeros change nothing");
    assert_eq!(sign(&[0xff; 256]).0, CKR_DATA_INVALID, "not below the modulus");
}

#[test]
#[ignore = "run by a_program_keeps_to_the_standard, in a process of its own"]
fn a_key_that_took_the_place_of_another_has_objects_of_its_own() {
    let list = functions();
    assert_eq!(call!(list, C_Initialize(null_mut())), CKR_OK);
    signed(&list, "before");
    let open = session(&list);
    let before = find(&list, open, "www");
    let path = env::var("TEST_KEY").unwrap();
    good(Command::new("openssl").args(["genrsa", "-out", &path, "2048"]));
    // SAFETY: a signal to the daemon, whose number the test was given.
    assert_eq!(unsafe { libc::kill(env::var("TEST_DAEMON").unwrap().parse().unwrap(), libc::SIGHUP) }, 0);
    while find(&list, open, "www") == before {
        thread::sleep(Duration::from_millis(10));
    }
    signed(&list, "after");
}
