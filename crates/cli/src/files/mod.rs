// SPDX-License-Identifier: Apache-2.0
//! Files that commands read and write, with `-` for standard input or output.
//!
//! | file | what it does |
//! |---|---|
//! | [`input`] | what is read |
//! | [`identity`] | which files are read, so that none of them is written over |
//! | [`place`] | what the name of an output stands for |
//! | [`destination`] | where a result goes |
//! | [`fresh`] | files written beside their place, and those that a killed run left |

mod destination;
mod fresh;
mod identity;
mod input;
mod place;

pub use destination::{Access, Destination, Stream, exists};
pub use fresh::{create, settle, tidy};
pub use identity::{Identity, refuse_input};
pub use input::Input;
pub use place::{Place, check_folder, folder};

use std::path::Path;

/// Whether there is a regular file, and no link to one.
pub fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
}
