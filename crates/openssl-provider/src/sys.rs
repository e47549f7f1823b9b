// SPDX-License-Identifier: Apache-2.0
//! The part of OpenSSL's `core.h` and `core_dispatch.h` that a provider of RSA speaks, declared by hand.
//!
//! These numbers and signatures are OpenSSL's stable interface to providers since 3.0; `tests/header.rs` has a C
//! compiler compare them with the headers installed.

#![allow(non_camel_case_types, missing_docs, reason = "names and meanings are OpenSSL's")]

use std::ffi::{c_char, c_int, c_ulong, c_void};

pub use openssl_sys::{EVP_MD, EVP_MD_CTX, OSSL_LIB_CTX, OSSL_PARAM, OSSL_PROVIDER};

/// One entry of a dispatch table; `id` 0 ends it.
#[repr(C)]
pub struct OSSL_DISPATCH {
    pub id: c_int,
    pub function: Option<unsafe extern "C" fn()>,
}
// SAFETY: never written to, and functions belong to no thread.
unsafe impl Sync for OSSL_DISPATCH {}

/// One algorithm of an operation; `names` null ends the list.
#[repr(C)]
pub struct OSSL_ALGORITHM {
    pub names: *const c_char,
    pub properties: *const c_char,
    pub implementation: *const OSSL_DISPATCH,
    pub description: *const c_char,
}
// SAFETY: never written to; everything it points to is static.
unsafe impl Sync for OSSL_ALGORITHM {}

pub type OSSL_CALLBACK = unsafe extern "C" fn(params: *const OSSL_PARAM, argument: *mut c_void) -> c_int;

/// Declares numbers, and gives the list of them for the test against the headers.
macro_rules! constants {
    ($($name:ident = $value:literal;)*) => {
        $(pub const $name: c_int = $value;)*
        /// Name and value of every number declared here.
        pub const CONSTANTS: &[(&str, c_int)] = &[$((stringify!($name), $value)),*];
    };
}

constants! {
    OSSL_FUNC_CORE_GET_PARAMS = 2;
    OSSL_FUNC_CORE_GET_LIBCTX = 4;
    OSSL_FUNC_CORE_NEW_ERROR = 5;
    OSSL_FUNC_CORE_VSET_ERROR = 7;
    OSSL_FUNC_CRYPTO_MALLOC = 20;
    OSSL_FUNC_PROVIDER_TEARDOWN = 1024;
    OSSL_FUNC_PROVIDER_GETTABLE_PARAMS = 1025;
    OSSL_FUNC_PROVIDER_GET_PARAMS = 1026;
    OSSL_FUNC_PROVIDER_QUERY_OPERATION = 1027;
    OSSL_OP_KEYMGMT = 10;
    OSSL_OP_SIGNATURE = 12;
    OSSL_OP_ASYM_CIPHER = 13;
    OSSL_FUNC_KEYMGMT_NEW = 1;
    OSSL_FUNC_KEYMGMT_GEN_INIT = 2;
    OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS = 4;
    OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS = 5;
    OSSL_FUNC_KEYMGMT_GEN = 6;
    OSSL_FUNC_KEYMGMT_GEN_CLEANUP = 7;
    OSSL_FUNC_KEYMGMT_FREE = 10;
    OSSL_FUNC_KEYMGMT_GET_PARAMS = 11;
    OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS = 12;
    OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME = 20;
    OSSL_FUNC_KEYMGMT_HAS = 21;
    OSSL_FUNC_KEYMGMT_VALIDATE = 22;
    OSSL_FUNC_KEYMGMT_MATCH = 23;
    OSSL_FUNC_KEYMGMT_IMPORT = 40;
    OSSL_FUNC_KEYMGMT_IMPORT_TYPES = 41;
    OSSL_FUNC_KEYMGMT_EXPORT = 42;
    OSSL_FUNC_KEYMGMT_EXPORT_TYPES = 43;
    OSSL_FUNC_KEYMGMT_DUP = 44;
    OSSL_FUNC_SIGNATURE_NEWCTX = 1;
    OSSL_FUNC_SIGNATURE_SIGN_INIT = 2;
    OSSL_FUNC_SIGNATURE_SIGN = 3;
    OSSL_FUNC_SIGNATURE_VERIFY_INIT = 4;
    OSSL_FUNC_SIGNATURE_VERIFY = 5;
    OSSL_FUNC_SIGNATURE_VERIFY_RECOVER_INIT = 6;
    OSSL_FUNC_SIGNATURE_VERIFY_RECOVER = 7;
    OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT = 8;
    OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE = 9;
    OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL = 10;
    OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT = 12;
    OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE = 13;
    OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL = 14;
    OSSL_FUNC_SIGNATURE_FREECTX = 16;
    OSSL_FUNC_SIGNATURE_DUPCTX = 17;
    OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS = 18;
    OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS = 19;
    OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS = 20;
    OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS = 21;
    OSSL_FUNC_SIGNATURE_GET_CTX_MD_PARAMS = 22;
    OSSL_FUNC_SIGNATURE_GETTABLE_CTX_MD_PARAMS = 23;
    OSSL_FUNC_SIGNATURE_SET_CTX_MD_PARAMS = 24;
    OSSL_FUNC_SIGNATURE_SETTABLE_CTX_MD_PARAMS = 25;
    OSSL_FUNC_ASYM_CIPHER_NEWCTX = 1;
    OSSL_FUNC_ASYM_CIPHER_ENCRYPT_INIT = 2;
    OSSL_FUNC_ASYM_CIPHER_ENCRYPT = 3;
    OSSL_FUNC_ASYM_CIPHER_DECRYPT_INIT = 4;
    OSSL_FUNC_ASYM_CIPHER_DECRYPT = 5;
    OSSL_FUNC_ASYM_CIPHER_FREECTX = 6;
    OSSL_FUNC_ASYM_CIPHER_DUPCTX = 7;
    OSSL_FUNC_ASYM_CIPHER_GET_CTX_PARAMS = 8;
    OSSL_FUNC_ASYM_CIPHER_GETTABLE_CTX_PARAMS = 9;
    OSSL_FUNC_ASYM_CIPHER_SET_CTX_PARAMS = 10;
    OSSL_FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS = 11;
    OSSL_KEYMGMT_SELECT_PUBLIC_KEY = 2;
    OSSL_KEYMGMT_SELECT_KEYPAIR = 3;
    OSSL_KEYMGMT_SELECT_ALL = 0x87;
    OSSL_PARAM_INTEGER = 1;
    OSSL_PARAM_UNSIGNED_INTEGER = 2;
    OSSL_PARAM_REAL = 3;
    OSSL_PARAM_UTF8_STRING = 4;
    OSSL_PARAM_OCTET_STRING = 5;
    OSSL_PARAM_UTF8_PTR = 6;
    OSSL_PARAM_OCTET_PTR = 7;
    EVP_MD_FLAG_XOF = 2;
    ERR_LIB_RSA = 4;
    RSA_R_OAEP_DECODING_ERROR = 121;
    OPENSSL_RSA_SMALL_MODULUS_BITS = 3072;
    OPENSSL_RSA_MAX_PUBEXP_BITS = 64;
    RSA_PKCS1_PADDING = 1;
    RSA_NO_PADDING = 3;
    RSA_PKCS1_OAEP_PADDING = 4;
    RSA_PKCS1_PSS_PADDING = 6;
    RSA_PKCS1_WITH_TLS_PADDING = 7;
    RSA_PSS_SALTLEN_DIGEST = -1;
    RSA_PSS_SALTLEN_AUTO = -2;
    RSA_PSS_SALTLEN_MAX = -3;
}

