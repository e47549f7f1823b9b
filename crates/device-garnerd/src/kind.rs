// SPDX-License-Identifier: Apache-2.0
//! The daemon by its name.

use super::{Garnerd, PATIENCE};
use garner::device::{Device, Kind, Opening};
use garner::environment;
use garner::error::{Error, Result};
use garner_remote::Client;
use garner_remote::client::SOCKET;
use std::path::PathBuf;
use std::sync::Arc;

const NAME: &str = "garnerd";

/// garnerd as a kind of device: `garnerd` for the one at `GARNER_SOCKET`, else at its usual place; `garnerd:PATH` for the one at
/// this socket. Never used without being named: whoever lends keys is to know it.
#[derive(Debug, Clone, Copy)]
pub struct Daemons;

impl Kind for Daemons {
    fn resolve(&self, name: &str) -> Option<String> {
        (name == NAME || path(name).is_some()).then(|| name.to_owned())
    }

    fn present(&self) -> Result<Vec<Arc<dyn Device>>> {
        Ok(Vec::new())
    }

    /// The daemon need not be there yet, but where it is to be ready at once.
    fn open(&self, name: &str, opening: &Opening) -> Result<Arc<dyn Device>> {
        let refused = |reason: &dyn ToString| Error::argument("device", format!("{name}: {}", reason.to_string()));
        let socket = match path(name) {
            Some("") => return Err(refused(&"the path of a socket is missing")),
            Some(path) => PathBuf::from(path),
            None => environment::variable("GARNER_SOCKET").map_or_else(|| SOCKET.into(), PathBuf::from),
        };
        let client = Client::new(socket, opening.patience.unwrap_or(PATIENCE));
        let device = Garnerd::new(name.to_owned(), client);
        if opening.at_once {
            device.probe().map_err(|error| refused(&error))?;
        }
        Ok(Arc::new(device))
    }
}

/// The path in `garnerd:PATH`.
fn path(name: &str) -> Option<&str> {
    name.strip_prefix(NAME)?.strip_prefix(':')
}
