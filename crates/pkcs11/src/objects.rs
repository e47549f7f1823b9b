// SPDX-License-Identifier: Apache-2.0
//! Keys as objects: each has a public and a private one, with the daemon's name for it as label and the beginning of its
//! modulus's SHA-256 as identifier.

use crate::failure::failure;
use crate::keys::NamedKey;
use crate::memory::Result;
use crate::module;
use cryptoki_sys::*;
use garner_remote::message::Refusal;
use garner_remote::{Error, HeldKey};
use std::sync::Arc;

/// One object.
#[derive(Debug, Clone)]
pub struct Object {
    /// Its key.
    pub key: Arc<NamedKey>,
    is_private: bool,
}

/// Asks the daemon which keys there are, and gives the handles of their objects. The first key has handles 1 and 2. Where another
/// key has come in the place of one, its objects have new handles.
pub fn all() -> Result<Vec<CK_OBJECT_HANDLE>> {
    let names = HeldKey::names().map_err(|error| failure(&error))?;
    let mut handles = Vec::new();
    for name in names {
        let key = match NamedKey::new(name) {
            Ok(key) => key,
            // It is gone meanwhile.
            Err(Error::Refused(Refusal::NoKey)) => continue,
            Err(error) => return Err(failure(&error)),
        };
        let at = module::with(|module| {
            let same = |other: &Arc<NamedKey>| (&other.name, other.identifier) == (&key.name, key.identifier);
            Ok(module.keys.iter().position(same).unwrap_or_else(|| {
                module.keys.push(Arc::new(key));
                module.keys.len() - 1
            }))
        })?;
        let first = 2 * at as CK_OBJECT_HANDLE + 1;
        handles.extend([first, first + 1]);
    }
    Ok(handles)
}

/// The object of that handle.
pub fn get(handle: CK_OBJECT_HANDLE) -> Option<Object> {
    let at = usize::try_from(handle).ok()?.checked_sub(1)?;
    let key = module::with(|module| Ok(module.keys.get(at / 2).map(Arc::clone))).ok()??;
    Some(Object { key, is_private: at % 2 == 1 })
}

fn number(value: CK_ULONG) -> Vec<u8> {
    value.to_ne_bytes().to_vec()
}

impl Object {
    /// The key, if this is the private object.
    pub fn private(self) -> Option<Arc<NamedKey>> {
        self.is_private.then_some(self.key)
    }

    /// The value of an attribute.
    ///
    /// # Errors
    /// `CKR_ATTRIBUTE_SENSITIVE` for what nobody gets, `CKR_ATTRIBUTE_TYPE_INVALID` for what it has not.
    pub fn attribute(&self, kind: CK_ATTRIBUTE_TYPE) -> Result<Vec<u8>> {
        let truth = |value: bool| vec![if value { CK_TRUE } else { CK_FALSE }];
        let public = self.key.key.public();
        Ok(match kind {
            CKA_CLASS => number(if self.is_private { CKO_PRIVATE_KEY } else { CKO_PUBLIC_KEY }),
            CKA_KEY_TYPE => number(CKK_RSA),
            CKA_LABEL => self.key.name.clone().into_bytes(),
            CKA_ID => self.key.identifier.to_vec(),
            CKA_MODULUS => self.key.key.modulus(),
            CKA_PUBLIC_EXPONENT => self.key.key.public_exponent(),
            CKA_MODULUS_BITS => number(public.bits() as CK_ULONG),
            CKA_TOKEN => truth(true),
            CKA_PRIVATE | CKA_MODIFIABLE | CKA_LOCAL | CKA_DERIVE => truth(false),
            CKA_SIGN | CKA_DECRYPT | CKA_SENSITIVE if self.is_private => truth(true),
            CKA_EXTRACTABLE | CKA_ALWAYS_AUTHENTICATE | CKA_SIGN_RECOVER | CKA_UNWRAP if self.is_private => {
                truth(false)
            }
            CKA_ALWAYS_SENSITIVE | CKA_NEVER_EXTRACTABLE if self.is_private => truth(false),
            CKA_VERIFY | CKA_ENCRYPT | CKA_WRAP | CKA_VERIFY_RECOVER if !self.is_private => truth(false),
            CKA_PRIVATE_EXPONENT | CKA_PRIME_1 | CKA_PRIME_2 | CKA_EXPONENT_1 | CKA_EXPONENT_2 | CKA_COEFFICIENT
                if self.is_private =>
            {
                return Err(CKR_ATTRIBUTE_SENSITIVE);
            }
            _ => return Err(CKR_ATTRIBUTE_TYPE_INVALID),
        })
    }

    /// Whether it has all of these attributes with these values.
    pub fn has(&self, wanted: &[(CK_ATTRIBUTE_TYPE, Vec<u8>)]) -> bool {
        wanted.iter().all(|(kind, value)| self.attribute(*kind).is_ok_and(|own| own == *value))
    }
}
