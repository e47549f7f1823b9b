// SPDX-License-Identifier: Apache-2.0
//! What the daemon has done, as OpenMetrics. Names of keys and users are not in it: whoever may read figures need not know which
//! keys there are.

use garner::stats::Statistics;
use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

/// The media type of the text.
pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Buckets of the batches' fill: 1, 2, 4 ... 4096 requests.
const BUCKETS: u16 = 13;

/// Counted where it happens.
#[derive(Debug)]
pub struct Figures {
    /// Requests answered with a result.
    pub answered: Counter,
    /// Requests refused, or failed.
    pub refused: Counter,
    /// Connections accepted.
    pub accepted: Counter,
    /// Connections refused because there were too many.
    pub turned_away: Counter,
    /// Connections now.
    pub connections: Gauge,
    /// Requests in each batch; and their sum and number, which the histogram itself does not tell.
    fill: Histogram,
    batched: Counter,
    batches: Counter,
}

impl Default for Figures {
    fn default() -> Figures {
        Figures {
            answered: Counter::default(),
            refused: Counter::default(),
            accepted: Counter::default(),
            turned_away: Counter::default(),
            connections: Gauge::default(),
            fill: Histogram::new(exponential_buckets(1.0, 2.0, BUCKETS)),
            batched: Counter::default(),
            batches: Counter::default(),
        }
    }
}

impl Figures {
    /// A batch of so many requests begins.
    pub fn batch(&self, requests: usize) {
        self.fill.observe(requests as f64);
        self.batched.inc_by(requests as u64);
        self.batches.inc();
    }

    /// Requests in batches, and batches.
    pub fn done(&self) -> (u64, u64) {
        (self.batched.get(), self.batches.get())
    }

    /// All of it as text, with the figures of the workers' gatherers and the numbers of keys that are held and lent.
    pub fn text(&self, gatherers: &[Statistics], keys: usize, lent: usize) -> String {
        let mut registry = Registry::with_prefix("garnerd");
        let sum = |figure: fn(&Statistics) -> u64| gatherers.iter().map(figure).sum::<u64>();
        let seconds = |figure: fn(&Statistics) -> f64| gatherers.iter().map(figure).sum::<f64>();
        registry.register("requests_answered", "Requests answered with a result", self.answered.clone());
        registry.register("requests_refused", "Requests refused or failed", self.refused.clone());
        registry.register("connections_accepted", "Connections accepted", self.accepted.clone());
        registry.register("connections_turned_away", "Connections beyond the limits", self.turned_away.clone());
        registry.register("connections", "Connections now", self.connections.clone());
        registry.register("batch_requests", "Requests in a batch", self.fill.clone());
        registry.register("keys", "Keys held", ConstGauge::new(keys as u64));
        registry.register("keys_lent", "Different keys that programs lend", ConstGauge::new(lent as u64));
        let busy = ConstCounter::new(seconds(|done| done.device_time.as_secs_f64()));
        registry.register("batch_time_seconds", "Time spent in batches, added up over the workers", busy);
        let faults = ConstCounter::new(sum(|done| done.faults));
        registry.register("faults", "Results that failed their check; none was given to a client", faults);
        registry.register("retries", "Operations run again", ConstCounter::new(sum(|done| done.retries)));
        let failures = ConstCounter::new(sum(|done| done.device_failures));
        registry.register("device_failures", "Batches that failed as a whole", failures);
        let lost = ConstGauge::new(sum(|done| done.out_of_service));
        registry.register("devices_out_of_service", "Devices taken out of service, by each worker", lost);
        let mut text = String::new();
        text::encode(&mut text, &registry).expect("a string takes everything");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_is_a_line_of_its_own_and_the_end_is_marked() {
        let figures = Figures::default();
        figures.answered.inc_by(7);
        figures.connections.set(2);
        figures.batch(3);
        figures.batch(4);
        assert_eq!(figures.done(), (7, 2));
        let text = figures.text(&[Statistics::default(), Statistics::default()], 5, 2);
        for line in [
            "garnerd_requests_answered_total 7",
            "garnerd_requests_refused_total 0",
            "garnerd_connections 2",
            "garnerd_keys 5",
            "garnerd_batch_requests_sum 7.0",
            "garnerd_batch_requests_count 2",
            "garnerd_batch_requests_bucket{le=\"2.0\"} 0",
            "garnerd_batch_requests_bucket{le=\"4.0\"} 2",
            "garnerd_faults_total 0",
            "# TYPE garnerd_batch_requests histogram",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        }
        assert!(text.ends_with("# EOF\n"));
    }
}
