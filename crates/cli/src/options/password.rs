// SPDX-License-Identifier: Apache-2.0
//! Passwords of key files: from a file, the environment, or a prompt on the terminal.

use crate::failure::{Failure, Of};
use crate::files::Input;
use clap::Args;
use garner::environment;
use std::path::PathBuf;
use std::sync::OnceLock;
use zeroize::Zeroizing;

/// Longest password file, in bytes: a longer one is another file by mistake.
const LONGEST: usize = 64 << 10;

/// Where the password of an encrypted key comes from. None is ever taken from the command line, which everybody sees.
#[derive(Args)]
pub struct Password {
    /// Take the key's password from the first line of this file, - for standard input [default: ask on the terminal]
    #[arg(long, value_name = "FILE", conflicts_with = "password_env")]
    password_file: Option<PathBuf>,

    /// Take the key's password from this environment variable
    #[arg(long, value_name = "NAME")]
    password_env: Option<String>,

    /// The file's first line: several keys may need it, and a pipe gives it once.
    #[arg(skip)]
    line: OnceLock<Bytes>,
}

/// A password's bytes, wiped when dropped.
pub type Bytes = Zeroizing<Vec<u8>>;

impl Password {
    /// The password that the options name, if they name one.
    pub fn given(&self) -> Result<Option<Bytes>, Failure> {
        if let Some(name) = &self.password_env {
            let subject = format!("environment variable {name}");
            let value = environment::variable(name);
            let value = value.ok_or_else(|| Failure::Environment(format!("{subject}: is not set")))?;
            return Ok(Some(Zeroizing::new(value.into_encoded_bytes())));
        }
        let Some(path) = &self.password_file else { return Ok(None) };
        if let Some(line) = self.line.get() {
            return Ok(Some(line.clone()));
        }
        let mut content = Input::open(Some(path), "the password")?.read_all(LONGEST)?;
        let end = content.iter().position(|&byte| byte == b'\n').unwrap_or(content.len());
        let end = if content[..end].ends_with(b"\r") { end - 1 } else { end };
        content.truncate(end);
        Ok(Some(self.line.get_or_init(|| content).clone()))
    }

    /// The password of an existing file, asked for where no option names it.
    pub fn to_read(&self, subject: &str) -> Result<Bytes, Failure> {
        match self.given()? {
            Some(password) => Ok(password),
            None => ask(&format!("Password of {subject}: ")),
        }
    }

    /// The password for a new file, asked for twice where no option names it.
    pub fn to_write(&self, subject: &str) -> Result<Bytes, Failure> {
        let password = match self.given()? {
            Some(password) => password,
            None => {
                let password = ask(&format!("New password for {subject}: "))?;
                if ask("The same again: ")? != password {
                    return Err(Failure::Environment("the two passwords differ".into()));
                }
                password
            }
        };
        if password.is_empty() {
            return Err(Failure::Environment(format!("{subject}: the password is empty")));
        }
        Ok(password)
    }
}

fn ask(prompt: &str) -> Result<Bytes, Failure> {
    let typed = rpassword::prompt_password(prompt)
        .of("no terminal to ask for a password; use --password-file or --password-env")?;
    Ok(Zeroizing::new(typed.into_bytes()))
}
