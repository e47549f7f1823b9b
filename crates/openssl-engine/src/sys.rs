// SPDX-License-Identifier: Apache-2.0
//! The functions of libcrypto that an engine of RSA takes, declared by hand: `engine.h`, `rsa.h`, `bn.h`.

#![allow(non_camel_case_types, reason = "names are OpenSSL's")]

use std::ffi::{c_char, c_int, c_long, c_uint, c_void};

pub use openssl_sys::{BIGNUM, BN_CTX, ENGINE, RSA};

pub enum RSA_METHOD {}
pub enum BN_BLINDING {}

/// What `dynamic` tells of the libcrypto that loads: only the first field matters here.
#[repr(C)]
pub struct dynamic_fns {
    pub static_state: *mut c_void,
}

#[repr(C)]
pub struct ENGINE_CMD_DEFN {
    pub number: c_uint,
    pub name: *const c_char,
    pub description: *const c_char,
    pub flags: c_uint,
}
// SAFETY: never written to; its pointers are to static text.
unsafe impl Sync for ENGINE_CMD_DEFN {}

pub const ENGINE_CMD_BASE: c_int = 200;
pub const ENGINE_CMD_FLAG_STRING: c_uint = 2;
pub const ENGINE_CMD_FLAG_INTERNAL: c_uint = 8;
pub const RSA_FLAG_NO_BLINDING: c_int = 0x80;
pub const CRYPTO_EX_INDEX_RSA: c_int = 9;
pub const RSA_PKCS1_PADDING: c_int = 1;
pub const RSA_NO_PADDING: c_int = 3;
pub const RSA_PKCS1_OAEP_PADDING: c_int = 4;
pub const ERR_LIB_RSA: c_int = 4;
pub const RSA_R_OAEP_DECODING_ERROR: c_int = 121;

/// The interface between `dynamic` and its modules, since OpenSSL 3.0.
pub const OSSL_DYNAMIC_VERSION: u64 = 0x0003_0000;

pub type EngineFunction = unsafe extern "C" fn(*mut ENGINE) -> c_int;
pub type Control =
    unsafe extern "C" fn(*mut ENGINE, c_int, c_long, *mut c_void, Option<unsafe extern "C" fn()>) -> c_int;
pub type RsaFunction = unsafe extern "C" fn(*mut RSA) -> c_int;
pub type Crypt = unsafe extern "C" fn(c_int, *const u8, *mut u8, *mut RSA, c_int) -> c_int;
pub type ModExp = unsafe extern "C" fn(*mut BIGNUM, *const BIGNUM, *mut RSA, *mut BN_CTX) -> c_int;

