// SPDX-License-Identifier: Apache-2.0
//! Lines of the input, one after the other: parsed, hashed, with their keys.

use super::arguments::Kind;
use super::keys::Keys;
use crate::digest;
use crate::failure::Failure;
use crate::files::{Input, is_standard_input};
use garner::key::PrivateKey;
use garner::padding::Hash;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// Longest line, in bytes: a longer one is no list of lines.
const LONGEST: usize = 16 << 20;

/// What is to be signed.
pub struct Job {
    /// Its line, from 1.
    pub line: u64,
    /// Its key.
    pub key: Arc<PrivateKey>,
    /// Its digest.
    pub digest: Vec<u8>,
}

/// All lines of the input; ends after the first error.
pub struct Jobs {
    name: String,
    reader: BufReader<Input>,
    kind: Kind,
    hash: Hash,
    keys: Keys,
    total: Option<u64>,
    line: u64,
    text: Vec<u8>,
    /// Comes next.
    returned: Option<Job>,
    failed: bool,
}

impl Jobs {
    /// Opens the input; standard input for none and for `-`.
    pub fn open(path: Option<&Path>, kind: Kind, hash: Hash, keys: Keys) -> Result<Jobs, Failure> {
        let input = Input::open(path, "the list")?;
        let name = input.name().to_owned();
        let total = path.filter(|path| !is_standard_input(path)).and_then(count_lines);
        let reader = BufReader::with_capacity(64 << 10, input);
        Ok(Jobs { name, reader, kind, hash, keys, total, line: 0, text: Vec::new(), returned: None, failed: false })
    }

    /// How many there are, where that can be known.
    pub fn total(&self) -> Option<u64> {
        self.total
    }

    /// What errors call the input.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes the last job the next one.
    pub fn put_back(&mut self, job: Job) {
        self.returned = Some(job);
    }

    fn job(&mut self) -> Result<Option<Job>, Failure> {
        self.line += 1;
        self.text.clear();
        let limited = (&mut self.reader).take(LONGEST as u64 + 1).read_until(b'\n', &mut self.text);
        if super::at(limited, &self.name, self.line)? == 0 {
            return Ok(None);
        }
        if self.text.last() == Some(&b'\n') {
            self.text.pop();
        }
        self.parse().map(Some).map_err(|reason| super::wrong_line(&self.name, self.line, reason))
    }

    /// The job of the line.
    fn parse(&self) -> Result<Job, String> {
        if self.text.len() > LONGEST {
            return Err(format!("the line is longer than {LONGEST} bytes"));
        }
        // The empty message is a message, the empty name of a key or a file is none.
        let blank_is_a_message = self.kind == Kind::Messages && matches!(self.keys, Keys::One(_));
        if self.text.trim_ascii().is_empty() && !blank_is_a_message {
            return Err("the line is blank".into());
        }
        let (key, rest) = self.keys.of(&self.text)?;
        if rest.is_empty() && self.kind != Kind::Messages {
            return Err("nothing follows the name of the key".into());
        }
        let digest = match self.kind {
            Kind::Digests => {
                let digits = rest.split(u8::is_ascii_whitespace).next().unwrap_or_default();
                digest::parse(self.hash, digits)?
            }
            Kind::Messages => self.hash.digest(rest).map_err(|error| error.to_string())?.to_vec(),
            Kind::Files => of_file(self.hash, Path::new(OsStr::from_bytes(rest)))?,
        };
        Ok(Job { line: self.line, key: Arc::clone(key), digest })
    }
}

impl Iterator for Jobs {
    type Item = Result<Job, Failure>;

    fn next(&mut self) -> Option<Result<Job, Failure>> {
        if let Some(job) = self.returned.take() {
            return Some(Ok(job));
        }
        if self.failed {
            return None;
        }
        let job = self.job();
        self.failed = job.is_err();
        job.transpose()
    }
}

fn of_file(hash: Hash, path: &Path) -> Result<Vec<u8>, String> {
    let digest = Input::open(Some(path), "a message").and_then(|mut input| {
        let name = input.name().to_owned();
        digest::of(hash, &mut input, &name)
    });
    digest.map_err(|failure| failure.to_string())
}

/// Lines of a regular file. Read once more for that; it is a small part of what signing them takes.
fn count_lines(path: &Path) -> Option<u64> {
    let mut file = File::open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let (mut buffer, mut lines, mut last) = (vec![0; 256 << 10], 0, b'\n');
    loop {
        match file.read(&mut buffer).ok()? {
            0 => return Some(lines + u64::from(last != b'\n')),
            length => {
                lines += buffer[..length].iter().filter(|&&byte| byte == b'\n').count() as u64;
                last = buffer[length - 1];
            }
        }
    }
}
