// SPDX-License-Identifier: Apache-2.0
//! A copy of the sources, and changes to it.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::SystemTime;

/// Folders in which there are no sources, from the root on.
const LEFT_OUT: [&str; 2] = ["target", "hw/build"];

/// Copies all sources below `from`, in the place of what `to` was. Files keep their times, so that only what changed is
/// compiled again.
///
/// # Errors
/// When a file cannot be read or written.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    copy_below(from, to, Path::new(""))
}

fn copy_below(from: &Path, to: &Path, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(to.join(folder))?;
    for entry in fs::read_dir(from.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        let (kind, hidden) = (entry.file_type()?, entry.file_name().to_string_lossy().starts_with('.'));
        if hidden || LEFT_OUT.iter().any(|left_out| path == Path::new(left_out)) {
            continue;
        }
        if kind.is_dir() {
            copy_below(from, to, &path)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), to.join(&path))?;
            keep_time(&to.join(&path), entry.metadata()?.modified()?)?;
        }
    }
    Ok(())
}

/// Changes a file of the copy. Its time is that of this program if the original is older: the program knows the change.
///
/// # Errors
/// When the change is impossible, or the file cannot be read or written.
pub fn change(file: &Path, change: impl FnOnce(String) -> Result<String, String>) -> Result<(), String> {
    let named = |error: io::Error| format!("{}: {error}", file.display());
    let modified = |file: &Path| fs::metadata(file)?.modified();
    let source = fs::read_to_string(file).map_err(named)?;
    let original = modified(file).map_err(named)?;
    let program = std::env::current_exe().and_then(|program| modified(&program)).map_err(named)?;
    fs::write(file, change(source)?).map_err(named)?;
    keep_time(file, original.max(program)).map_err(named)
}

fn keep_time(file: &Path, modified: SystemTime) -> io::Result<()> {
    File::options().write(true).open(file)?.set_modified(modified)
}
