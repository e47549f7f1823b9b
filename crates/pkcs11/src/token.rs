// SPDX-License-Identifier: Apache-2.0
//! What module, slot and token say of themselves. Texts are padded with spaces, as the standard has them.

use cryptoki_sys::*;

/// The one slot.
pub const SLOT: CK_SLOT_ID = 0;

const MANUFACTURER: &str = "Garner";

const VERSION: CK_VERSION = CK_VERSION { major: 0, minor: 1 };

fn padded<const N: usize>(text: &str) -> [CK_UTF8CHAR; N] {
    let mut field = [b' '; N];
    field[..text.len()].copy_from_slice(text.as_bytes());
    field
}

/// Of the module.
pub fn module() -> CK_INFO {
    CK_INFO {
        cryptokiVersion: CK_VERSION { major: 2, minor: 40 },
        manufacturerID: padded(MANUFACTURER),
        flags: 0,
        libraryDescription: padded("Keys that garnerd holds"),
        libraryVersion: VERSION,
    }
}

/// Of the slot.
pub fn slot() -> CK_SLOT_INFO {
    CK_SLOT_INFO {
        slotDescription: padded("garnerd"),
        manufacturerID: padded(MANUFACTURER),
        flags: CKF_TOKEN_PRESENT,
        hardwareVersion: VERSION,
        firmwareVersion: VERSION,
    }
}

/// Of the token, with which so many sessions are open, so many of them to write. It wants no PIN.
pub fn token((sessions, may_write): (CK_ULONG, CK_ULONG)) -> CK_TOKEN_INFO {
    CK_TOKEN_INFO {
        label: padded("garnerd"),
        manufacturerID: padded(MANUFACTURER),
        model: padded("daemon"),
        serialNumber: padded("1"),
        flags: CKF_TOKEN_INITIALIZED,
        ulMaxSessionCount: CK_EFFECTIVELY_INFINITE,
        ulSessionCount: sessions,
        ulMaxRwSessionCount: CK_EFFECTIVELY_INFINITE,
        ulRwSessionCount: may_write,
        ulMaxPinLen: 0,
        ulMinPinLen: 0,
        ulTotalPublicMemory: CK_UNAVAILABLE_INFORMATION,
        ulFreePublicMemory: CK_UNAVAILABLE_INFORMATION,
        ulTotalPrivateMemory: CK_UNAVAILABLE_INFORMATION,
        ulFreePrivateMemory: CK_UNAVAILABLE_INFORMATION,
        hardwareVersion: VERSION,
        firmwareVersion: VERSION,
        utcTime: padded(""),
    }
}

/// Of a session.
pub fn session(may_write: bool) -> CK_SESSION_INFO {
    let (state, flags) = match may_write {
        true => (CKS_RW_PUBLIC_SESSION, CKF_SERIAL_SESSION | CKF_RW_SESSION),
        false => (CKS_RO_PUBLIC_SESSION, CKF_SERIAL_SESSION),
    };
    CK_SESSION_INFO { slotID: SLOT, state, flags, ulDeviceError: 0 }
}
