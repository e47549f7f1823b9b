// SPDX-License-Identifier: Apache-2.0
//! The module's entry, and what OpenSSL asks of the provider itself.

use crate::call::{Refusal, call, freeing, told};
use crate::params::List;
use crate::provider::Provider;
use crate::sys::*;
use crate::upstream::find;
use crate::{cipher, keymgmt, signature};
use garner_openssl_common::figures::{self, Value};
use garner_openssl_common::{Settings, libcrypto, memory};
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::io::Write as _;
use std::panic::catch_unwind;
use std::ptr;
use std::sync::Arc;

/// Called by OpenSSL when it loads the module. Refuses, with an error on OpenSSL's queue and on stderr, when it is another OpenSSL
/// than this was built for, or when the configuration says something wrong: OpenSSL then goes on with its own RSA.
///
/// # Safety
/// OpenSSL's contract for providers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OSSL_provider_init(
    core: *const c_void,
    from_core: *const OSSL_DISPATCH,
    to_core: *mut *const OSSL_DISPATCH,
    context: *mut *mut c_void,
) -> c_int {
    // SAFETY: OpenSSL's table.
    let theirs = unsafe { find(from_core, OSSL_FUNC_CRYPTO_MALLOC) };
    let theirs = theirs.map_or(ptr::null(), |function| function as *const c_void);
    if !libcrypto::is_ours(theirs) {
        // SAFETY: OpenSSL's handle and table.
        unsafe { refuse(core, from_core, theirs) };
        return 0;
    }
    let open = || {
        libcrypto::initialise();
        let mut settings = Settings::default();
        for name in Settings::NAMES {
            // SAFETY: OpenSSL's handle and table.
            if let Some(value) = unsafe { configured(core, from_core, name) } {
                settings.set(name, &value).map_err(|refused| Refusal::Because(refused.to_string()))?;
            }
        }
        // SAFETY: OpenSSL's handle and table.
        let program = unsafe { library(core, from_core) };
        let provider = Provider::open(&settings, program).map_err(Refusal::Because)?;
        // SAFETY: OpenSSL's places for the results.
        unsafe {
            *to_core = &raw const TABLE[0];
            *context = provider.into_context();
        }
        Ok(1)
    };
    call(0, || {
        open().inspect_err(|refusal| {
            // OpenSSL drops the errors of modules that its configuration names.
            if let Refusal::Because(reason) = refusal {
                complain(reason);
            }
        })
    })
}

fn complain(reason: &str) {
    // Not by `eprintln`, which panics where stderr is closed.
    let _ = writeln!(std::io::stderr(), "garner: {reason}; OpenSSL goes on without Garner");
}

/// Says on stderr and on the queue of errors of the libcrypto that loads us that ours is another one, which is not called.
///
/// # Safety
/// OpenSSL's handle and table.
unsafe fn refuse(core: *const c_void, from_core: *const OSSL_DISPATCH, theirs: *const c_void) {
    type NewError = unsafe extern "C" fn(*const c_void);
    /// The last is a `va_list`: in the processors' calling conventions of Linux a pointer to where it lies. It is not read,
    /// as the format has no directives.
    type SetError = unsafe extern "C" fn(*const c_void, u32, *const c_char, *mut c_void);
    if !memory::enter() {
        return;
    }
    let _ = catch_unwind(|| {
        let reason = libcrypto::another(theirs);
        complain(&reason);
        let format = CString::new(format!("garner: {reason}").replace('%', "%%")).unwrap_or_default();
        // SAFETY: by this function's contract; OpenSSL's contract for functions of these numbers are these signatures.
        unsafe {
            let (Some(new), Some(set)) =
                (find(from_core, OSSL_FUNC_CORE_NEW_ERROR), find(from_core, OSSL_FUNC_CORE_VSET_ERROR))
            else {
                return;
            };
            std::mem::transmute::<unsafe extern "C" fn(), NewError>(new)(core);
            let set = std::mem::transmute::<unsafe extern "C" fn(), SetError>(set);
            let mut arguments = [0_usize; 8];
            set(core, libcrypto::REASON as u32, format.as_ptr(), (&raw mut arguments).cast());
        }
    });
}

