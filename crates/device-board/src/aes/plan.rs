// SPDX-License-Identifier: Apache-2.0
//! Which fragment of which message an engine gets next: a state machine without memory, board or clock.
//!
//! An engine works on as many messages at once as it has channels (descriptors call the channel *message*). The fragments of
//! a message are a chain, so all of them take the same channel, in order; a channel begins another message only behind the
//! last fragment of the one before. Channels take turns, so that each has work while there are messages.

/// The most bytes of a fragment, and of a place in memory: so long that a descriptor costs little beside its data.
pub const FRAGMENT: usize = 8192;

/// A part of a message, for one descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fragment {
    /// Which message of the batch.
    pub message: usize,
    pub channel: usize,
    /// Where in the message it begins, and its bytes.
    pub offset: usize,
    pub length: usize,
    pub last: bool,
}

impl Fragment {
    /// Whether it begins its message.
    pub fn first(&self) -> bool {
        self.offset == 0
    }
}

/// What is still to be put of a batch of messages.
pub struct Plan<'a> {
    lengths: &'a [usize],
    /// The first message that no channel has.
    next: usize,
    /// The message of each channel, and how many of its bytes have been put.
    channels: Vec<Option<(usize, usize)>>,
    turn: usize,
}

impl Plan<'_> {
    /// Of messages of these lengths, none of them 0.
    pub fn new(lengths: &[usize], channels: usize) -> Plan<'_> {
        Plan { lengths, next: 0, channels: vec![None; channels], turn: 0 }
    }

    /// The fragment to be put next; none if all have been.
    pub fn next(&mut self) -> Option<Fragment> {
        for _ in 0..self.channels.len() {
            let channel = self.turn;
            self.turn = (self.turn + 1) % self.channels.len();
            if self.channels[channel].is_none() && self.next < self.lengths.len() {
                self.channels[channel] = Some((self.next, 0));
                self.next += 1;
            }
            if let Some((message, offset)) = self.channels[channel] {
                let length = (self.lengths[message] - offset).min(FRAGMENT);
                let last = offset + length == self.lengths[message];
                self.channels[channel] = (!last).then_some((message, offset + length));
                return Some(Fragment { message, channel, offset, length, last });
            }
        }
        None
    }

    /// Puts nothing more of a message, one of whose fragments failed.
    pub fn give_up(&mut self, message: usize) {
        for channel in &mut self.channels {
            if channel.is_some_and(|(current, _)| current == message) {
                *channel = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragments(plan: &mut Plan<'_>) -> Vec<Fragment> {
        std::iter::from_fn(|| plan.next()).collect()
    }

    #[test]
    fn fragments_cover_every_message_once_and_a_channel_ends_one_before_it_begins_another() {
        for (channels, lengths) in [
            (1, vec![16, 3 * FRAGMENT, FRAGMENT + 16]),
            (4, vec![5 * FRAGMENT, 16, 32, FRAGMENT, 7 * FRAGMENT + 48, 16]),
            (3, vec![16]),
            (2, vec![]),
        ] {
            let mut covered = vec![0; lengths.len()];
            let mut under_way = vec![None; channels];
            for fragment in fragments(&mut Plan::new(&lengths, channels)) {
                assert_eq!(fragment.offset, covered[fragment.message], "in order: {fragment:?}");
                assert!(fragment.length > 0 && fragment.length <= FRAGMENT);
                let current = under_way[fragment.channel];
                assert_eq!(current, (!fragment.first()).then_some(fragment.message), "{fragment:?}");
                under_way[fragment.channel] = (!fragment.last).then_some(fragment.message);
                covered[fragment.message] += fragment.length;
            }
            assert_eq!(covered, lengths);
            assert!(under_way.iter().all(Option::is_none));
        }
    }

    #[test]
    fn long_messages_take_turns_on_their_channels() {
        let lengths = [3 * FRAGMENT, 3 * FRAGMENT];
        let order: Vec<usize> = fragments(&mut Plan::new(&lengths, 2)).iter().map(|one| one.message).collect();
        assert_eq!(order, [0, 1, 0, 1, 0, 1]);
    }

    #[test]
    fn a_message_that_failed_leaves_its_channel_to_the_next_which_begins_anew() {
        let lengths = [4 * FRAGMENT, 16];
        let mut plan = Plan::new(&lengths, 1);
        assert_eq!(plan.next().map(|one| one.message), Some(0));
        plan.give_up(0);
        let next = plan.next().unwrap();
        assert!(next.message == 1 && next.first() && next.last);
        assert_eq!(plan.next(), None);
    }
}
