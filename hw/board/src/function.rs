// SPDX-License-Identifier: Apache-2.0
//! The board as a PCI function: serves one vfio-user client after the other.
//!
//! One thread reads requests. Register accesses are answered by the simulation's thread, so that requests of the board
//! itself (memory that was mapped without a descriptor) can be answered meanwhile.

use crate::client::{CLIENT_LIMIT, Client, keep};
use crate::config_space::{BAR2_SIZE, ConfigSpace, Effect, SIZE};
use crate::interface::board::PAGE_BYTES;
use crate::link::{Events, vectors};
use crate::memory::{Memory, lock};
use crate::simulation::{Request, Simulation};
use bytemuck::{Pod, bytes_of};
use garner_vfio_user::message::{
    DmaMap, DmaUnmap, Header, Info, IrqInfo, IrqSet, MAX_DESCRIPTORS, MAX_TRANSFER, RegionAccess, RegionInfo, Version,
    command, flags, parse, pci,
};
use garner_vfio_user::{Error, Message, Socket};
use rustix::io::Errno;
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

const BAR2: u32 = pci::BAR0 + 2;

/// A board and what its clients share with it.
pub struct Function {
    /// The design at work.
    pub simulation: Simulation,
    /// What the client has mapped.
    pub memory: Arc<Mutex<Memory>>,
    /// What the client wants signalled.
    pub events: Events,
}

/// What the client sees besides memory and registers.
struct Session<'a> {
    function: &'a Function,
    sender: Arc<Mutex<Socket>>,
    config: ConfigSpace,
    msix_table: Vec<u8>,
}

impl Function {
    /// Serves a client until it leaves; then the design is reset, which overwrites its keys.
    ///
    /// # Errors
    /// [`Error::Closed`] at the usual end, another when the client broke the protocol.
    pub fn serve(&self, stream: UnixStream) -> Error {
        stream.set_write_timeout(Some(CLIENT_LIMIT)).ok();
        let socket = Socket::new(stream);
        let ended = self.converse(&socket);
        // A client that broke the protocol shall notice.
        socket.stream().shutdown(std::net::Shutdown::Both).ok();
        // The design first, so that nothing goes to memory of the next client.
        self.reset();
        lock(&self.memory).restart(None);
        *lock(&self.events) = Default::default();
        ended
    }

    /// Bytes of registers, a power of two.
    fn registers(&self) -> u64 {
        (PAGE_BYTES * self.simulation.engines.next_power_of_two()) as u64
    }

    fn vectors(&self) -> usize {
        vectors(self.simulation.engines)
    }

    fn config_space(&self) -> ConfigSpace {
        ConfigSpace::new(self.vectors(), self.registers())
    }

    fn reset(&self) {
        let (done, wait) = mpsc::channel();
        self.simulation.request(Request::Reset(Box::new(move |_| done.send(()).unwrap_or(()))));
        let _ = wait.recv();
    }

    fn converse(&self, socket: &Socket) -> Error {
        let sender = match socket.try_clone() {
            Ok(clone) => Arc::new(Mutex::new(clone)),
            Err(error) => return error,
        };
        let (client, answers) = Client::new(Arc::clone(&sender));
        lock(&self.memory).restart(Some(Arc::new(Mutex::new(client))));
        let mut session =
            Session { function: self, sender, config: self.config_space(), msix_table: vec![0; BAR2_SIZE as usize] };
        loop {
            let message = match socket.receive() {
                Ok(message) if message.is_reply() => {
                    keep(&answers, message);
                    continue;
                }
                Ok(message) => message,
                Err(error) => return error,
            };
            let header = message.header;
            tracing::trace!(command = header.command, bytes = message.body.len(), "request");
            let answered = match session.handle(message) {
                Ok(Some(_)) | Err(_) if header.flags & flags::NO_REPLY != 0 => Ok(()),
                Ok(Some(body)) => lock(&session.sender).reply(header, &[&body]),
                Ok(None) => Ok(()),
                Err(errno) => {
                    tracing::debug!(command = header.command, %errno, "refused");
                    lock(&session.sender).refuse(header, errno.raw_os_error())
                }
            };
            if let Err(error) = answered {
                return error;
            }
        }
    }
}

/// The payload as `T`, or EINVAL.
fn payload<T: Pod>(message: &Message) -> Result<(T, &[u8]), Errno> {
    parse(&message.body).map_err(|_| Errno::INVAL)
}

