// SPDX-License-Identifier: Apache-2.0
//! The default provider's RSA, in a library context of our own: what we hand on to, and what holds keys and settings.
//!
//! OpenSSL has no partial fallback: whoever offers RSA must offer all of it. So every key and every context of ours has
//! one of the default provider's inside, and every function hands on to it but those that we do faster. The library context
//! is not the program's: whatever its configuration says, ours finds the default provider, and never ourselves.

use crate::sys::*;
use garner::fork::away_from_fork;
use std::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Declares a dispatch table: its functions, by number and type.
macro_rules! tables {
    ($($(#[$doc:meta])* $table:ident { $($name:ident: $id:ident = fn($($type:ty),*) $(-> $result:ty)?;)* })*) => {$(
        $(#[$doc])*
        pub struct $table {
            $(pub $name: unsafe extern "C" fn($($type),*) $(-> $result)?,)*
        }

        impl $table {
            /// # Safety
            /// `table` is a dispatch table of this operation.
            unsafe fn read(table: *const OSSL_DISPATCH) -> Result<$table, String> {
                Ok($table {
                    $($name: {
                        // SAFETY: by this function's contract.
                        let function = unsafe { find(table, $id) };
                        let function = function.ok_or_else(|| {
                            format!("the default provider's {} lacks {}", stringify!($table), stringify!($name))
                        })?;
                        // SAFETY: OpenSSL's contract for the function of that number is this signature.
                        unsafe { std::mem::transmute::<unsafe extern "C" fn(), unsafe extern "C" fn($($type),*) $(-> $result)?>(function) }
                    },)*
                })
            }
        }
    )*};
}

type Context = *mut c_void;
type Params = *const OSSL_PARAM;

tables! {
    /// Key management.
    Keymgmt {
        new: OSSL_FUNC_KEYMGMT_NEW = fn(Context) -> Context;
        free: OSSL_FUNC_KEYMGMT_FREE = fn(Context);
        has: OSSL_FUNC_KEYMGMT_HAS = fn(*const c_void, c_int) -> c_int;
        validate: OSSL_FUNC_KEYMGMT_VALIDATE = fn(*const c_void, c_int, c_int) -> c_int;
        matches: OSSL_FUNC_KEYMGMT_MATCH = fn(*const c_void, *const c_void, c_int) -> c_int;
        import: OSSL_FUNC_KEYMGMT_IMPORT = fn(Context, c_int, Params) -> c_int;
        import_types: OSSL_FUNC_KEYMGMT_IMPORT_TYPES = fn(c_int) -> Params;
        export: OSSL_FUNC_KEYMGMT_EXPORT = fn(Context, c_int, OSSL_CALLBACK, *mut c_void) -> c_int;
        export_types: OSSL_FUNC_KEYMGMT_EXPORT_TYPES = fn(c_int) -> Params;
        dup: OSSL_FUNC_KEYMGMT_DUP = fn(*const c_void, c_int) -> Context;
        get_params: OSSL_FUNC_KEYMGMT_GET_PARAMS = fn(Context, *mut OSSL_PARAM) -> c_int;
        gettable_params: OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS = fn(Context) -> Params;
        gen_init: OSSL_FUNC_KEYMGMT_GEN_INIT = fn(Context, c_int, Params) -> Context;
        gen_set_params: OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS = fn(Context, Params) -> c_int;
        gen_settable_params: OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS = fn(Context, Context) -> Params;
        generate: OSSL_FUNC_KEYMGMT_GEN = fn(Context, Option<OSSL_CALLBACK>, *mut c_void) -> Context;
        gen_cleanup: OSSL_FUNC_KEYMGMT_GEN_CLEANUP = fn(Context);
    }
    /// Signatures.
    Signature {
        newctx: OSSL_FUNC_SIGNATURE_NEWCTX = fn(Context, *const c_char) -> Context;
        freectx: OSSL_FUNC_SIGNATURE_FREECTX = fn(Context);
        dupctx: OSSL_FUNC_SIGNATURE_DUPCTX = fn(Context) -> Context;
        sign_init: OSSL_FUNC_SIGNATURE_SIGN_INIT = fn(Context, Context, Params) -> c_int;
        sign: OSSL_FUNC_SIGNATURE_SIGN = fn(Context, *mut c_uchar, *mut usize, usize, *const c_uchar, usize) -> c_int;
        verify_init: OSSL_FUNC_SIGNATURE_VERIFY_INIT = fn(Context, Context, Params) -> c_int;
        verify: OSSL_FUNC_SIGNATURE_VERIFY = fn(Context, *const c_uchar, usize, *const c_uchar, usize) -> c_int;
        verify_recover_init: OSSL_FUNC_SIGNATURE_VERIFY_RECOVER_INIT = fn(Context, Context, Params) -> c_int;
        verify_recover: OSSL_FUNC_SIGNATURE_VERIFY_RECOVER =
            fn(Context, *mut c_uchar, *mut usize, usize, *const c_uchar, usize) -> c_int;
        digest_sign_init: OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT = fn(Context, *const c_char, Context, Params) -> c_int;
        digest_sign_update: OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE = fn(Context, *const c_uchar, usize) -> c_int;
        digest_sign_final: OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL =
            fn(Context, *mut c_uchar, *mut usize, usize) -> c_int;
        digest_verify_init: OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT =
            fn(Context, *const c_char, Context, Params) -> c_int;
        digest_verify_update: OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE = fn(Context, *const c_uchar, usize) -> c_int;
        digest_verify_final: OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL = fn(Context, *const c_uchar, usize) -> c_int;
        get_ctx_params: OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS = fn(Context, *mut OSSL_PARAM) -> c_int;
        gettable_ctx_params: OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS = fn(Context, Context) -> Params;
        set_ctx_params: OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS = fn(Context, Params) -> c_int;
        settable_ctx_params: OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS = fn(Context, Context) -> Params;
        get_ctx_md_params: OSSL_FUNC_SIGNATURE_GET_CTX_MD_PARAMS = fn(Context, *mut OSSL_PARAM) -> c_int;
        gettable_ctx_md_params: OSSL_FUNC_SIGNATURE_GETTABLE_CTX_MD_PARAMS = fn(Context) -> Params;
        set_ctx_md_params: OSSL_FUNC_SIGNATURE_SET_CTX_MD_PARAMS = fn(Context, Params) -> c_int;
        settable_ctx_md_params: OSSL_FUNC_SIGNATURE_SETTABLE_CTX_MD_PARAMS = fn(Context) -> Params;
    }
    /// Encryption.
    Cipher {
        newctx: OSSL_FUNC_ASYM_CIPHER_NEWCTX = fn(Context) -> Context;
        freectx: OSSL_FUNC_ASYM_CIPHER_FREECTX = fn(Context);
        dupctx: OSSL_FUNC_ASYM_CIPHER_DUPCTX = fn(Context) -> Context;
        encrypt_init: OSSL_FUNC_ASYM_CIPHER_ENCRYPT_INIT = fn(Context, Context, Params) -> c_int;
        encrypt: OSSL_FUNC_ASYM_CIPHER_ENCRYPT =
            fn(Context, *mut c_uchar, *mut usize, usize, *const c_uchar, usize) -> c_int;
        decrypt_init: OSSL_FUNC_ASYM_CIPHER_DECRYPT_INIT = fn(Context, Context, Params) -> c_int;
        decrypt: OSSL_FUNC_ASYM_CIPHER_DECRYPT =
            fn(Context, *mut c_uchar, *mut usize, usize, *const c_uchar, usize) -> c_int;
        get_ctx_params: OSSL_FUNC_ASYM_CIPHER_GET_CTX_PARAMS = fn(Context, *mut OSSL_PARAM) -> c_int;
        gettable_ctx_params: OSSL_FUNC_ASYM_CIPHER_GETTABLE_CTX_PARAMS = fn(Context, Context) -> Params;
        set_ctx_params: OSSL_FUNC_ASYM_CIPHER_SET_CTX_PARAMS = fn(Context, Params) -> c_int;
    }
}

/// The function of that number in a dispatch table.
///
/// # Safety
/// `table` is null or a dispatch table, which number 0 ends.
pub unsafe fn find(table: *const OSSL_DISPATCH, id: c_int) -> Option<unsafe extern "C" fn()> {
    let mut next = table;
    // SAFETY: by this function's contract `next` is null or points to an entry.
    while let Some(entry) = unsafe { next.as_ref() }.filter(|entry| entry.id != 0) {
        if entry.id == id {
            return entry.function;
        }
        next = next.wrapping_add(1);
    }
    None
}

/// All tables of the default provider's RSA.
pub struct Tables {
    /// For keys of type RSA.
    pub rsa: Keymgmt,
    /// For keys of type RSA-PSS.
    pub pss: Keymgmt,
    /// Signatures.
    pub signature: Signature,
    /// Encryption.
    pub cipher: Cipher,
}

static TABLES: AtomicPtr<Tables> = AtomicPtr::new(ptr::null_mut());

impl Tables {
    /// The tables, once an [`Upstream`] was opened. They live as long as libcrypto.
    pub fn get() -> &'static Tables {
        // SAFETY: null, or leaked by `Upstream::open` and never freed.
        unsafe { TABLES.load(Ordering::Acquire).as_ref() }.expect("functions are called after the provider was opened")
    }

    /// Key management for a kind of keys.
    pub fn keymgmt(&self, pss: bool) -> &Keymgmt {
        if pss { &self.pss } else { &self.rsa }
    }
}

/// The default provider, loaded into a library context of its own.
pub struct Upstream {
    library: *mut OSSL_LIB_CTX,
    provider: *mut OSSL_PROVIDER,
    /// The legacy provider, for its digests; null until one is wanted.
    legacy: AtomicPtr<OSSL_PROVIDER>,
    /// The program's library context, or null for the default one. It is only asked whether it has the legacy provider.
    program: *mut OSSL_LIB_CTX,
}

// SAFETY: libcrypto's library contexts and providers may be used by any thread.
unsafe impl Send for Upstream {}
// SAFETY: as above.
unsafe impl Sync for Upstream {}

impl Upstream {
    /// Loads it, on behalf of the program's library context.
    ///
    /// # Errors
    /// What libcrypto refused or lacks.
    pub fn open(program: *mut OSSL_LIB_CTX) -> Result<Upstream, String> {
        // SAFETY: no arguments.
        let library = unsafe { openssl_sys::OSSL_LIB_CTX_new() };
        if library.is_null() {
            return Err("libcrypto has no memory for a library context".to_owned());
        }
        // SAFETY: a live library context and a terminated name.
        let provider = unsafe { openssl_sys::OSSL_PROVIDER_load(library, c"default".as_ptr()) };
        let upstream = Upstream { library, provider, legacy: AtomicPtr::new(ptr::null_mut()), program };
        if provider.is_null() {
            return Err("libcrypto has no default provider".to_owned());
        }
        if TABLES.load(Ordering::Acquire).is_null() {
            let tables = Tables {
                rsa: upstream.table(OSSL_OP_KEYMGMT, "RSA", Keymgmt::read)?,
                pss: upstream.table(OSSL_OP_KEYMGMT, "RSA-PSS", Keymgmt::read)?,
                signature: upstream.table(OSSL_OP_SIGNATURE, "RSA", Signature::read)?,
                cipher: upstream.table(OSSL_OP_ASYM_CIPHER, "RSA", Cipher::read)?,
            };
            // Two threads may both come here: then one table of constants is leaked more.
            TABLES.store(Box::into_raw(Box::new(tables)), Ordering::Release);
        }
        Ok(upstream)
    }

    fn table<T>(
        &self,
        operation: c_int,
        name: &str,
        read: unsafe fn(*const OSSL_DISPATCH) -> Result<T, String>,
    ) -> Result<T, String> {
        let mut no_cache = 0;
        // SAFETY: the provider is loaded; the list it gives lives as long.
        let mut next = unsafe { OSSL_PROVIDER_query_operation(self.provider, operation, &mut no_cache) };
        // SAFETY: null, or an entry of that list, whose end has no names.
        while let Some(algorithm) = unsafe { next.as_ref() }.filter(|algorithm| !algorithm.names.is_null()) {
            // SAFETY: terminated, as all of OpenSSL's names.
            let names = unsafe { CStr::from_ptr(algorithm.names) }.to_bytes();
            if names.split(|&byte| byte == b':').any(|one| one.eq_ignore_ascii_case(name.as_bytes())) {
                // SAFETY: the table of this operation.
                return unsafe { read(algorithm.implementation) };
            }
            next = next.wrapping_add(1);
        }
        Err(format!("the default provider has no {name}"))
    }

    /// What the default provider's functions that make keys and contexts want.
    pub fn context(&self) -> *mut c_void {
        // SAFETY: the provider is loaded.
        unsafe { OSSL_PROVIDER_get0_provider_ctx(self.provider) }
    }

    /// The library context.
    pub fn library(&self) -> *mut OSSL_LIB_CTX {
        self.library
    }

    /// What a function of the default provider answers that may meet the name of a digest. At its first refusal the
    /// legacy provider is loaded, if the program has it, and the function called again.
    pub fn with_digests(&self, function: impl Fn() -> c_int) -> c_int {
        let loaded = !self.legacy.load(Ordering::Acquire).is_null();
        // SAFETY: this thread's queue of errors, here and below.
        unsafe { ERR_set_mark() };
        let answer = function();
        if answer > 0 || loaded || !self.load_legacy() {
            // SAFETY: as above.
            unsafe { ERR_clear_last_mark() };
            return answer;
        }
        // SAFETY: as above.
        unsafe { ERR_pop_to_mark() };
        function()
    }

    /// Loads the legacy provider beside the default one. Not where the program has not: what is refused there stays
    /// refused with us. Whether it is there now.
    fn load_legacy(&self) -> bool {
        const LEGACY: &CStr = c"legacy";
        // SAFETY: the program's library context lives while it calls us; a terminated name.
        if unsafe { OSSL_PROVIDER_available(self.program, LEGACY.as_ptr()) } != 1 {
            return false;
        }
        // Why it cannot be loaded is not what the program asked.
        // SAFETY: a live library context, a terminated name, this thread's queue of errors.
        let provider = away_from_fork(|| unsafe {
            ERR_set_mark();
            let provider = openssl_sys::OSSL_PROVIDER_load(self.library, LEGACY.as_ptr());
            ERR_pop_to_mark();
            provider
        });
        if provider.is_null() {
            return false;
        }
        let null = ptr::null_mut();
        if self.legacy.compare_exchange(null, provider, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: another thread loaded it meanwhile; this gives back what we have too much.
            unsafe { openssl_sys::OSSL_PROVIDER_unload(provider) };
        }
        true
    }

    /// Runs `body` with this library context as the thread's default one, for what knows no other. It must not pause a
    /// job.
    pub fn as_default<T>(&self, body: impl FnOnce() -> T) -> T {
        struct Back(*mut OSSL_LIB_CTX);
        impl Drop for Back {
            fn drop(&mut self) {
                // SAFETY: what was this thread's default before; null changes nothing.
                unsafe { OSSL_LIB_CTX_set0_default(self.0) };
            }
        }
        // SAFETY: a live library context, and so it is until `Back` is dropped.
        let _back = Back(unsafe { OSSL_LIB_CTX_set0_default(self.library) });
        body()
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        // SAFETY: ours, and freed once; nothing made from them is left, as every key and context owns a share of this.
        unsafe {
            for provider in [*self.legacy.get_mut(), self.provider] {
                if !provider.is_null() {
                    openssl_sys::OSSL_PROVIDER_unload(provider);
                }
            }
            openssl_sys::OSSL_LIB_CTX_free(self.library);
        }
    }
}
