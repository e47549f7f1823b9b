// SPDX-License-Identifier: Apache-2.0
//! A key on its way from a program to the daemon: PKCS#1 in a sealed memory file (`memfd_create`). The file's pages are the two
//! processes' alone, and nobody can change or cut them off while they are read.

use garner::key::{Components, PrivateKey};
use pkcs1::RsaPrivateKeyRef;
use pkcs1::der::Decode;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, fstat, memfd_create};
use rustix::io::{Errno, pread, write};
use std::os::fd::{AsFd, OwnedFd};
use zeroize::Zeroizing;

/// Longest key in bytes: one of 8,192 bits in PKCS#1 has 4,700.
pub const LONGEST: usize = 8192;

const SEALS: SealFlags = SealFlags::SHRINK.union(SealFlags::GROW).union(SealFlags::WRITE).union(SealFlags::SEAL);

/// The key in a file of its own.
///
/// # Errors
/// The system's: it has no such files, or no memory.
pub fn sealed(key: &PrivateKey) -> Result<OwnedFd, Errno> {
    let der = key.to_pkcs1_der();
    let file = memory_file()?;
    let mut left = &der[..];
    while !left.is_empty() {
        left = &left[write(&file, left)?..];
    }
    fcntl_add_seals(&file, SEALS)?;
    Ok(file)
}

/// A memory file that cannot be executed: a system may refuse others (`vm.memfd_noexec = 2`). Linux before 6.3 does not know of
/// such files.
fn memory_file() -> Result<OwnedFd, Errno> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    match memfd_create("garner-key", flags | MemfdFlags::NOEXEC_SEAL) {
        Err(Errno::INVAL) => memfd_create("garner-key", flags),
        made => made,
    }
}

/// What is in a file that a program handed over.
///
/// # Errors
/// What is wrong with the file. One without seals is not looked into: reading it might wait for ever.
pub fn read(file: impl AsFd) -> Result<Zeroizing<Vec<u8>>, String> {
    if !fcntl_get_seals(&file).is_ok_and(|seals| seals.contains(SEALS)) {
        return Err("is not in sealed memory".to_owned());
    }
    let size = fstat(&file).map_err(|error| error.to_string())?.st_size;
    let size = usize::try_from(size).ok().filter(|size| (1..=LONGEST).contains(size));
    let mut der = Zeroizing::new(vec![0; size.ok_or_else(|| format!("has {LONGEST} bytes at most"))?]);
    let mut done = 0;
    while done < der.len() {
        match pread(&file, &mut der[done..], done as u64) {
            Ok(0) => return Err("ends too early".to_owned()),
            Ok(count) => done += count,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(der)
}

/// The key in what was read. It must have all its numbers, as [`sealed`] writes them: finding primes takes long.
///
/// # Errors
/// What is wrong with it.
pub fn key(der: &[u8]) -> Result<PrivateKey, String> {
    let key = RsaPrivateKeyRef::from_der(der).ok().filter(|key| key.other_prime_infos.is_none());
    let key = key.ok_or("is no PKCS#1 of two primes")?;
    let key = PrivateKey::from_components(&Components {
        modulus: key.modulus.as_bytes(),
        public_exponent: key.public_exponent.as_bytes(),
        private_exponent: key.private_exponent.as_bytes(),
        prime1: key.prime1.as_bytes(),
        prime2: key.prime2.as_bytes(),
        exponent1: key.exponent1.as_bytes(),
        exponent2: key.exponent2.as_bytes(),
        coefficient: key.coefficient.as_bytes(),
    });
    key.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use openssl::rsa::Rsa;
    use rustix::fs::ftruncate;
    use rustix::pipe::pipe;

    fn opened(file: impl AsFd) -> Result<PrivateKey, String> {
        key(&read(file)?)
    }

    fn made() -> PrivateKey {
        PrivateKey::from_der(&Rsa::generate(1024).unwrap().private_key_to_der().unwrap()).unwrap()
    }

    #[test]
    fn a_sealed_key_is_opened_again_and_can_neither_be_changed_nor_cut_off() {
        let key = made();
        let file = sealed(&key).unwrap();
        assert_eq!(opened(&file).unwrap().to_pkcs1_der(), key.to_pkcs1_der());
        assert_eq!(write(&file, b"x"), Err(Errno::PERM));
        assert_eq!(ftruncate(&file, 0), Err(Errno::PERM));
        if std::fs::read_to_string("/proc/sys/vm/memfd_noexec").is_ok() {
            assert_eq!(fstat(&file).unwrap().st_mode & 0o111, 0, "nobody executes it");
        }
        // Whoever reads does not depend on where its owner stands in the file.
        assert_eq!(opened(&file).unwrap().to_pkcs1_der(), key.to_pkcs1_der());
    }

    #[test]
    fn a_key_without_its_primes_is_refused_before_anybody_looks_for_them() {
        let stub = crate::stub::read(crate::stub::to_pem("www", made().public()).as_bytes()).unwrap();
        assert_eq!(stub.name, "www");
        let pem = crate::stub::to_pem("www", made().public());
        let der = Rsa::private_key_from_pem(pem.as_bytes()).unwrap().private_key_to_der().unwrap();
        assert!(key(&der).unwrap_err().contains("prime"), "{}", key(&der).unwrap_err());
    }

    #[test]
    fn other_files_are_refused_without_reading_them() {
        let (reader, _writer) = pipe().unwrap();
        assert_eq!(opened(&reader).unwrap_err(), "is not in sealed memory");
        let open = memfd_create("open", MemfdFlags::ALLOW_SEALING).unwrap();
        write(&open, &made().to_pkcs1_der()).unwrap();
        assert_eq!(opened(&open).unwrap_err(), "is not in sealed memory");
        for size in [0, LONGEST as u64 + 1] {
            let file = memfd_create("size", MemfdFlags::ALLOW_SEALING).unwrap();
            ftruncate(&file, size).unwrap();
            fcntl_add_seals(&file, SEALS).unwrap();
            assert_eq!(opened(&file).unwrap_err(), "has 8192 bytes at most", "{size} bytes");
        }
        let noise = memfd_create("noise", MemfdFlags::ALLOW_SEALING).unwrap();
        write(&noise, &[7; 600]).unwrap();
        fcntl_add_seals(&noise, SEALS).unwrap();
        assert!(opened(&noise).is_err());
    }
}
