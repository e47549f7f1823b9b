// SPDX-License-Identifier: Apache-2.0
//! Judges whether a client may do what it asks. Names were made numbers when the policy was read, so that no directory of
//! users is asked while clients wait.

use crate::config::{self, Fault, Name, Operation};
use garner_remote::message::{Refusal, Work};
use garner_remote::scheme::Padding;
use nix::sys::socket::getsockopt;
use nix::sys::socket::sockopt::PeerCredentials;
use nix::unistd::{Group, User};
use rustix::io::Errno;
use std::collections::{BTreeSet, HashMap};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Who a client is, as the kernel says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    /// Its user.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
    /// Its process when it connected.
    pub pid: i32,
}

impl Peer {
    /// Who is at the other end of a connection.
    ///
    /// # Errors
    /// The system's: he is gone already.
    pub fn of(connection: impl AsFd) -> Result<Peer, Errno> {
        let credentials = getsockopt(&connection, PeerCredentials);
        let credentials = credentials.map_err(|error| Errno::from_raw_os_error(error as i32))?;
        // The process is 0 where it is in no namespace that this one sees.
        Ok(Peer { uid: credentials.uid(), gid: credentials.gid(), pid: credentials.pid() })
    }
}

/// Users, and the members of groups.
#[derive(Debug, Default)]
pub struct People {
    users: BTreeSet<u32>,
    groups: BTreeSet<u32>,
}

impl People {
    /// Whether the client is one of them.
    pub fn has(&self, peer: Peer) -> bool {
        self.users.contains(&peer.uid) || self.groups.contains(&peer.gid)
    }

    /// Adds these.
    pub fn add(&mut self, others: &People) {
        self.users.extend(&others.users);
        self.groups.extend(&others.groups);
    }
}

/// A key's policy, ready to judge.
#[derive(Debug)]
pub struct Judge {
    /// Whom it names.
    pub people: People,
    operations: Vec<Operation>,
    paddings: Vec<Padding>,
    per_second: Option<u32>,
    allowances: Mutex<HashMap<u32, Allowance>>,
}

/// What a user may do yet: full again after a second.
#[derive(Debug)]
struct Allowance {
    left: f64,
    at: Instant,
}

impl Judge {
    /// Makes a policy ready. `own` is the daemon's user, who may use all keys, as root may.
    ///
    /// # Errors
    /// [`Fault`], naming the user or group that there is not; `file` is where the policy is from.
    pub fn new(policy: &config::Policy, own: u32, file: &Path) -> Result<Judge, Fault> {
        let mut users = BTreeSet::from([0, own]);
        let mut groups = BTreeSet::new();
        for name in &policy.users {
            users.insert(match name {
                Name::Number(uid) => *uid,
                Name::Name(name) => {
                    let user = User::from_name(name).map_err(|error| Fault::of(file, error))?;
                    user.ok_or_else(|| Fault::of(file, format!("there is no user {name:?}")))?.uid.as_raw()
                }
            });
        }
        for name in &policy.groups {
            let group = match name {
                Name::Number(gid) => Group::from_gid((*gid).into()),
                Name::Name(name) => Group::from_name(name),
            };
            match (group.map_err(|error| Fault::of(file, error))?, name) {
                (Some(group), _) => {
                    groups.insert(group.gid.as_raw());
                    let members = group.mem.iter().filter_map(|name| User::from_name(name).ok().flatten());
                    users.extend(members.map(|user| user.uid.as_raw()));
                }
                (None, Name::Number(gid)) => {
                    groups.insert(*gid);
                }
                (None, Name::Name(name)) => return Err(Fault::of(file, format!("there is no group {name:?}"))),
            }
        }
        Ok(Judge {
            people: People { users, groups },
            operations: policy.operations.clone(),
            paddings: policy.paddings.clone(),
            per_second: policy.per_second,
            allowances: Mutex::default(),
        })
    }

    /// Whether the client may use the key at all. To others it does not exist.
    pub fn knows(&self, peer: Peer) -> bool {
        self.people.has(peer)
    }

    /// Whether a client that knows the key may do this work now.
    ///
    /// # Errors
    /// [`Refusal::Forbidden`], [`Refusal::TooMany`].
    pub fn permits(&self, peer: Peer, work: &Work<'_>, now: Instant) -> Result<(), Refusal> {
        let (operation, padding) = match work {
            Work::Describe | Work::List => return Ok(()),
            Work::Sign { scheme, .. } => (Operation::Sign, Some(scheme.padding())),
            Work::SignUnnamed { .. } => (Operation::Sign, Some(Padding::Pkcs1v15)),
            Work::Decrypt { scheme, .. } => (Operation::Decrypt, Some(scheme.padding())),
            Work::Raw { .. } | Work::Lend => (Operation::Raw, None),
        };
        if !self.operations.contains(&operation) {
            let what = match operation {
                Operation::Sign => "to sign",
                Operation::Decrypt => "to decrypt",
                Operation::Raw => "operations without padding",
            };
            return Err(Refusal::Forbidden(format!("{what} with this key")));
        }
        if let Some(padding) = padding.filter(|padding| !self.paddings.contains(padding)) {
            return Err(Refusal::Forbidden(format!("padding {} with this key", padding.name())));
        }
        if self.spend(peer.uid, now) { Ok(()) } else { Err(Refusal::TooMany) }
    }

