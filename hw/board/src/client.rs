// SPDX-License-Identifier: Apache-2.0
//! The client as memory: what it mapped without a descriptor is read and written by asking it, over the socket on which it
//! asks us. Called by `memory`; `function` reads the socket and brings the answers.

use crate::device::BusError;
use crate::memory::{Remote, lock};
use bytemuck::bytes_of;
use garner_vfio_user::message::{DmaAccess, Header, command, flags, parse};
use garner_vfio_user::{Message, Socket};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long a client may take to answer a DMA request, or to take an answer.
pub(crate) const CLIENT_LIMIT: Duration = Duration::from_secs(5);
/// Answers that wait to be looked at. A client is asked one thing at a time, so that more are of no use.
const ANSWERS: usize = 4;

/// The client, asked for memory that it mapped without a descriptor.
pub(crate) struct Client {
    sender: Arc<Mutex<Socket>>,
    answers: Receiver<Message>,
    next_id: u16,
}

impl Client {
    /// A client at the other end of this socket; who reads the socket hands its answers to [`keep`] with the second.
    pub(crate) fn new(sender: Arc<Mutex<Socket>>) -> (Client, SyncSender<Message>) {
        let (answers, receiver) = mpsc::sync_channel(ANSWERS);
        (Client { sender, answers: receiver, next_id: 0 }, answers)
    }

    fn ask(&mut self, command: u16, parts: &[&[u8]]) -> Result<Vec<u8>, BusError> {
        let id = self.next_id;
        self.next_id = id.wrapping_add(1);
        while self.answers.try_recv().is_ok() {} // too late for theirs, and in the way of this one's
        let deadline = Instant::now() + CLIENT_LIMIT;
        lock(&self.sender).send(Header { id, command, ..Header::default() }, parts, &[]).map_err(|_| BusError)?;
        loop {
            let rest = deadline.saturating_duration_since(Instant::now());
            let answer = self.answers.recv_timeout(rest).map_err(|_| BusError)?;
            if answer.header.id == id {
                return if answer.header.flags & flags::ERROR == 0 { Ok(answer.body) } else { Err(BusError) };
            }
        }
    }
}

impl Remote for Client {
    fn read(&mut self, address: u64, data: &mut [u8]) -> Result<(), BusError> {
        let access = DmaAccess { address, count: data.len() as u64 };
        let answer = self.ask(command::DMA_READ, &[bytes_of(&access)])?;
        let (_, read): (DmaAccess, _) = parse(&answer).map_err(|_| BusError)?;
        if read.len() != data.len() {
            return Err(BusError);
        }
        data.copy_from_slice(read);
        Ok(())
    }

    fn write(&mut self, address: u64, data: &[u8]) -> Result<(), BusError> {
        let access = DmaAccess { address, count: data.len() as u64 };
        self.ask(command::DMA_WRITE, &[bytes_of(&access), data]).map(drop)
    }
}

/// Hands an answer to who asked. What nobody asked for must not pile up, nor may its descriptors.
pub(crate) fn keep(answers: &SyncSender<Message>, mut answer: Message) {
    answer.descriptors.clear();
    if answers.try_send(answer).is_err() {
        tracing::debug!("an answer to nothing");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::pipe::pipe;
    use std::os::unix::net::UnixStream;

    #[test]
    fn answers_that_nobody_asked_for_are_dropped_and_do_not_hide_the_right_one() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (mut client, answers) = Client::new(Arc::new(Mutex::new(Socket::new(ours))));
        let (read_end, write_end) = pipe().unwrap();
        let answer =
            |id, descriptors| Message { header: Header { id, ..Header::default() }, body: vec![5], descriptors };
        for id in 0..1000 {
            keep(&answers, answer(id, vec![write_end.try_clone().unwrap()]));
        }
        drop(write_end);
        assert_eq!(rustix::io::read(read_end, &mut [0; 1]), Ok(0), "no descriptor is kept");

        client.next_id = 9;
        let asked = std::thread::spawn(move || client.ask(command::DMA_READ, &[]));
        let request = Socket::new(theirs).receive().unwrap().header;
        keep(&answers, answer(request.id + 1, Vec::new()));
        keep(&answers, answer(request.id, Vec::new()));
        assert_eq!(asked.join().unwrap(), Ok(vec![5]));
    }
}
