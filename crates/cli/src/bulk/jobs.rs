// SPDX-License-Identifier: Apache-2.0
//! Items of the input, one after the other: parsed, hashed, with their keys.

use super::arguments::{Arguments, Kind, is_pattern};
use super::digests;
use super::keys::{Key, Keys};
use crate::digest;
use crate::failure::{Failure, Of};
use crate::files::{Identity, Input};
use garner::padding::Hash;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Longest line, in bytes: a longer one is no list of lines.
const LONGEST: usize = 16 << 20;

/// What editors of other systems put before a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const UTF16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// What is to be signed or verified.
pub struct Job<K> {
    /// Its line, from 1.
    pub line: u64,
    /// Its key.
    pub key: K,
    /// Its digest.
    pub digest: Vec<u8>,
    pub item: Item,
}

/// What is signed, apart from its digest.
#[derive(Default)]
pub struct Item {
    /// What it is called; empty for a message, and a digest without a name.
    pub name: Vec<u8>,
    /// The file that is the message, where it is one.
    pub file: Option<Identity>,
}

/// All items of the input; ends after the first error.
pub struct Jobs<K> {
    name: String,
    reader: BufReader<Input>,
    kind: Kind,
    hash: Hash,
    keys: Keys<K>,
    /// What ends an item.
    separator: u8,
    /// Whether each must have a name.
    named: bool,
    /// Files that are written, and so cannot be messages.
    outputs: Vec<Identity>,
    total: Option<u64>,
    line: u64,
    text: Vec<u8>,
    /// Comes next.
    returned: Option<Job<K>>,
    failed: bool,
}

impl<K: Key> Jobs<K> {
    /// Opens the input; standard input for none and for `-`. Items without a name are refused if they must be `named`.
    pub fn open(arguments: &Arguments, keys: Keys<K>, named: bool) -> Result<Jobs<K>, Failure> {
        let (kind, hash) = (arguments.of, arguments.scheme.hash());
        if named && kind == Kind::Messages {
            return Err(Failure::Usage("--of messages: messages have no names, as --names and {} need".into()));
        }
        let mut input = Input::open(arguments.input.as_deref(), "the list")?;
        if arguments.force && kind == Kind::Files && arguments.out.as_deref().is_some_and(is_pattern) {
            input.keep()?; // For `listed`.
        }
        let name = input.name().to_owned();
        let separator = if arguments.null { b'\0' } else { b'\n' };
        // Read once more for that; it is a small part of what signing takes.
        let total = input.count(separator);
        let reader = BufReader::with_capacity(64 << 10, input);
        let (outputs, text) = (Vec::new(), Vec::new());
        let (line, returned, failed) = (0, None, false);
        Ok(Jobs { name, reader, kind, hash, keys, separator, named, outputs, total, line, text, returned, failed })
    }

    /// How many there are, where that can be known.
    pub fn total(&self) -> Option<u64> {
        self.total
    }

    /// What errors call the input.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Refuses these files as messages: they change while they are read.
    pub fn refuse(&mut self, outputs: impl IntoIterator<Item = Identity>) {
        self.outputs.extend(outputs);
    }

    /// The files of the list that may be in the place of a signature whose file's name ends with `ending`: those with such
    /// names, and links, with what they lead to. Of a list of files that are replaced by signatures.
    pub fn listed(&mut self, ending: &[u8]) -> Result<HashSet<Identity>, Failure> {
        let mut identities = HashSet::new();
        if self.kind != Kind::Files {
            return Ok(identities);
        }
        let mut reader = BufReader::with_capacity(64 << 10, self.reader.get_mut().ahead().of(&self.name)?);
        let mut text = Vec::new();
        for line in 1.. {
            text.clear();
            if super::at(
                reader.by_ref().take(LONGEST as u64 + 1).read_until(self.separator, &mut text),
                &self.name,
                line,
            )? == 0
            {
                break;
            }
            // What is wrong with a line is told when it has its turn.
            let text = text.strip_suffix(&[self.separator]).unwrap_or(&text);
            let Ok((_, name)) = without_mark(text, line).and_then(|text| self.keys.of(text)) else { continue };
            let path = Path::new(OsStr::from_bytes(name));
            let Ok(metadata) = path.symlink_metadata() else { continue };
            if metadata.is_symlink() || name.ends_with(ending) {
                identities.extend(path.metadata().iter().chain([&metadata]).map(Identity::of_entry));
            }
        }
        Ok(identities)
    }

