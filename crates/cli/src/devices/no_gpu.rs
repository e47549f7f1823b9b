// SPDX-License-Identifier: Apache-2.0
//! What `gpu` has, for a build without the feature `cuda`.

use crate::failure::Failure;
use garner::device::Device;
use std::sync::Arc;

/// No GPU can be opened.
pub fn open(wish: &str) -> Result<Arc<dyn Device>, Failure> {
    Err(Failure::Environment(format!("device {wish}: {}", why_absent())))
}

/// No GPU has a model.
pub fn model(_: &str) -> Option<String> {
    None
}

/// Why no GPU is used.
pub fn why_absent() -> String {
    "this build uses no GPU; its feature \"cuda\" is off".into()
}