fn bytes<T: Pod>(value: &T) -> Option<Vec<u8>> {
    Some(bytes_of(value).to_vec())
}

impl Session<'_> {
    /// The answer's payload; `None` when the simulation will answer.
    fn handle(&mut self, mut message: Message) -> Result<Option<Vec<u8>>, Errno> {
        let function = self.function;
        match message.header.command {
            command::VERSION => {
                let (version, _): (Version, _) = payload(&message)?;
                if version.major != 0 {
                    return Err(Errno::NOTSUP);
                }
                let capabilities = serde_json::json!({
                    "capabilities": {"max_msg_fds": MAX_DESCRIPTORS, "max_data_xfer_size": MAX_TRANSFER, "pgsizes": 4096}
                });
                let mut body = bytes_of(&version).to_vec();
                body.extend_from_slice(capabilities.to_string().as_bytes());
                body.push(0);
                Ok(Some(body))
            }
            command::DMA_MAP => {
                let (map, _): (DmaMap, _) = payload(&message)?;
                if message.descriptors.len() > 1 {
                    return Err(Errno::INVAL);
                }
                lock(&function.memory).map(&map, message.descriptors.pop())?;
                Ok(Some(Vec::new()))
            }
            command::DMA_UNMAP => {
                let (unmap, _): (DmaUnmap, _) = payload(&message)?;
                let size = lock(&function.memory).unmap(&unmap)?;
                Ok(bytes(&DmaUnmap { size, ..unmap }))
            }
            command::GET_INFO => Ok(bytes(&Info {
                argsz: size_of::<Info>() as u32,
                flags: Info::RESET | Info::PCI,
                regions: pci::REGIONS,
                interrupts: pci::INTERRUPTS,
            })),
            command::GET_REGION_INFO => {
                let (asked, _): (RegionInfo, _) = payload(&message)?;
                let size = match asked.index {
                    pci::BAR0 => function.registers(),
                    BAR2 => BAR2_SIZE,
                    pci::CONFIG => SIZE as u64,
                    index if index < pci::REGIONS => 0,
                    _ => return Err(Errno::INVAL),
                };
                let flags = if size > 0 { RegionInfo::READ_WRITE } else { 0 };
                let argsz = size_of::<RegionInfo>() as u32;
                Ok(bytes(&RegionInfo { argsz, flags, index: asked.index, size, ..RegionInfo::default() }))
            }
            command::GET_IRQ_INFO => {
                let (asked, _): (IrqInfo, _) = payload(&message)?;
                if asked.index >= pci::INTERRUPTS {
                    return Err(Errno::INVAL);
                }
                let count = if asked.index == pci::MSIX { function.vectors() as u32 } else { 0 };
                let flags = if count > 0 { IrqInfo::EVENT | IrqInfo::NO_RESIZE } else { 0 };
                Ok(bytes(&IrqInfo { argsz: size_of::<IrqInfo>() as u32, flags, index: asked.index, count }))
            }
            command::SET_IRQS => self.set_interrupts(message).map(|()| Some(Vec::new())),
            command::REGION_READ => self.read(&message),
            command::REGION_WRITE => self.write(&message),
            command::RESET => {
                self.reset(message.header, Vec::new());
                Ok(None)
            }
            _ => Err(Errno::NOTSUP),
        }
    }

    /// Resets the function; `answer` is the payload of the simulation's answer to the client. Maps and interrupts stay:
    /// the client made them, not the function.
    fn reset(&mut self, header: Header, answer: Vec<u8>) {
        lock(&self.function.memory).set_bus_master(false);
        self.config = self.function.config_space();
        self.msix_table.fill(0);
        let sender = Arc::clone(&self.sender);
        self.function.simulation.request(Request::Reset(Box::new(move |_| {
            if header.flags & flags::NO_REPLY == 0 {
                drop(lock(&sender).reply(header, &[&answer])); // if it failed, the reading thread notices
            }
        })));
    }

    fn set_interrupts(&mut self, message: Message) -> Result<(), Errno> {
        let (set, _): (IrqSet, _) = payload(&message)?;
        let mut events = lock(&self.function.events);
        if set.index != pci::MSIX {
            // Nothing to switch off there, and nothing to switch on.
            return if set.count == 0 { Ok(()) } else { Err(Errno::INVAL) };
        }
        let vectors = usize::try_from(set.start).ok().zip(usize::try_from(set.count).ok());
        let range = vectors.and_then(|(start, count)| Some(start..start.checked_add(count)?)).ok_or(Errno::INVAL)?;
        if set.count == 0 && set.flags & IrqSet::NONE != 0 {
            *events = Default::default();
            return Ok(());
        }
        if set.flags & IrqSet::EVENT == 0 || set.flags & IrqSet::TRIGGER == 0 {
            return Err(Errno::INVAL);
        }
        let slots = events[..self.function.vectors()].get_mut(range).ok_or(Errno::INVAL)?;
        if message.descriptors.len() > slots.len() {
            return Err(Errno::INVAL);
        }
        let mut descriptors = message.descriptors.into_iter();
        for slot in slots {
            *slot = descriptors.next(); // fewer descriptors than vectors: these are switched off
        }
        Ok(())
    }

    fn read(&mut self, message: &Message) -> Result<Option<Vec<u8>>, Errno> {
        let (access, _): (RegionAccess, _) = payload(message)?;
        let (offset, count) = place(access)?;
        let whole = |data: &[u8]| [bytes_of(&access), data].concat();
        match access.region {
            pci::BAR0 => {
                let offset = register(offset, count, self.function.registers())?;
                let (sender, header) = (Arc::clone(&self.sender), message.header);
                let answer = move |value: Result<u32, Errno>| {
                    let sender = lock(&sender);
                    let sent = match value {
                        Ok(value) => sender.reply(header, &[bytes_of(&access), &value.to_le_bytes()]),
                        Err(errno) => sender.refuse(header, errno.raw_os_error()),
                    };
                    drop(sent); // if it failed, the reading thread notices
                };
                self.function.simulation.request(Request::Read(offset, Box::new(answer)));
                Ok(None)
            }
            pci::CONFIG => Ok(Some(whole(self.config.read(offset, count).ok_or(Errno::INVAL)?))),
            BAR2 => {
                let end = offset.checked_add(count).ok_or(Errno::INVAL)?;
                Ok(Some(whole(self.msix_table.get(offset..end).ok_or(Errno::INVAL)?)))
            }
            _ => Err(Errno::INVAL),
        }
    }

    fn write(&mut self, message: &Message) -> Result<Option<Vec<u8>>, Errno> {
        let (access, data): (RegionAccess, _) = payload(message)?;
        let (offset, count) = place(access)?;
        if data.len() != count {
            return Err(Errno::INVAL);
        }
        match access.region {
            pci::BAR0 => {
                let offset = register(offset, count, self.function.registers())?;
                let value = u32::from_le_bytes(data.try_into().map_err(|_| Errno::INVAL)?);
                let (sender, header) = (Arc::clone(&self.sender), message.header);
                let answer = move |done: Result<(), Errno>| {
                    if header.flags & flags::NO_REPLY != 0 {
                        return;
                    }
                    let sender = lock(&sender);
                    let sent = match done {
                        Ok(()) => sender.reply(header, &[bytes_of(&access)]),
                        Err(errno) => sender.refuse(header, errno.raw_os_error()),
                    };
                    drop(sent); // if it failed, the reading thread notices
                };
                self.function.simulation.request(Request::Write(offset, value, Box::new(answer)));
                return Ok(None);
            }
            pci::CONFIG => {
                if self.config.write(offset, data).ok_or(Errno::INVAL)? == Effect::Reset {
                    self.reset(message.header, bytes_of(&access).to_vec());
                    return Ok(None);
                }
                lock(&self.function.memory).set_bus_master(self.config.is_bus_master());
            }
            BAR2 => {
                let end = offset.checked_add(count).ok_or(Errno::INVAL)?;
                self.msix_table.get_mut(offset..end).ok_or(Errno::INVAL)?.copy_from_slice(data);
            }
            _ => return Err(Errno::INVAL),
        }
        Ok(bytes(&access))
    }
}

fn place(access: RegionAccess) -> Result<(usize, usize), Errno> {
    let count = access.count as usize;
    if count > MAX_TRANSFER {
        return Err(Errno::INVAL);
    }
    Ok((usize::try_from(access.offset).map_err(|_| Errno::INVAL)?, count))
}

/// Registers are read and written whole.
fn register(offset: usize, count: usize, size: u64) -> Result<u16, Errno> {
    if count != 4 || !offset.is_multiple_of(4) || offset as u64 >= size { Err(Errno::INVAL) } else { Ok(offset as u16) }
}