    /// Makes the last job the next one.
    pub fn put_back(&mut self, job: Job<K>) {
        self.returned = Some(job);
    }

    fn job(&mut self) -> Result<Option<Job<K>>, Failure> {
        self.line += 1;
        self.text.clear();
        let limited = (&mut self.reader).take(LONGEST as u64 + 1).read_until(self.separator, &mut self.text);
        if super::at(limited, &self.name, self.line)? == 0 {
            return Ok(None);
        }
        if self.text.last() == Some(&self.separator) {
            self.text.pop();
        }
        self.parse().map(Some).map_err(|reason| super::wrong_line(&self.name, self.line, reason))
    }

    /// The job of the line.
    fn parse(&self) -> Result<Job<K>, String> {
        if self.text.len() > LONGEST {
            return Err(format!("the line is longer than {LONGEST} bytes"));
        }
        let text = if self.kind == Kind::Messages { &self.text } else { without_mark(&self.text, self.line)? };
        // The empty message is a message, the empty name of a key or a file is none.
        let blank_is_a_message = self.kind == Kind::Messages && matches!(self.keys, Keys::One(_));
        if text.trim_ascii().is_empty() && !blank_is_a_message {
            return Err("the line is blank".into());
        }
        let (key, rest) = self.keys.of(text)?;
        if rest.is_empty() && self.kind != Kind::Messages {
            return Err("nothing follows the name of the key".into());
        }
        let (digest, name, file) = match self.kind {
            Kind::Digests => {
                let (digest, name) = digests::parse(self.hash, rest)?;
                (digest, name, None)
            }
            Kind::Messages => (self.hash.digest(rest).map_err(|error| error.to_string())?.to_vec(), Vec::new(), None),
            Kind::Files => {
                let (digest, file) = self.of_file(Path::new(OsStr::from_bytes(rest)))?;
                (digest, rest.to_vec(), file)
            }
        };
        if self.named && name.is_empty() {
            return Err("the digest has no name, as --names and {} need".into());
        }
        Ok(Job { line: self.line, key: key.clone(), digest, item: Item { name, file } })
    }

    /// The digest of a file, and which one it is.
    fn of_file(&self, path: &Path) -> Result<(Vec<u8>, Option<Identity>), String> {
        let digest = Input::of_list(path, "a message").and_then(|mut input| {
            let name = input.name().to_owned();
            let identity = input.identity();
            if identity.is_some_and(|identity| self.outputs.contains(&identity)) {
                return Err(Failure::Usage(format!("{name}: is the output itself; leave it out, or write elsewhere")));
            }
            Ok((digest::of(self.hash, &mut input, &name)?, identity))
        });
        digest.map_err(|failure| failure.to_string())
    }
}

/// A line without the mark before the first. Not for a message: its bytes are its own.
fn without_mark(text: &[u8], line: u64) -> Result<&[u8], String> {
    if line > 1 {
        return Ok(text);
    }
    if UTF16.iter().any(|mark| text.starts_with(mark)) {
        return Err("the list is in UTF-16; convert it with: iconv -f UTF-16 -t UTF-8".into());
    }
    Ok(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text))
}

impl<K: Key> Iterator for Jobs<K> {
    type Item = Result<Job<K>, Failure>;

    fn next(&mut self) -> Option<Result<Job<K>, Failure>> {
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
