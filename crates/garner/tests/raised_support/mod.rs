// SPDX-License-Identifier: Apache-2.0
//! Programs with more rights than the user who starts them, for the tests of several crates: set-user-ID root, or with a
//! file capability, and started by `nobody`.

use rustix::fs::XattrFlags;
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The user and the group `nobody`.
const NOBODY: u32 = 65_534;

/// Prints the effective user, and whether the kernel says that this program has more rights than its user.
const PROBE: &str = "#include <stdio.h>\n#include <sys/auxv.h>\n#include <unistd.h>\n\
                     int main(void) { printf(\"%d %lu\", (int)geteuid(), getauxval(AT_SECURE)); }\n";

/// Where a program's rights come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rights {
    /// From its user.
    User,
    /// From its owner, root, by the set-user-ID bit.
    SetUserId,
    /// From its file, which has CAP_NET_BIND_SERVICE, as those of web servers often do.
    Capability,
}

/// Says what does not run here and why, past what keeps the words of tests that pass.
fn left_out(why: &str) {
    std::io::stderr().write_all(format!("left out: {why}\n").as_bytes()).unwrap();
}

/// A folder where such programs work. Everybody may read it and write to it.
pub struct Ground(PathBuf, Vec<Rights>);

impl Ground {
    /// The first folder that serves, or none; then it says why.
    pub fn find() -> Option<Ground> {
        if !rustix::process::geteuid().is_root() {
            left_out("only root can make a set-user-ID program that belongs to another user");
            return None;
        }
        let mut reasons = Vec::new();
        for base in [env!("CARGO_TARGET_TMPDIR"), "/var/tmp", "/tmp", "/dev/shm"] {
            match Ground::below(Path::new(base)) {
                Ok(ground) => return Some(ground),
                Err(reason) => reasons.push(format!("{base}: {reason}")),
            }
        }
        left_out(&format!("no folder where a set-user-ID program has its owner's rights: {}", reasons.join("; ")));
        None
    }

    fn below(base: &Path) -> Result<Ground, String> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = base.join(format!("garner-raised-{}-{number}", std::process::id()));
        let mut ground = Ground(folder, vec![Rights::SetUserId]);
        fs::create_dir(&ground.0).map_err(|error| error.to_string())?;
        fs::set_permissions(&ground.0, Permissions::from_mode(0o777)).unwrap();
        fs::write(ground.path("probe.c"), PROBE).unwrap();
        let probe = ground.path("probe");
        assert!(Command::new("cc").arg("-o").arg(&probe).arg(ground.path("probe.c")).status().unwrap().success());
        ground.works(&probe, Rights::User, "65534 0")?;
        ground.works(&probe, Rights::SetUserId, "0 1")?;
        match ground.works(&probe, Rights::Capability, "65534 1") {
            Ok(()) => ground.1.push(Rights::Capability),
            Err(reason) => left_out(&format!("file capabilities: {}: {reason}", base.display())),
        }
        Ok(ground)
    }

    /// Whether the probe has these rights.
    fn works(&self, probe: &Path, rights: Rights, expected: &str) -> Result<(), String> {
        let program = self.program(probe, rights).map_err(|error| format!("{rights:?}: {error}"))?;
        let output = self.command(&program).output().map_err(|error| format!("{rights:?}: {error}"))?;
        match String::from_utf8_lossy(&output.stdout).as_ref() {
            said if said == expected => Ok(()),
            said => Err(format!("{rights:?}: effective user and AT_SECURE are {said:?}, not {expected:?}")),
        }
    }

    /// The ways to more rights than a user has that work here.
    pub fn raised(&self) -> Vec<Rights> {
        self.1.clone()
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Copies a library or another file that everybody may read.
    pub fn copy(&self, file: &Path, name: &str) -> PathBuf {
        let copy = self.path(name);
        fs::copy(file, &copy).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        fs::set_permissions(&copy, Permissions::from_mode(0o755)).unwrap();
        copy
    }

    /// Copies a program, and gives the copy these rights.
    ///
    /// # Errors
    /// The file system knows no capabilities.
    pub fn program(&self, program: &Path, rights: Rights) -> std::io::Result<PathBuf> {
        let name = program.file_name().unwrap().to_str().unwrap();
        let copy = self.copy(program, &format!("{name}-{rights:?}"));
        match rights {
            Rights::User => {}
            Rights::SetUserId => {
                chown(&copy, Some(0), Some(0))?;
                fs::set_permissions(&copy, Permissions::from_mode(0o4755))?;
            }
            // Revision 2 with the effective bit; permitted and inheritable, lower and upper half: capabilities(7).
            Rights::Capability => {
                let words = [0x0200_0001_u32, 1 << 10, 0, 0, 0];
                let value: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
                rustix::fs::setxattr(&copy, "security.capability", &value, XattrFlags::empty())?;
            }
        }
        Ok(copy)
    }

    /// The program, started by nobody in this folder, with nothing in its environment.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.uid(NOBODY).gid(NOBODY).current_dir(&self.0).env_clear().stdin(Stdio::null());
        command
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
