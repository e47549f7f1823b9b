// SPDX-License-Identifier: Apache-2.0
//! One call without its socket and its clock: what happened goes in, what is to be done next comes out. So all that may happen
//! to it can be tried, from a seed, in any order.
//!
//! ```text
//!            used connection gone                    rested
//!          ┌──────────────────────┐        ┌───────────────────────┐
//!          v                      │        v                       │
//!   ──> Connect ──connected──> Send ──sent──> Receive ──refused for now, gone──> Pause
//!          │                                  │    ^ │                           │
//!          └─gone─> Pause                     │    └─┘ another call's answer     └─no patience left──> End
//!                                             └──answered, refused for good──> End
//! ```

use crate::error::Error;
use crate::message::{self, Refusal, Response, VERSION};
use garner::secret::Wiped;
use rustix::io::Errno;
use std::path::PathBuf;
use std::time::Duration;

/// Pauses between two tries to connect: the first, and the longest.
pub const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(100));

/// One request, until its answer or the end of its patience.
#[derive(Debug)]
pub struct Call {
    id: u64,
    path: PathBuf,
    patience: Duration,
    pause: Duration,
    /// Whether the connection served a call before this one.
    is_used: bool,
    /// Why it was refused last, for now.
    refused: Option<Refusal>,
}

/// What happened.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// There is a connection; `is_used` if a call before this one has used it.
    Connected {
        /// See above.
        is_used: bool,
    },
    /// The request is on its way.
    Sent,
    /// A packet came.
    Packet(&'a [u8]),
    /// Nobody is there, the other side is gone, or the call's patience was over while it waited.
    Gone(Errno),
    /// The pause is over.
    Rested,
}

/// What is to be done next.
#[derive(Debug)]
pub enum Step {
    /// Take a connection on which nothing is under way, or make one.
    Connect {
        /// Make a new one, and end all others: the daemon of their time is gone.
        anew: bool,
    },
    /// Send the request.
    Send,
    /// Wait for a packet.
    Receive,
    /// End the connection, if there is one and it is not kept; then wait so long.
    Pause {
        /// How long.
        time: Duration,
        /// Whether another call may use the connection.
        keep: bool,
    },
    /// Give this result.
    End {
        /// The answer, or why there is none.
        result: Result<Wiped<u8>, Error>,
        /// Whether another call may use the connection.
        keep: bool,
    },
}

impl Call {
    /// The call of this number to the daemon at `path`, with so much patience. It begins with [`Step::Connect`], not anew.
    pub fn new(id: u64, path: PathBuf, patience: Duration) -> Call {
        Call { id, path, patience, pause: PAUSES.0, is_used: false, refused: None }
    }

    /// What is to be done after `event`, so long after the call's beginning.
    pub fn after(&mut self, event: Event<'_>, elapsed: Duration) -> Step {
        match event {
            Event::Connected { is_used } => {
                self.is_used = is_used;
                Step::Send
            }
            Event::Sent => Step::Receive,
            Event::Packet(packet) => self.received(packet, elapsed),
            // The daemon that this connection was with is gone; another may be there.
            Event::Gone(_) if self.is_used && elapsed < self.patience => {
                self.is_used = false;
                Step::Connect { anew: true }
            }
            Event::Gone(error) => {
                let failure = match self.refused.take() {
                    // The patience was over before the answer to another try.
                    Some(refusal) if error == Errno::TIMEDOUT => Error::Refused(refusal),
                    _ => Error::Unreachable { path: self.path.clone(), reason: error.to_string() },
                };
                self.again(failure, elapsed, false)
            }
            Event::Rested => Step::Connect { anew: false },
        }
    }