    /// Takes one operation of what the user may do.
    fn spend(&self, uid: u32, now: Instant) -> bool {
        let Some(most) = self.per_second.map(f64::from) else { return true };
        let mut allowances = self.allowances.lock().unwrap_or_else(PoisonError::into_inner);
        // Who has been away for a second has all of it anyway.
        if allowances.len() > 1024 {
            allowances.retain(|_, allowance| now.duration_since(allowance.at) < Duration::from_secs(1));
        }
        let allowance = allowances.entry(uid).or_insert(Allowance { left: most, at: now });
        allowance.left = (allowance.left + most * now.duration_since(allowance.at).as_secs_f64()).min(most);
        allowance.at = now;
        let may = allowance.left >= 1.0;
        if may {
            allowance.left -= 1.0;
        }
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use garner::padding::Hash;
    use garner_remote::scheme::{EncryptionScheme, Salt, SignatureScheme};

    const PKCS1: SignatureScheme = SignatureScheme::Pkcs1v15 { hash: Hash::Sha256 };
    const PSS: SignatureScheme =
        SignatureScheme::Pss { hash: Hash::Sha256, mgf1_hash: Hash::Sha256, salt: Salt::Digest };

    fn judge(text: &str) -> Judge {
        Judge::new(&toml::from_str(text).unwrap(), 77, Path::new("policy")).unwrap()
    }

    fn peer(uid: u32, gid: u32) -> Peer {
        Peer { uid, gid, pid: 1 }
    }

    fn sign(scheme: SignatureScheme) -> Work<'static> {
        Work::Sign { scheme, digest: &[] }
    }

    #[test]
    fn a_key_without_a_policy_is_roots_and_the_daemons() {
        let judge = judge("");
        assert!(judge.knows(peer(0, 9)) && judge.knows(peer(77, 9)));
        assert!(!judge.knows(peer(1000, 0)));
    }

    #[test]
    fn users_and_groups_count_by_name_and_number() {
        let judge = judge("users = ['daemon', 5001]\ngroups = ['mail', 5002]");
        let mail = Group::from_name("mail").unwrap().unwrap().gid.as_raw();
        for known in [peer(1, 5), peer(5001, 5), peer(5, 5002), peer(5, mail)] {
            assert!(judge.knows(known), "{known:?}");
        }
        assert!(!judge.knows(peer(5, 5)));
        let unknown = toml::from_str("users = ['nobody-of-that-name']").unwrap();
        let fault = Judge::new(&unknown, 0, Path::new("policy")).unwrap_err().to_string();
        assert_eq!(fault, "policy: there is no user \"nobody-of-that-name\"");
    }

    #[test]
    fn raw_operations_are_refused_unless_they_are_named() {
        let (raw, now) = (Work::Raw { input: &[] }, Instant::now());
        assert!(matches!(judge("").permits(peer(0, 0), &raw, now), Err(Refusal::Forbidden(_))));
        assert_eq!(judge("operations = ['raw']").permits(peer(0, 0), &raw, now), Ok(()));
    }

    #[test]
    fn operations_and_paddings_are_held_to() {
        let now = Instant::now();
        let judge = judge("operations = ['sign']\npaddings = ['pss']");
        let decrypt = Work::Decrypt { scheme: EncryptionScheme::Pkcs1v15, ciphertext: &[] };
        assert_eq!(judge.permits(peer(0, 0), &sign(PSS), now), Ok(()));
        assert_eq!(judge.permits(peer(0, 0), &Work::Describe, now), Ok(()));
        for refused in [sign(PKCS1), Work::SignUnnamed { payload: &[] }, decrypt] {
            let refusal = judge.permits(peer(0, 0), &refused, now);
            assert!(matches!(refusal, Err(Refusal::Forbidden(_))), "{refused:?}");
        }
    }

    #[test]
    fn a_user_that_spent_its_second_is_refused_and_others_are_not() {
        let (judge, now) = (judge("per_second = 3"), Instant::now());
        let ask = |uid, at| judge.permits(peer(uid, 0), &sign(PSS), at);
        for _ in 0..3 {
            assert_eq!(ask(0, now), Ok(()));
        }
        assert_eq!(ask(0, now), Err(Refusal::TooMany));
        assert_eq!(ask(77, now), Ok(()));
        assert_eq!(ask(0, now + Duration::from_millis(340)), Ok(()));
        assert_eq!(ask(0, now + Duration::from_millis(350)), Err(Refusal::TooMany));
    }
}
