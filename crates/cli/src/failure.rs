// SPDX-License-Identifier: Apache-2.0
//! What ends a command early, and the exit status it gives.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

/// Why a command ended early. Each text names the thing at fault first.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A signature or ciphertext is not good, or a result was wrong.
    #[error("{0}")]
    Check(String),
    /// The command line asks for something that does not exist.
    #[error("{0}")]
    Usage(String),
    /// A line of the input is at fault.
    #[error("{0}")]
    Input(String),
    /// The machine, a file or another process stood in the way.
    #[error("{0}")]
    Environment(String),
    /// Standard output cannot be written.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// The same, and what follows from it or can be done about it.
    pub fn and(self, more: &str) -> Failure {
        match self {
            Failure::Check(text) => Failure::Check(format!("{text}; {more}")),
            Failure::Usage(text) => Failure::Usage(format!("{text}; {more}")),
            Failure::Input(text) => Failure::Input(format!("{text}; {more}")),
            Failure::Environment(text) => Failure::Environment(format!("{text}; {more}")),
            Failure::Output(error) => Failure::Output(error),
        }
    }

    /// The documented exit status.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Check(_) => ExitCode::from(1),
            Failure::Usage(_) => ExitCode::from(2),
            Failure::Input(_) | Failure::Environment(_) | Failure::Output(_) => ExitCode::from(3),
        }
    }
}

/// Says of what an error is, on its way to becoming a [`Failure::Environment`].
pub trait Of<T> {
    /// `subject: error`.
    fn of(self, subject: impl Display) -> Result<T, Failure>;
}

impl<T, E: Display> Of<T> for Result<T, E> {
    fn of(self, subject: impl Display) -> Result<T, Failure> {
        self.map_err(|error| Failure::Environment(format!("{subject}: {error}")))
    }
}
