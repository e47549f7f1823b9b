//! Names of hash functions on the command line.

use garner::padding::Hash;

/// For `value_parser`.
pub fn parse(name: &str) -> Result<Hash, String> {
    Hash::from_name(name).map_err(|error| error.to_string())
}