    fn received(&mut self, packet: &[u8], elapsed: Duration) -> Step {
        let for_good = |error, keep| Step::End { result: Err(error), keep };
        match message::decode::<Response<'_>>(packet) {
            // A connection too many has no number. Another may end.
            Ok(Response { id: 0, answer: Err(refusal @ Refusal::TooMany) }) => self.refused(refusal, elapsed, false),
            // Nor has what could not be read; nothing more is to be expected here.
            Ok(Response { id: 0, answer: Err(refusal) }) => for_good(Error::Refused(refusal), false),
            // Late, or doubled: it belongs to a call that has ended.
            Ok(Response { id, .. }) if id != self.id => Step::Receive,
            Ok(Response { answer: Ok(bytes), .. }) => Step::End { result: Ok(Wiped::from(bytes.to_vec())), keep: true },
            // Maybe a daemon that is ending; or the client may do more in a moment.
            Ok(Response { answer: Err(refusal @ (Refusal::Failed(_) | Refusal::TooMany)), .. }) => {
                self.refused(refusal, elapsed, true)
            }
            Ok(Response { answer: Err(refusal), .. }) => for_good(Error::Refused(refusal), true),
            Err(Refusal::Version(_)) if packet[0] != VERSION => {
                for_good(Error::Refused(Refusal::Version(packet[0])), false)
            }
            Err(_) => for_good(Error::Malformed, false),
        }
    }

    /// Refused for now.
    fn refused(&mut self, refusal: Refusal, elapsed: Duration, keep: bool) -> Step {
        self.refused = Some(refusal.clone());
        self.again(Error::Refused(refusal), elapsed, keep)
    }

    /// Once more after a pause, or, if the patience does not last so long, no more because of this failure.
    fn again(&mut self, failure: Error, elapsed: Duration, keep: bool) -> Step {
        if elapsed + self.pause >= self.patience {
            return Step::End { result: Err(failure), keep };
        }
        let time = self.pause;
        self.pause = (2 * time).min(PAUSES.1);
        Step::Pause { time, keep }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(1);
    const SOON: Duration = Duration::from_millis(1);

    fn sent(is_used: bool) -> Call {
        let mut call = Call::new(7, "/run/socket".into(), PATIENCE);
        assert!(matches!(call.after(Event::Connected { is_used }, SOON), Step::Send));
        assert!(matches!(call.after(Event::Sent, SOON), Step::Receive));
        call
    }

    fn packet(id: u64, answer: Result<&[u8], Refusal>) -> message::Packet {
        message::encode(&Response { id, answer }).unwrap()
    }

    #[test]
    fn answers_of_other_calls_are_passed_over_and_its_own_is_given() {
        let mut call = sent(true);
        assert!(matches!(call.after(Event::Packet(&packet(6, Ok(b"old"))), SOON), Step::Receive));
        let failed = packet(6, Err(Refusal::Failed(String::new())));
        assert!(matches!(call.after(Event::Packet(&failed), SOON), Step::Receive));
        match call.after(Event::Packet(&packet(7, Ok(b"new"))), SOON) {
            Step::End { result: Ok(bytes), keep: true } => assert_eq!(bytes[..], *b"new"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_used_connection_that_is_gone_costs_no_pause_and_a_new_one_does() {
        let mut call = sent(true);
        assert!(matches!(call.after(Event::Gone(Errno::PIPE), SOON), Step::Connect { anew: true }));
        let mut pauses = Vec::new();
        while let Step::Pause { time, keep } = call.after(Event::Gone(Errno::CONNREFUSED), SOON) {
            assert!(!keep);
            pauses.push(time.as_millis());
            assert!(matches!(call.after(Event::Rested, SOON), Step::Connect { anew: false }));
            if pauses.len() == 9 {
                break;
            }
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 100, 100]);
        let late = call.after(Event::Gone(Errno::CONNREFUSED), PATIENCE - SOON);
        assert!(matches!(late, Step::End { result: Err(Error::Unreachable { .. }), keep: false }), "{late:?}");
    }

    #[test]
    fn who_may_do_no_more_in_this_second_waits_on_the_connection_and_says_why_in_the_end() {
        let mut call = sent(false);
        let too_many = packet(7, Err(Refusal::TooMany));
        assert!(matches!(call.after(Event::Packet(&too_many), SOON), Step::Pause { keep: true, .. }));
        assert!(matches!(call.after(Event::Rested, SOON), Step::Connect { anew: false }));
        assert!(matches!(call.after(Event::Connected { is_used: true }, SOON), Step::Send));
        match call.after(Event::Packet(&packet(7, Ok(b"signature"))), SOON) {
            Step::End { result: Ok(bytes), keep: true } => assert_eq!(bytes[..], *b"signature"),
            other => panic!("{other:?}"),
        }
        let last = sent(false).after(Event::Packet(&too_many), PATIENCE);
        assert!(matches!(last, Step::End { result: Err(Error::Refused(Refusal::TooMany)), keep: true }), "{last:?}");
    }

    #[test]
    fn what_is_refused_for_now_is_tried_again_and_what_has_no_number_ends_the_connection() {
        let mut call = sent(false);
        let failed = packet(7, Err(Refusal::Failed("ending".to_owned())));
        assert!(matches!(call.after(Event::Packet(&failed), SOON), Step::Pause { keep: true, .. }));
        let too_many = packet(0, Err(Refusal::TooMany));
        assert!(matches!(call.after(Event::Packet(&too_many), SOON), Step::Pause { keep: false, .. }));
        let last = call.after(Event::Packet(&too_many), PATIENCE);
        assert!(matches!(last, Step::End { result: Err(Error::Refused(Refusal::TooMany)), keep: false }), "{last:?}");
        let mut call = sent(false);
        call.after(Event::Packet(&too_many), SOON);
        let last = call.after(Event::Gone(Errno::TIMEDOUT), PATIENCE);
        assert!(matches!(last, Step::End { result: Err(Error::Refused(Refusal::TooMany)), keep: false }), "{last:?}");
        for (id, refusal, kept) in [(7, Refusal::NoKey, true), (0, Refusal::Malformed, false)] {
            match sent(false).after(Event::Packet(&packet(id, Err(refusal.clone()))), SOON) {
                Step::End { result: Err(Error::Refused(given)), keep } => assert_eq!((given, keep), (refusal, kept)),
                other => panic!("{other:?}"),
            }
        }
        let noise = sent(false).after(Event::Packet(&[VERSION, 200, 200]), SOON);
        assert!(matches!(noise, Step::End { result: Err(Error::Malformed), keep: false }), "{noise:?}");
        let version = sent(false).after(Event::Packet(&[9, 0]), SOON);
        assert!(matches!(version, Step::End { result: Err(Error::Refused(Refusal::Version(9))), keep: false }));
    }
}
