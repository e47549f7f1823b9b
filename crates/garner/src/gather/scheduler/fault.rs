// SPDX-License-Identifier: Apache-2.0
//! Faults in the scheduler, which only its simulation seeds, and must find.

/// What the scheduler then does wrong.
#[cfg(test)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A follower is made a candidate and not woken.
    WakeLost,
    /// A batch that panics keeps its slot.
    SlotLeakedByPanic,
    /// A caller takes the slot that is reserved for an assigned executor.
    ReservedSlotTaken,
    /// A caller begins a batch on a processor that computes one.
    ProcessorShared,
    /// A candidate waits for more though its batch is full.
    FullBatchYields,
    /// A candidate that finds no slot stays one, asleep.
    CandidateStays,
    /// One operation of a larger batch is neither run nor answered.
    OperationLost,
    /// The end of a batch assigns nobody.
    EndAssignsNobody,
    /// A leader that ran older operations first is never woken for its own.
    LeaderNeverFollows,
    /// An executor that could not be started stays assigned.
    FailedStartStaysAssigned,
    /// An executor that is through looks after one pool only.
    OtherPoolForgotten,
    /// Who waits for room in the queue is not told of it.
    RoomNotTold,
    /// Retired executors are not told that the last ticket was run.
    RetirementNotTold,
    /// Shut-down is not told that the last answers were given.
    CloseNotTold,
}

/// Whether the simulation seeded this fault; never outside of it.
macro_rules! seeded {
    ($scheduler:expr, $fault:ident) => {{
        #[cfg(test)]
        let seeded = $scheduler.fault == Some(crate::gather::scheduler::fault::Fault::$fault);
        #[cfg(not(test))]
        let seeded = false;
        seeded
    }};
}
pub(super) use seeded;
