// SPDX-License-Identifier: Apache-2.0
//! Progress on standard error: how much is done, how fast, how long it will take. Hidden where that is no terminal.
//!
//! What an earlier run did is found, not done: it counts for how far the work is, and not for how fast.

use crate::output;
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A bar, or a count where nobody knows the total.
#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
    count: Arc<Count>,
}

/// What happened so far.
struct Count {
    /// In this run.
    done: AtomicU64,
    /// Before it.
    found: AtomicU64,
    start: Instant,
}

impl Progress {
    /// Of `total` things; `verb` says what is done to them, as `signed`.
    pub fn new(total: Option<u64>, verb: &'static str) -> Progress {
        Progress::drawn_on(total.map_or_else(ProgressBar::no_length, ProgressBar::new), verb)
    }

    /// None is shown.
    pub fn hidden() -> Progress {
        Progress::drawn_on(ProgressBar::hidden(), "")
    }

    fn drawn_on(bar: ProgressBar, verb: &'static str) -> Progress {
        let count = Arc::new(Count { done: AtomicU64::new(0), found: AtomicU64::new(0), start: Instant::now() });
        let shown = Arc::clone(&count);
        let template = if bar.length().is_some() { "{bar:30} {percent:>3} %  {counts}" } else { "{spinner} {counts}" };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.with_key("counts", move |state: &ProgressState, text: &mut dyn Write| {
            let _ = text.write_str(&shown.text(state.len(), verb, shown.start.elapsed()));
        }));
        Progress { bar, count }
    }

    /// So many more are done.
    pub fn done(&self, more: u64) {
        self.count.done.fetch_add(more, Ordering::Relaxed);
        self.bar.inc(more);
    }

    /// So many more were there before.
    pub fn found(&self, more: u64) {
        self.count.found.fetch_add(more, Ordering::Relaxed);
        self.bar.inc(more);
    }

    /// How many were there before.
    pub fn total_found(&self) -> u64 {
        self.count.found.load(Ordering::Relaxed)
    }

    /// Takes it off the screen while something else is written there.
    pub fn suspend(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    /// Takes it off the screen.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Count {
    /// `1 200 signed, 5 000 there before  240/s  (3 seconds left)`.
    fn text(&self, total: Option<u64>, verb: &str, elapsed: Duration) -> String {
        let (done, found) = (self.done.load(Ordering::Relaxed), self.found.load(Ordering::Relaxed));
        let before = if found > 0 { format!(", {} there before", output::grouped(found)) } else { String::new() };
        let per_second = per_second(done, elapsed);
        let time = match total.map(|total| total.saturating_sub(done + found)) {
            Some(left) if per_second > 0.0 => {
                format!("{:#} left", HumanDuration(Duration::from_secs_f64(left as f64 / per_second)))
            }
            Some(_) => String::from("- left"),
            None => format!("{:#}", HumanDuration(elapsed)),
        };
        format!("{} {verb}{before}  {}/s  ({time})", output::grouped(done), output::rate(per_second))
    }
}

/// How many were done in a second.
pub fn per_second(done: u64, elapsed: Duration) -> f64 {
    let seconds = elapsed.as_secs_f64();
    if seconds > 0.0 { done as f64 / seconds } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_before_is_not_counted_as_done_and_not_in_the_rate() {
        let progress = Progress::new(Some(30_000), "signed");
        progress.found(20_000);
        progress.done(4_000);
        let shown = progress.count.text(Some(30_000), "signed", Duration::from_secs(2));
        assert_eq!(shown, "4 000 signed, 20 000 there before  2 000/s  (3s left)");
        assert_eq!(progress.bar.position(), 24_000);
        let nothing = Progress::new(None, "signed").count.text(None, "signed", Duration::ZERO);
        assert_eq!(nothing, "0 signed  0.00/s  (0s)");
    }
}
