// SPDX-License-Identifier: Apache-2.0
//! Progress on standard error: how much is done, how fast, how long it will take. Hidden where that is no terminal.

use crate::output;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use std::fmt::Write;

/// A bar of `total` things called `what`, of which `done` were there before.
pub fn counted(total: u64, what: &'static str, done: u64) -> ProgressBar {
    let template = "{bar:30} {percent:>3} %  {grouped} ".to_owned() + what + "  {rate}/s  ({eta} left)";
    let bar = ProgressBar::new(total).with_position(done);
    bar.set_style(style(&template));
    bar.reset_eta();
    bar
}

/// A count of things called `what`, whose total nobody knows.
pub fn uncounted(what: &'static str, done: u64) -> ProgressBar {
    let bar = ProgressBar::no_length().with_position(done);
    bar.set_style(style(&("{spinner} {grouped} ".to_owned() + what + "  {rate}/s  ({elapsed})")));
    bar.reset_eta();
    bar
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style
        .with_key("grouped", |state: &ProgressState, text: &mut dyn Write| {
            let _ = text.write_str(&output::grouped(state.pos()));
        })
        .with_key("rate", |state: &ProgressState, text: &mut dyn Write| {
            let _ = text.write_str(&output::rate(state.per_sec()));
        })
}
