// SPDX-License-Identifier: Apache-2.0
//! The addresses of boards, and which way leads to each.

use super::transport::Transport;
use super::vfio::Vfio;
use super::vfio_user::VfioUser;
use std::io;
use std::path::Path;

/// Opens `vfio-user:PATH`, or a PCI address as `0000:03:00.0`.
///
/// # Errors
/// The address is neither, or nothing usable is there.
pub fn open(address: &str) -> io::Result<Box<dyn Transport>> {
    if let Some(path) = address.strip_prefix("vfio-user:") {
        return Ok(Box::new(VfioUser::open(Path::new(path))?));
    }
    if is_pci_address(address) {
        return Ok(Box::new(Vfio::open(address)?));
    }
    let reason = format!("{address:?} is neither vfio-user:PATH nor a PCI address as 0000:03:00.0");
    Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
}

fn is_pci_address(text: &str) -> bool {
    let hex = |text: &str, digits: usize| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts: Vec<&str> = text.split([':', '.']).collect();
    matches!(parts[..], [domain, bus, device, function]
        if hex(domain, 4) && hex(bus, 2) && hex(device, 2) && hex(function, 1))
        && text.len() == 12
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_neither_kind_or_of_nothing_is_refused() {
        assert!(is_pci_address("0000:03:00.0") && !is_pci_address("03:00.0") && !is_pci_address("../etc:ab:cd.e"));
        let error = open("pci0").err().unwrap().to_string();
        assert!(error.contains("\"pci0\""), "{error}");
        assert!(open("vfio-user:/nonexistent/board").is_err());
        // Who opens a device says its address.
        assert_eq!(open("ffff:ff:1f.7").err().unwrap().to_string(), "there is no such PCI function");
    }
}