/// `RSA_PSS_SALTLEN_AUTO_DIGEST_MAX`, since OpenSSL 3.1.
pub const RSA_PSS_SALTLEN_AUTO_DIGEST_MAX: c_int = -4;

unsafe extern "C" {
    pub fn ERR_set_mark() -> c_int;
    pub fn ERR_pop_to_mark() -> c_int;
    pub fn ERR_clear_last_mark() -> c_int;
    pub fn EVP_MD_get_flags(method: *const EVP_MD) -> c_ulong;
    pub fn EVP_MD_CTX_get_params(context: *mut EVP_MD_CTX, params: *mut OSSL_PARAM) -> c_int;
    pub fn EVP_MD_CTX_set_params(context: *mut EVP_MD_CTX, params: *const OSSL_PARAM) -> c_int;
    pub fn OSSL_LIB_CTX_set0_default(library: *mut OSSL_LIB_CTX) -> *mut OSSL_LIB_CTX;
    pub fn OSSL_PROVIDER_available(library: *mut OSSL_LIB_CTX, name: *const c_char) -> c_int;
    pub fn OSSL_PROVIDER_query_operation(
        provider: *const OSSL_PROVIDER,
        operation: c_int,
        no_cache: *mut c_int,
    ) -> *const OSSL_ALGORITHM;
    pub fn OSSL_PROVIDER_get0_provider_ctx(provider: *const OSSL_PROVIDER) -> *mut c_void;
    pub fn OSSL_PARAM_get_int(param: *const OSSL_PARAM, value: *mut c_int) -> c_int;
    pub fn OSSL_PARAM_get_size_t(param: *const OSSL_PARAM, value: *mut usize) -> c_int;
    pub fn OSSL_PARAM_set_double(param: *mut OSSL_PARAM, value: f64) -> c_int;
    pub fn OSSL_PARAM_set_int(param: *mut OSSL_PARAM, value: c_int) -> c_int;
    pub fn OSSL_PARAM_set_uint64(param: *mut OSSL_PARAM, value: u64) -> c_int;
    pub fn OSSL_PARAM_set_utf8_ptr(param: *mut OSSL_PARAM, value: *const c_char) -> c_int;
}