unsafe extern "C" {
    pub fn ENGINE_get_static_state() -> *mut c_void;
    pub fn ENGINE_set_id(engine: *mut ENGINE, id: *const c_char) -> c_int;
    pub fn ENGINE_set_name(engine: *mut ENGINE, name: *const c_char) -> c_int;
    pub fn ENGINE_set_RSA(engine: *mut ENGINE, method: *const RSA_METHOD) -> c_int;
    pub fn ENGINE_set_init_function(engine: *mut ENGINE, function: EngineFunction) -> c_int;
    pub fn ENGINE_set_destroy_function(engine: *mut ENGINE, function: EngineFunction) -> c_int;
    pub fn ENGINE_set_ctrl_function(engine: *mut ENGINE, function: Control) -> c_int;
    pub fn ENGINE_set_cmd_defns(engine: *mut ENGINE, commands: *const ENGINE_CMD_DEFN) -> c_int;

    pub fn RSA_PKCS1_OpenSSL() -> *const RSA_METHOD;
    pub fn RSA_meth_dup(method: *const RSA_METHOD) -> *mut RSA_METHOD;
    pub fn RSA_meth_free(method: *mut RSA_METHOD);
    pub fn RSA_meth_set1_name(method: *mut RSA_METHOD, name: *const c_char) -> c_int;
    pub fn RSA_meth_get_init(method: *const RSA_METHOD) -> Option<RsaFunction>;
    pub fn RSA_meth_set_init(method: *mut RSA_METHOD, function: RsaFunction) -> c_int;
    pub fn RSA_meth_get_finish(method: *const RSA_METHOD) -> Option<RsaFunction>;
    pub fn RSA_meth_set_finish(method: *mut RSA_METHOD, function: RsaFunction) -> c_int;
    pub fn RSA_meth_get_mod_exp(method: *const RSA_METHOD) -> Option<ModExp>;
    pub fn RSA_meth_set_mod_exp(method: *mut RSA_METHOD, function: ModExp) -> c_int;

    pub fn RSA_meth_get_priv_enc(method: *const RSA_METHOD) -> Option<Crypt>;
    pub fn RSA_meth_set_priv_enc(method: *mut RSA_METHOD, function: Crypt) -> c_int;
    pub fn RSA_meth_get_priv_dec(method: *const RSA_METHOD) -> Option<Crypt>;
    pub fn RSA_meth_set_priv_dec(method: *mut RSA_METHOD, function: Crypt) -> c_int;

    pub fn RSA_new() -> *mut RSA;
    pub fn RSA_free(rsa: *mut RSA);
    pub fn RSA_set_method(rsa: *mut RSA, method: *const RSA_METHOD) -> c_int;
    pub fn RSA_set_flags(rsa: *mut RSA, flags: c_int);
    pub fn RSA_set0_key(rsa: *mut RSA, n: *mut BIGNUM, e: *mut BIGNUM, d: *mut BIGNUM) -> c_int;
    pub fn RSA_set0_factors(rsa: *mut RSA, p: *mut BIGNUM, q: *mut BIGNUM) -> c_int;
    pub fn RSA_set0_crt_params(rsa: *mut RSA, dp: *mut BIGNUM, dq: *mut BIGNUM, inverse: *mut BIGNUM) -> c_int;
    pub fn RSA_setup_blinding(rsa: *mut RSA, context: *mut BN_CTX) -> *mut BN_BLINDING;
    pub fn BN_BLINDING_convert(number: *mut BIGNUM, blinding: *mut BN_BLINDING, context: *mut BN_CTX) -> c_int;
    pub fn BN_BLINDING_invert(number: *mut BIGNUM, blinding: *mut BN_BLINDING, context: *mut BN_CTX) -> c_int;
    pub fn BN_BLINDING_free(blinding: *mut BN_BLINDING);
    pub fn BN_dup(number: *const BIGNUM) -> *mut BIGNUM;
    pub fn BN_clear_free(number: *mut BIGNUM);
    pub fn RSA_get0_n(rsa: *const RSA) -> *const BIGNUM;
    pub fn RSA_get0_e(rsa: *const RSA) -> *const BIGNUM;
    pub fn RSA_get0_d(rsa: *const RSA) -> *const BIGNUM;
    pub fn RSA_get0_p(rsa: *const RSA) -> *const BIGNUM;
    pub fn RSA_get0_q(rsa: *const RSA) -> *const BIGNUM;
    pub fn RSA_get0_dmp1(rsa: *const RSA) -> *const BIGNUM;
    pub fn RSA_get0_dmq1(rsa: *const RSA) -> *const BIGNUM;
    pub fn RSA_get0_iqmp(rsa: *const RSA) -> *const BIGNUM;
    pub fn RSA_get_multi_prime_extra_count(rsa: *const RSA) -> c_int;
    pub fn RSA_get_ex_data(rsa: *const RSA, index: c_int) -> *mut c_void;
    pub fn RSA_set_ex_data(rsa: *mut RSA, index: c_int, data: *mut c_void) -> c_int;
    pub fn CRYPTO_get_ex_new_index(
        class: c_int,
        argument: c_long,
        pointer: *mut c_void,
        new: Option<unsafe extern "C" fn()>,
        dup: Option<unsafe extern "C" fn()>,
        free: Option<unsafe extern "C" fn()>,
    ) -> c_int;

    pub fn BN_bn2bin(number: *const BIGNUM, bytes: *mut u8) -> c_int;
    pub fn BN_bin2bn(bytes: *const u8, length: c_int, number: *mut BIGNUM) -> *mut BIGNUM;
    pub fn BN_clear_bit(number: *mut BIGNUM, bit: c_int) -> c_int;
    pub fn BN_num_bits(number: *const BIGNUM) -> c_int;
}
