// SPDX-License-Identifier: Apache-2.0
//! Objects found and their attributes: section 5.7.

use super::call;
use crate::memory;
use crate::{module, objects};
use cryptoki_sys::*;

pub unsafe extern "C" fn find_objects_init(
    session: CK_SESSION_HANDLE,
    template: *mut CK_ATTRIBUTE,
    count: CK_ULONG,
) -> CK_RV {
    call(|| {
        module::with_session(session, |session| match session.found {
            Some(_) => Err(CKR_OPERATION_ACTIVE),
            None => Ok(()),
        })?;
        let mut wanted = Vec::new();
        // SAFETY: by the caller's promise; the template's values are copied.
        for attribute in unsafe { memory::values(template, count)? } {
            // SAFETY: as above.
            let value = unsafe { memory::values(attribute.pValue.cast::<u8>(), attribute.ulValueLen)? };
            wanted.push((attribute.type_, value.to_vec()));
        }
        let mut found = objects::all()?;
        found.retain(|&handle| objects::get(handle).is_some_and(|object| object.has(&wanted)));
        // They are given from the end.
        found.reverse();
        module::with_session(session, |session| {
            session.found = Some(found);
            Ok(())
        })
    })
}

pub unsafe extern "C" fn find_objects(
    session: CK_SESSION_HANDLE,
    objects: *mut CK_OBJECT_HANDLE,
    room: CK_ULONG,
    count: *mut CK_ULONG,
) -> CK_RV {
    call(|| {
        module::with_session(session, |session| {
            let found = session.found.as_mut().ok_or(CKR_OPERATION_NOT_INITIALIZED)?;
            if objects.is_null() || count.is_null() {
                return Err(CKR_ARGUMENTS_BAD);
            }
            let mut given = 0;
            while given < room
                && let Some(handle) = found.pop()
            {
                // SAFETY: by the caller's promise, room for `room` handles and for their number.
                unsafe { objects.add(given as usize).write(handle) };
                given += 1;
            }
            // SAFETY: as above.
            unsafe { memory::write(count, given) }
        })
    })
}

pub unsafe extern "C" fn find_objects_final(session: CK_SESSION_HANDLE) -> CK_RV {
    call(|| {
        module::with_session(session, |session| session.found.take().map(drop).ok_or(CKR_OPERATION_NOT_INITIALIZED))
    })
}

pub unsafe extern "C" fn get_attribute_value(
    session: CK_SESSION_HANDLE,
    object: CK_OBJECT_HANDLE,
    template: *mut CK_ATTRIBUTE,
    count: CK_ULONG,
) -> CK_RV {
    call(|| {
        module::with_session(session, |_| Ok(()))?;
        let object = objects::get(object).ok_or(CKR_OBJECT_HANDLE_INVALID)?;
        if template.is_null() {
            return Err(CKR_ARGUMENTS_BAD);
        }
        // All of them are looked at, and one of their errors is given.
        let mut result = Ok(());
        for at in 0..count as usize {
            // SAFETY: by the caller's promise, `count` attributes, whose values have room for what their lengths say.
            let written = unsafe {
                let attribute = template.add(at);
                let value = object.attribute((*attribute).type_);
                let written = match &value {
                    Ok(value) => {
                        memory::write_all(value, (*attribute).pValue.cast::<u8>(), &raw mut (*attribute).ulValueLen)
                    }
                    Err(error) => Err(*error),
                };
                if written.is_err() {
                    (*attribute).ulValueLen = CK_UNAVAILABLE_INFORMATION;
                }
                written
            };
            result = result.and(written);
        }
        result
    })
}