/// What the provider's section of the configuration says under a name.
///
/// # Safety
/// OpenSSL's handle and table.
unsafe fn configured(core: *const c_void, from_core: *const OSSL_DISPATCH, name: &str) -> Option<String> {
    // SAFETY: by this function's contract.
    let function = unsafe { find(from_core, OSSL_FUNC_CORE_GET_PARAMS) }?;
    type GetParams = unsafe extern "C" fn(*const c_void, *mut OSSL_PARAM) -> c_int;
    // SAFETY: OpenSSL's contract for the function of that number.
    let get_params = unsafe { std::mem::transmute::<unsafe extern "C" fn(), GetParams>(function) };
    let name = CString::new(name).ok()?;
    let mut value: *const c_char = ptr::null();
    let data = ptr::from_mut(&mut value).cast();
    let data_type = OSSL_PARAM_UTF8_PTR as c_uint;
    let question = OSSL_PARAM { key: name.as_ptr(), data_type, data, data_size: 0, return_size: usize::MAX };
    let mut questions = [question, crate::params::end()];
    // SAFETY: OpenSSL's handle and a whole array, whose answer goes to `value`.
    if unsafe { get_params(core, questions.as_mut_ptr()) } != 1 || value.is_null() {
        return None;
    }
    // SAFETY: terminated, and alive as long as the provider is.
    Some(unsafe { CStr::from_ptr(value) }.to_string_lossy().into_owned())
}

/// The library context that loads us; null is the default one. It is one of the libcrypto we are linked to, as
/// `libcrypto::is_ours` saw to.
///
/// # Safety
/// OpenSSL's handle and table.
unsafe fn library(core: *const c_void, from_core: *const OSSL_DISPATCH) -> *mut OSSL_LIB_CTX {
    type GetLibrary = unsafe extern "C" fn(*const c_void) -> *mut OSSL_LIB_CTX;
    // SAFETY: by this function's contract.
    let function = unsafe { find(from_core, OSSL_FUNC_CORE_GET_LIBCTX) };
    // SAFETY: OpenSSL's contract for the function of that number.
    let get = function.map(|it| unsafe { std::mem::transmute::<unsafe extern "C" fn(), GetLibrary>(it) });
    // SAFETY: by this function's contract.
    get.map_or(ptr::null_mut(), |get| unsafe { get(core) })
}

unsafe extern "C" fn teardown(context: *mut c_void) {
    // SAFETY: OpenSSL gives what `OSSL_provider_init` made, for the last time.
    freeing(|| unsafe { Provider::take_back(context) })
}

unsafe extern "C" fn query_operation(
    context: *mut c_void,
    operation: c_int,
    no_cache: *mut c_int,
) -> *const OSSL_ALGORITHM {
    call(ptr::null(), || {
        // SAFETY: OpenSSL gives the context of the provider, and a place for the answer.
        let provider = unsafe {
            *no_cache = 0;
            Provider::of(context)
        };
        // Where nothing beats OpenSSL, OpenSSL's own is the best there is.
        if !provider.service.worthwhile() {
            return Ok(ptr::null());
        }
        Ok(match operation {
            OSSL_OP_KEYMGMT => &raw const KEYMGMT[0],
            OSSL_OP_SIGNATURE => &raw const SIGNATURE[0],
            OSSL_OP_ASYM_CIPHER => &raw const CIPHER[0],
            _ => ptr::null(),
        })
    })
}

unsafe extern "C" fn gettable_params(_: *mut c_void) -> *const OSSL_PARAM {
    &raw const GETTABLE.0[0]
}

unsafe extern "C" fn get_params(context: *mut c_void, params: *mut OSSL_PARAM) -> c_int {
    call(0, || {
        // SAFETY: OpenSSL gives the context of the provider.
        let provider = unsafe { Provider::of(context) };
        let mut param = params;
        // SAFETY: OpenSSL's array, whose last entry has no key.
        while let Some(asked) = unsafe { param.as_mut() }.filter(|asked| !asked.key.is_null()) {
            // SAFETY: OpenSSL's name.
            let name = unsafe { CStr::from_ptr(asked.key) };
            // SAFETY: a whole parameter; texts are static.
            told(unsafe {
                match name.to_bytes() {
                    b"name" => OSSL_PARAM_set_utf8_ptr(asked, c"Garner".as_ptr()),
                    b"version" | b"buildinfo" => OSSL_PARAM_set_utf8_ptr(asked, VERSION.as_ptr()),
                    b"status" => OSSL_PARAM_set_int(asked, 1),
                    other => figure(&provider, other, asked),
                }
            })?;
            param = param.wrapping_add(1);
        }
        Ok(1)
    })
}

