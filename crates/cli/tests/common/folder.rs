// SPDX-License-Identifier: Apache-2.0
//! A folder of one test's own, and the `openssl` command in it.

use super::{Outcome, garner, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// A fresh, empty folder.
pub struct Folder(PathBuf);

/// The names that tests of this process have taken: two of one name would empty each other's folder.
static TAKEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

impl Folder {
    pub fn new(name: &str) -> Folder {
        let taken = {
            let mut names = TAKEN.lock().unwrap();
            names.push(name.to_owned());
            names.iter().filter(|one| *one == name).count()
        };
        assert_eq!(taken, 1, "two tests have a folder {name}");
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// `garner` with these words, run in the folder.
    pub fn garner(&self, words: &str) -> Command {
        let words: Vec<&str> = words.split_whitespace().collect();
        let mut command = garner(&words);
        command.current_dir(&self.0);
        command
    }

    /// Runs it, and it goes well.
    #[track_caller]
    pub fn good(&self, words: &str) -> Outcome {
        let outcome = run(&mut self.garner(words));
        assert_eq!(outcome.status, 0, "garner {words}: {outcome:?}");
        outcome
    }

    /// Runs `openssl` in the folder; its exit status and what it says.
    pub fn openssl(&self, words: &str) -> (bool, String) {
        let words: Vec<&str> = words.split_whitespace().collect();
        let output = Command::new("openssl").args(words).current_dir(&self.0).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        (output.status.success(), text)
    }

    /// Runs it, and it goes well.
    #[track_caller]
    pub fn openssl_good(&self, words: &str) -> String {
        let (good, text) = self.openssl(words);
        assert!(good, "openssl {words}: {text}");
        text
    }
}
