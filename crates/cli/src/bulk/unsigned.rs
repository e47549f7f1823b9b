// SPDX-License-Identifier: Apache-2.0
//! Of the items whose signatures get files of their own, those that have none yet. The signatures that are there are
//! verified on the way.

use super::folder::Folder;
use super::jobs::{Job, Jobs};
use super::judge::{BATCH, Judge};
use super::keys::Key;
use crate::failure::Failure;
use crate::progress::Progress;
use garner::gather::Gatherer;
use garner::signature::Scheme;
use std::collections::VecDeque;
use std::sync::Arc;

/// The items that are to be signed.
pub struct Unsigned<K> {
    pub jobs: Jobs<K>,
    pub folder: Folder,
    pub gatherer: Arc<Gatherer>,
    pub scheme: Scheme,
    pub progress: Progress,
    /// Looked for already.
    pub ready: VecDeque<Job<K>>,
    /// Comes after those.
    pub failure: Option<Failure>,
}

impl<K: Key> Unsigned<K> {
    /// Reads on until some are to be signed, or the input ends.
    fn look(&mut self) -> Result<(), Failure> {
        let input = self.jobs.name().to_owned();
        while self.ready.is_empty() && self.failure.is_none() {
            let (mut there, mut ended) = (Vec::new(), true);
            for job in self.jobs.by_ref().take(BATCH) {
                ended = false;
                let job = match job {
                    Ok(job) => job,
                    Err(failure) => {
                        self.failure = Some(failure);
                        break;
                    }
                };
                let read = self.folder.read(&job.item, job.key.public().size());
                match read.map_err(|failure| super::wrong_line(&input, job.line, failure))? {
                    Some(signature) => there.push((job, Some(signature))),
                    None => self.ready.push_back(job),
                }
            }
            let judge = Judge { gatherer: &self.gatherer, scheme: self.scheme, input: &input };
            let verdicts = judge.verdicts(&there)?;
            if let Some(wrong) = verdicts.iter().position(|good| !good) {
                let job = &there[wrong].0;
                let name = self.folder.name_of(&job.item.name);
                let text = format!("{name}: is not the signature of {input}:{}", job.line);
                let text = format!("{text} by this key and scheme; --force makes all of them anew");
                return Err(Failure::Environment(text));
            }
            self.progress.found(verdicts.len() as u64);
            if ended {
                break;
            }
        }
        Ok(())
    }
}

impl<K: Key> Iterator for Unsigned<K> {
    type Item = Result<Job<K>, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.folder.replaces() {
            return self.jobs.next();
        }
        if let Err(failure) = self.look() {
            self.failure = Some(failure);
        }
        match self.ready.pop_front() {
            Some(job) => Some(Ok(job)),
            None => self.failure.take().map(Err),
        }
    }
}