/// Answers with a figure; what has no answer is left alone.
///
/// # Safety
/// `asked` is a whole parameter.
unsafe fn figure(provider: &Arc<Provider>, name: &[u8], asked: *mut OSSL_PARAM) -> c_int {
    let found = provider.service.figures().into_iter().find(|(known, _)| known.as_bytes() == name);
    match found.map(|(_, value)| value) {
        // SAFETY: by this function's contract.
        Some(Value::Count(count)) => unsafe { OSSL_PARAM_set_uint64(asked, count) },
        // SAFETY: by this function's contract.
        Some(Value::Real(real)) => unsafe { OSSL_PARAM_set_double(asked, real) },
        None => 1,
    }
}

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => panic!("a version without zero bytes"),
};

const NAME: &CStr = c"RSA:rsaEncryption:1.2.840.113549.1.1.1";
const PSS_NAME: &CStr = c"RSA-PSS:RSASSA-PSS:1.2.840.113549.1.1.10";
const PROPERTIES: &CStr = c"provider=garner";

const fn algorithm(names: &'static CStr, table: &'static [OSSL_DISPATCH], what: &'static CStr) -> OSSL_ALGORITHM {
    OSSL_ALGORITHM {
        names: names.as_ptr(),
        properties: PROPERTIES.as_ptr(),
        implementation: table.as_ptr(),
        description: what.as_ptr(),
    }
}

const NO_MORE: OSSL_ALGORITHM = OSSL_ALGORITHM {
    names: ptr::null(),
    properties: ptr::null(),
    implementation: ptr::null(),
    description: ptr::null(),
};

static KEYMGMT: [OSSL_ALGORITHM; 3] = [
    algorithm(NAME, &keymgmt::RSA, c"Garner: RSA keys"),
    algorithm(PSS_NAME, &keymgmt::PSS, c"Garner: RSA-PSS keys"),
    NO_MORE,
];
static SIGNATURE: [OSSL_ALGORITHM; 2] = [algorithm(NAME, &signature::TABLE, c"Garner: RSA signatures"), NO_MORE];
static CIPHER: [OSSL_ALGORITHM; 2] = [algorithm(NAME, &cipher::TABLE, c"Garner: RSA encryption"), NO_MORE];

static TABLE: [OSSL_DISPATCH; 5] = [
    entry!(OSSL_FUNC_PROVIDER_TEARDOWN, teardown),
    entry!(OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, gettable_params),
    entry!(OSSL_FUNC_PROVIDER_GET_PARAMS, get_params),
    entry!(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query_operation),
    OSSL_DISPATCH { id: 0, function: None },
];

/// What can be asked of the provider.
static GETTABLE: List<ENTRIES> = List(gettable());

const ENTRIES: usize = 4 + figures::NAMES.len() + 1;

const fn gettable() -> [OSSL_PARAM; ENTRIES] {
    use crate::params::{end, offered};
    let mut list = [const { end() }; ENTRIES];
    list[0] = offered(c"name", OSSL_PARAM_UTF8_PTR);
    list[1] = offered(c"version", OSSL_PARAM_UTF8_PTR);
    list[2] = offered(c"buildinfo", OSSL_PARAM_UTF8_PTR);
    list[3] = offered(c"status", OSSL_PARAM_INTEGER);
    let mut i = 0;
    while i < figures::NAMES.len() {
        let kind = if figures::COUNTS[i] { OSSL_PARAM_UNSIGNED_INTEGER } else { OSSL_PARAM_REAL };
        list[4 + i] = offered(figures::NAMES[i], kind);
        i += 1;
    }
    list
}
