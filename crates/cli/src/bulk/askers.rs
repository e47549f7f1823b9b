// SPDX-License-Identifier: Apache-2.0
//! Signatures by keys that garnerd holds: threads that each have one asked for, since a request is answered to whoever waits.
//! So many together fill the daemon's batches.

use crate::failure::{Failure, Of};
use crate::options::held::Held;
use garner::signature::Scheme;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Requests under way at once: four full batches of the widest kernels.
const ASKERS: usize = 32;

/// What is to be signed, and where the signature goes.
struct Question {
    held: Arc<Held>,
    scheme: Scheme,
    digest: Vec<u8>,
    answer: SyncSender<Result<Vec<u8>, Failure>>,
}

/// The threads, from the first question on. They end when this is dropped and what was asked is answered.
#[derive(Default)]
pub struct Askers {
    questions: Option<SyncSender<Question>>,
}

impl Askers {
    /// Asks for a signature. Waits while as many are under way as there are threads, and as many ready for them.
    ///
    /// # Errors
    /// There are no threads to be had.
    pub fn ask(
        &mut self,
        held: &Arc<Held>,
        scheme: Scheme,
        digest: Vec<u8>,
    ) -> Result<Receiver<Result<Vec<u8>, Failure>>, Failure> {
        let (answer, receiver) = mpsc::sync_channel(1);
        let question = Question { held: Arc::clone(held), scheme, digest, answer };
        if self.questions.is_none() {
            self.questions = Some(start()?);
        }
        let questions = self.questions.as_ref().expect("made just now");
        questions.send(question).map_err(|_| Failure::Environment("the threads that ask garnerd died".to_owned()))?;
        Ok(receiver)
    }
}

fn start() -> Result<SyncSender<Question>, Failure> {
    let (sender, receiver) = mpsc::sync_channel::<Question>(ASKERS);
    let receiver = Arc::new(Mutex::new(receiver));
    for _ in 0..ASKERS {
        let receiver = Arc::clone(&receiver);
        let next = move || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
        let asker = move || {
            while let Some(Question { held, scheme, digest, answer }) = next() {
                // Nobody waits for it any more after an error of the output.
                let _ = answer.send(held.sign(scheme, &digest));
            }
        };
        thread::Builder::new().spawn(asker).of("a thread")?;
    }
    Ok(sender)
}
