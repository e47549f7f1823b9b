// SPDX-License-Identifier: Apache-2.0
//! Layouts of all messages, little-endian as on the machines that share a UNIX socket.

use bytemuck::{Pod, Zeroable};

/// Commands.
pub mod command {
    #![allow(missing_docs)] // the specification's names
    pub const VERSION: u16 = 1;
    pub const DMA_MAP: u16 = 2;
    pub const DMA_UNMAP: u16 = 3;
    pub const GET_INFO: u16 = 4;
    pub const GET_REGION_INFO: u16 = 5;
    pub const GET_IRQ_INFO: u16 = 7;
    pub const SET_IRQS: u16 = 8;
    pub const REGION_READ: u16 = 9;
    pub const REGION_WRITE: u16 = 10;
    pub const DMA_READ: u16 = 11;
    pub const DMA_WRITE: u16 = 12;
    pub const RESET: u16 = 13;
}

/// Bits of [`Header::flags`].
pub mod flags {
    /// The type of a message is in these bits: 0 command, 1 reply.
    pub const TYPE: u32 = 0xF;
    /// It is a reply.
    pub const REPLY: u32 = 1;
    /// No reply is wanted.
    pub const NO_REPLY: u32 = 1 << 4;
    /// The reply tells an error.
    pub const ERROR: u32 = 1 << 5;
}

/// Indices of VFIO's regions and interrupts of a PCI function.
pub mod pci {
    /// The first base address register's region; the next five follow.
    pub const BAR0: u32 = 0;
    /// Configuration space.
    pub const CONFIG: u32 = 7;
    /// How many regions there are.
    pub const REGIONS: u32 = 9;
    /// MSI-X among the interrupts.
    pub const MSIX: u32 = 2;
    /// How many kinds of interrupts there are: INTx, MSI, MSI-X. The kernel's two others, errors and requests to let
    /// go, need not be offered.
    pub const INTERRUPTS: u32 = 3;
}

/// Longest payload of a region or DMA access, in bytes.
pub const MAX_TRANSFER: usize = 1 << 20;
/// Most descriptors with one message.
pub const MAX_DESCRIPTORS: usize = 8;

/// Starts every message; `size` includes it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct Header {
    pub id: u16,
    pub command: u16,
    pub size: u32,
    pub flags: u32,
    pub error: u32,
}

/// VERSION: followed by JSON, ending in a zero byte.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct Version {
    pub major: u16,
    pub minor: u16,
}

/// DMA_MAP. With a descriptor, the device maps it from `offset` on; without, it asks by DMA_READ and DMA_WRITE.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct DmaMap {
    pub argsz: u32,
    pub flags: u32,
    pub offset: u64,
    pub address: u64,
    pub size: u64,
}

impl DmaMap {
    /// In `flags`: the device may read.
    pub const READ: u32 = 1;
    /// In `flags`: the device may write.
    pub const WRITE: u32 = 2;
}

/// DMA_UNMAP; the reply is the same.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct DmaUnmap {
    pub argsz: u32,
    pub flags: u32,
    pub address: u64,
    pub size: u64,
}

impl DmaUnmap {
    /// In `flags`: everything; address and size are 0.
    pub const ALL: u32 = 1 << 1;
}

/// GET_INFO.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct Info {
    pub argsz: u32,
    pub flags: u32,
    pub regions: u32,
    pub interrupts: u32,
}

impl Info {
    /// In `flags`: RESET works.
    pub const RESET: u32 = 1;
    /// In `flags`: it is a PCI function.
    pub const PCI: u32 = 2;
}

/// GET_REGION_INFO.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct RegionInfo {
    pub argsz: u32,
    pub flags: u32,
    pub index: u32,
    pub capabilities: u32,
    pub size: u64,
    pub offset: u64,
}

impl RegionInfo {
    /// In `flags`: readable and writable.
    pub const READ_WRITE: u32 = 3;
}

/// GET_IRQ_INFO.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct IrqInfo {
    pub argsz: u32,
    pub flags: u32,
    pub index: u32,
    pub count: u32,
}

impl IrqInfo {
    /// In `flags`: signalled by event descriptors.
    pub const EVENT: u32 = 1;
    /// In `flags`: all or none are set at once.
    pub const NO_RESIZE: u32 = 1 << 3;
}

/// SET_IRQS, with event descriptors.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct IrqSet {
    pub argsz: u32,
    pub flags: u32,
    pub index: u32,
    pub start: u32,
    pub count: u32,
}

impl IrqSet {
    /// In `flags`: no data; with count 0, the interrupts are switched off.
    pub const NONE: u32 = 1;
    /// In `flags`: event descriptors come along.
    pub const EVENT: u32 = 1 << 2;
    /// In `flags`: they are to be signalled when the interrupt is.
    pub const TRIGGER: u32 = 1 << 5;
}

/// REGION_READ and REGION_WRITE; data follow in a write and in the reply to a read.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct RegionAccess {
    pub offset: u64,
    pub region: u32,
    pub count: u32,
}

/// DMA_READ and DMA_WRITE, from the device's side; data as with [`RegionAccess`].
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct DmaAccess {
    pub address: u64,
    pub count: u64,
}

/// A message's payload as `T`, and what follows it.
///
/// # Errors
/// [`crate::Error::Malformed`] when the payload is shorter than a `T`.
pub fn parse<T: Pod>(body: &[u8]) -> Result<(T, &[u8]), crate::Error> {
    let Some((head, rest)) = body.split_at_checked(size_of::<T>()) else {
        return Err(crate::Error::Malformed(format!("{} bytes, at least {} expected", body.len(), size_of::<T>())));
    };
    Ok((bytemuck::pod_read_unaligned(head), rest))
}
