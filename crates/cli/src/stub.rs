// SPDX-License-Identifier: Apache-2.0
//! `garner stub`: a file that stands for a key which garnerd holds.

use crate::failure::{Failure, Of};
use crate::files::{Access, Destination};
use crate::options::password::Password;
use crate::options::{key, output};
use clap::Args;
use garner::key::PrivateKey;
use garner_remote::stub;
use rustix::process::geteuid;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  garner stub --name www key.pem --out /etc/ssl/www.pem            for a key that garnerd has already
  garner stub --name www key.pem --import > /etc/ssl/www.pem       puts the key into /etc/garner/keys, too
  systemctl reload garnerd

A stub has the key's public half and its name. Programs take it for the key and find its certificate fits; by Garner's
provider, and with --key, garnerd does what only the key can. It holds no secret. Made of a public key, too.";

/// Options of `garner stub`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The key's name: letters, digits, '.', '_' and '-'
    #[arg(long, value_name = "NAME", value_parser = name)]
    name: String,

    /// The key file, or that of its public half
    #[arg(value_name = "KEY")]
    key: PathBuf,

    #[command(flatten)]
    password: Password,

    /// Put the key into garnerd's folder, unencrypted, for the folder's owner alone
    #[arg(long)]
    import: bool,

    /// garnerd's folder of keys
    #[arg(long, value_name = "FOLDER", default_value = "/etc/garner/keys", requires = "import")]
    keys: PathBuf,

    #[command(flatten)]
    output: output::Output,
}

fn name(name: &str) -> Result<String, String> {
    match stub::is_name(name) {
        true => Ok(name.to_owned()),
        false => Err(stub::NAMES.to_owned()),
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let destination = arguments.output.destination()?;
    let public = match arguments.import {
        true => {
            let key = key::private(&arguments.key, &arguments.password)?;
            // Whoever sees this fail may try again: then no key is to be there.
            destination.try_out()?;
            import(arguments, &key)?;
            Arc::clone(key.public())
        }
        false => key::public(&arguments.key, &arguments.password)?,
    };
    destination.write(stub::to_pem(&arguments.name, &public).as_bytes(), Access::Everybody, false)
}

/// Puts the key into the daemon's folder.
fn import(arguments: &Arguments, key: &PrivateKey) -> Result<(), Failure> {
    let path = arguments.keys.join(format!("{}.pem", arguments.name));
    let owner = arguments.keys.metadata().of(arguments.keys.display())?;
    if path.symlink_metadata().is_ok() {
        let text = format!("{}: garnerd has a key of that name", path.display());
        return Err(Failure::Environment(text).and("remove it, or leave --import out for a stub of it"));
    }
    let access = match owner.uid() == geteuid().as_raw() {
        true => Access::Owner,
        false => Access::Given(owner.uid(), owner.gid()),
    };
    Destination::new(Some(&path), false)?.write(key.to_pkcs8_pem().as_bytes(), access, false)
}
