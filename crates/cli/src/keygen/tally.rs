// SPDX-License-Identifier: Apache-2.0
//! How far a run came: in the end, and when it is interrupted.

use super::arguments::Arguments;
use crate::invocation;
use crate::output::{grouped, rate};
use crate::progress::per_second;
use serde::Serialize;
use std::time::{Duration, Instant};

/// Counts of keys.
#[derive(Clone)]
pub struct Tally {
    /// How many were asked for.
    pub asked: u64,
    /// Made and written in this run.
    pub made: u64,
    /// There before, and as they were asked for.
    pub found: u64,
    /// There before, and not so.
    pub refused: u64,
    /// When the first was begun.
    pub start: Instant,
}

/// How the work goes on after an interruption.
#[derive(Debug, Clone, Copy)]
pub enum Again {
    /// From the beginning: files are overwritten, or there is none.
    Anew,
    /// By the same command.
    Same,
    /// By the same command with `--resume`.
    Resume,
}

impl Again {
    /// After an interruption of what these options ask for.
    pub fn new(arguments: &Arguments) -> Again {
        match (arguments.resume, arguments.force || arguments.out.is_none()) {
            (true, _) => Again::Same,
            (false, true) => Again::Anew,
            (false, false) => Again::Resume,
        }
    }
}

/// The same for a program.
#[derive(Serialize)]
struct Json {
    keys: u64,
    made: u64,
    found: u64,
    refused: u64,
    /// Time in which this run made its own and wrote them.
    seconds: f64,
    /// Of those made in this run.
    per_second: f64,
}

impl Tally {
    /// None yet.
    pub fn new(asked: u64) -> Tally {
        Tally { asked, made: 0, found: 0, refused: 0, start: Instant::now() }
    }

    /// For a program.
    pub fn json(&self, elapsed: Duration) -> String {
        let Tally { asked: keys, made, found, refused, .. } = *self;
        let (seconds, per_second) = (elapsed.as_secs_f64(), per_second(made, elapsed));
        let json = Json { keys, made, found, refused, seconds, per_second };
        format!("{}\n", serde_json::to_string(&json).expect("numbers"))
    }

    /// For people.
    pub fn text(&self, elapsed: Duration) -> String {
        let rate = rate(per_second(self.made, elapsed));
        format!("{}; {:.1} s, {rate} per second", self.counts(), elapsed.as_secs_f64())
    }

    /// What an interruption leaves, and the command that goes on, where one can.
    pub fn interrupted(&self, again: Again) -> String {
        let command = invocation::whole();
        let again = match again {
            Again::Anew => "the same command begins anew".to_owned(),
            Again::Same => format!("to go on: {command}"),
            Again::Resume => format!("to go on: {command} --resume"),
        };
        format!("{} of {} keys; {again}", self.counts(), grouped(self.asked))
    }

    fn counts(&self) -> String {
        let [made, found, refused] = [self.made, self.found, self.refused].map(grouped);
        format!("{made} made, {found} found, {refused} refused")
    }
}
