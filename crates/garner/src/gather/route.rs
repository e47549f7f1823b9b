// SPDX-License-Identifier: Apache-2.0
//! Which path a batch takes, and which the next after a failure.

use super::class::{Class, Kind};
use super::config::Config;
use super::operation::Operation;
use super::path::Path;
use super::scheduler::Devices;
use crate::arithmetic::libcrypto::Libcrypto;
use crate::device::Cpu;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// All paths: the configured devices in order of preference, the fallback, and libcrypto as the last resort.
pub struct Route {
    paths: Vec<Path>,
    /// How many of them are devices among which cost decides; they come first.
    devices: usize,
    batches: AtomicU32,
    failures_allowed: u32,
    faults_allowed: u32,
    /// Public operations in one batch.
    public_limit: usize,
}

/// Which path, and how many operations of those available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    pub path: usize,
    pub take: usize,
}

/// Every so many batches a path is measured again that looked worse.
const REMEASURE: u32 = 256;

impl Route {
    pub fn new(config: &Config) -> Route {
        let devices = config.devices.iter().chain(&config.fallback);
        if devices.clone().count() > Config::MOST_DEVICES {
            tracing::warn!(
                devices = devices.clone().count(),
                most = Config::MOST_DEVICES,
                "too many devices; some are not used"
            );
        }
        let path = |device| Path::new(Arc::clone(&config.arithmetic), Arc::clone(device));
        let mut paths: Vec<Path> = devices.take(Config::MOST_DEVICES).map(path).collect();
        let last: Arc<Libcrypto> = Arc::new(Libcrypto);
        paths.push(Path::new(Arc::clone(&last) as _, Arc::new(Cpu::new(last))));
        Route {
            devices: config.devices.len().min(paths.len() - 1),
            paths,
            batches: AtomicU32::new(0),
            failures_allowed: config.failures_allowed,
            faults_allowed: config.faults_allowed,
            public_limit: 8 * config.arithmetic.lanes(),
        }
    }

    pub fn path(&self, index: usize) -> &Path {
        &self.paths[index]
    }

    /// The index of libcrypto; for public operations, which the host does itself, of the host's arithmetic and then
    /// libcrypto.
    pub fn last_resort(&self) -> usize {
        self.paths.len() - 1
    }

    pub fn class(&self, operation: &Operation) -> Class {
        let accepting = self.paths[..self.last_resort()].iter().enumerate().filter(|(_, path)| path.accepts(operation));
        Class::of(operation, accepting.fold(0, |mask, (i, _)| mask | 1 << i))
    }

    /// Whether a path takes this class and is in service.
    fn able(&self, class: Class, index: usize) -> bool {
        class.paths >> index & 1 == 1 && self.paths[index].in_service()
    }

    /// Paths among which cost decides, in order of preference: the devices that are able, without any the fallback. For
    /// public operations the host comes first, see [`Route::last_resort`].
    fn candidates(&self, class: Class) -> impl Iterator<Item = usize> {
        let public = class.kind == Kind::Public;
        let none = !public && !(0..self.devices).any(|i| self.able(class, i));
        let range = if none { self.devices..self.last_resort() } else { 0..self.devices };
        public.then_some(self.last_resort()).into_iter().chain(range.filter(move |&i| self.able(class, i)))
    }

    /// Most operations of a class in one batch.
    pub fn limit(&self, class: Class) -> usize {
        let limits = self.candidates(class).map(|i| self.limit_of(class, i));
        limits.max().unwrap_or_else(|| self.limit_of(class, self.last_resort()))
    }

    /// As many operations of a class as every batch takes if they are there, whichever path it runs on.
    pub fn least_limit(&self, class: Class) -> usize {
        let limits = self.candidates(class).map(|i| self.limit_of(class, i));
        limits.min().unwrap_or_else(|| self.limit_of(class, self.last_resort()))
    }

    fn limit_of(&self, class: Class, index: usize) -> usize {
        let public = class.kind == Kind::Public && index == self.last_resort();
        if public { self.public_limit } else { self.paths[index].limit(class) }
    }

    /// Most operations in one batch of any class.
    pub fn largest_batch(&self) -> usize {
        self.paths.iter().map(|path| path.lanes_offered(1)).max().unwrap_or(1).max(self.public_limit)
    }

    /// The path that is cheapest for `available` (at least 1) operations, by measured time per operation.
    ///
    /// What was never measured is tried; what looked worse is measured again now and then, unless it is hopeless. A device
    /// that is shared counts as often as it would have batches.
    pub fn choose(&self, class: Class, available: usize) -> Choice {
        let at = |i: usize| Choice { path: i, take: available.min(self.limit_of(class, i)) };
        let mut candidates = self.candidates(class);
        let Some(first) = candidates.next() else { return at(self.last_resort()) };
        let Some(second) = candidates.next() else { return at(first) };

        let measured = |i: usize| (at(i), self.paths[i].cost(class, at(i).take));
        let known: Vec<_> = [first, second].into_iter().chain(candidates).map(measured).collect();
        let company = |choice: &Choice| self.paths[choice.path].company();
        let (unknown, known): (Vec<_>, Vec<_>) = known.into_iter().partition(|(_, (_, times))| *times == 0);
        if let Some((choice, _)) = unknown.iter().min_by_key(|(choice, _)| company(choice))
            && (known.is_empty() || company(choice) == 0)
        {
            return *choice;
        }
        let time = |choice: &Choice, cost: u64| cost.saturating_mul(1 + company(choice));
        let (best, (least, _)) =
            *known.iter().min_by_key(|(choice, (cost, _))| time(choice, *cost)).expect("something is known");
        let batch = self.batches.fetch_add(1, Ordering::Relaxed);
        if batch.is_multiple_of(REMEASURE) {
            let (other, (cost, times)) = known[(batch / REMEASURE) as usize % known.len()];
            if times < 4 || cost < 4 * least {
                return other;
            }
        }
        best
    }

    /// The paths for a batch that was to take `first`: that, the others in service, the last resort.
    pub fn order(&self, class: Class, first: usize) -> Vec<usize> {
        let others = (0..self.last_resort()).filter(|&i| i != first && self.able(class, i));
        let last = Some(self.last_resort()).filter(|&last| last != first);
        [first].into_iter().chain(others).chain(last).collect()
    }

    /// A batch failed on a path. Whether its device is out of service now.
    pub fn failed(&self, index: usize, reason: &str) -> bool {
        let path = &self.paths[index];
        tracing::debug!(device = path.device.name(), reason, "a batch failed");
        let out = index != self.last_resort() && !path.device.may_be_away() && path.failed(self.failures_allowed);
        if out {
            tracing::warn!(device = path.device.name(), reason, "taken out of service: batches keep failing");
        }
        out
    }

    /// Results of a path were proven wrong. Whether its device is out of service now.
    pub fn lied(&self, index: usize, count: usize) -> bool {
        let path = &self.paths[index];
        let out = index != self.last_resort() && path.lied(count as u32, self.faults_allowed);
        if out {
            tracing::warn!(device = path.device.name(), "taken out of service: its results are wrong");
        }
        out
    }
}

impl Devices for Route {
    fn limit(&self, class: Class) -> usize {
        self.limit(class)
    }

    fn least_limit(&self, class: Class) -> usize {
        self.least_limit(class)
    }

    fn choose(&self, class: Class, available: usize) -> (usize, usize) {
        let Choice { path, take } = self.choose(class, available);
        (path, take)
    }

    fn on_host(&self, path: usize) -> bool {
        self.path(path).on_host
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{Device, DeviceError, DeviceInfo, Limits, Power};

    /// A device that wants so many exponentiations at once.
    struct Wants(usize, bool);

    impl DeviceInfo for Wants {
        fn name(&self) -> &str {
            "test"
        }

        fn limits(&self) -> Limits {
            Limits { min_bits: 2, max_bits: 8192 }
        }

        fn preferred_batch(&self) -> usize {
            self.0
        }

        fn is_shared(&self) -> bool {
            self.1
        }
    }

    impl Device for Wants {
        fn exponentiate(&self, _: &mut [Power<'_>]) -> Result<(), DeviceError> {
            Ok(())
        }
    }

    const CLASS: Class = Class { kind: Kind::Private, size: 4, exponent: 0, paths: 0b11 };

    fn route(batches: &[usize]) -> Route {
        let devices = batches.iter().map(|&batch| Arc::new(Wants(batch, false)) as _).collect();
        Route::new(&Config::with(Arc::new(Libcrypto), devices))
    }

    #[test]
    fn fallback_is_taken_only_where_no_device_is_able_or_in_service() {
        let mut config = Config::with(Arc::new(Libcrypto), vec![Arc::new(Wants(16, false))]);
        config.fallback = vec![Arc::new(Wants(64, false))];
        let route = Route::new(&config);
        route.path(0).went_well(CLASS, 8, 1_000_000_000);
        route.path(1).went_well(CLASS, 8, 1_000);
        assert_eq!(route.choose(CLASS, 8).path, 0, "however slow it is");
        assert_eq!(route.order(CLASS, 0), [0, 1, 2]);
        assert_eq!(route.choose(Class { paths: 0b10, ..CLASS }, 100), Choice { path: 1, take: 32 });
        for _ in 0..3 {
            route.failed(0, "test");
        }
        assert_eq!(route.choose(CLASS, 8).path, 1);
    }

    #[test]
    fn batches_spread_over_shared_devices_and_pass_by_a_busy_one_that_is_slower() {
        let devices = vec![Arc::new(Wants(16, true)) as _, Arc::new(Wants(16, true)) as _];
        let route = Route::new(&Config::with(Arc::new(Libcrypto), devices));
        let first = route.path(0).begin();
        assert_eq!(route.choose(CLASS, 8).path, 1, "both unknown, one busy");
        route.path(1).went_well(CLASS, 8, 1_000);
        let second = route.path(1).begin();
        assert_eq!(route.choose(CLASS, 8).path, 1, "one unknown and busy");
        drop(first);
        assert_eq!(route.choose(CLASS, 8).path, 0);
        route.path(0).went_well(CLASS, 8, 1_500);
        route.batches.store(1, Ordering::Relaxed);
        assert_eq!(route.choose(CLASS, 8).path, 0);
        drop(second);
        assert_eq!(route.choose(CLASS, 8).path, 1);
    }

    #[test]
    fn small_batches_go_where_they_are_cheap_and_large_ones_too() {
        let route = route(&[4096, 16]);
        let (large, small) = (route.path(0), route.path(1));
        // The large device takes 2 ms whatever it gets, the small one 200 us for eight.
        for _ in 0..4 {
            for scale in 0..12 {
                large.went_well(CLASS, 1 << scale, 2_000_000);
            }
            for operations in [1, 2, 4, 8] {
                small.went_well(CLASS, operations, 200_000);
            }
        }
        route.batches.store(1, Ordering::Relaxed);
        assert_eq!(route.choose(CLASS, 1), Choice { path: 1, take: 1 });
        assert_eq!(route.choose(CLASS, 64), Choice { path: 1, take: 8 });
        assert_eq!(route.choose(CLASS, 1000), Choice { path: 0, take: 1000 });
        assert_eq!(route.choose(CLASS, 100_000), Choice { path: 0, take: 2048 });
        assert_eq!((route.limit(CLASS), route.least_limit(CLASS)), (2048, 8));
    }

    #[test]
    fn what_long_exponents_cost_says_nothing_of_short_ones() {
        let route = route(&[16, 16]);
        let [short, long] = [4, 32].map(|exponent| Class { kind: Kind::Exponentiation, exponent, ..CLASS });
        for _ in 0..4 {
            // The first takes 1 ms whatever the exponent is, the second 100 us a word.
            for class in [short, long] {
                route.path(0).went_well(class, 8, 1_000_000);
                route.path(1).went_well(class, 8, 100_000 * u64::from(class.exponent));
            }
        }
        route.batches.store(1, Ordering::Relaxed);
        assert_eq!([short, long].map(|class| route.choose(class, 8).path), [1, 0]);
    }

    #[test]
    fn public_operations_go_to_a_device_only_if_it_takes_them_and_is_cheaper_than_the_host() {
        let route = route(&[4096]);
        let host = route.last_resort();
        let refused = Class { kind: Kind::Public, paths: 0, ..CLASS };
        let taken = Class { paths: 1, ..refused };
        for _ in 0..4 {
            assert_eq!(route.choose(refused, 1000), Choice { path: host, take: 8 });
            for scale in 0..12 {
                route.path(0).went_well(taken, 1 << scale, 2_000_000);
            }
            for scale in 0..4 {
                route.path(host).went_well(taken, 1 << scale, 10_000 << scale);
            }
        }
        route.batches.store(1, Ordering::Relaxed);
        assert_eq!(route.choose(taken, 10), Choice { path: host, take: 8 });
        assert_eq!(route.choose(taken, 1000), Choice { path: 0, take: 1000 });
        assert_eq!(route.order(taken, 0), [0, host]);
    }

    #[test]
    fn unmeasured_paths_are_tried_and_bad_first_impressions_forgotten() {
        let route = route(&[16, 16]);
        assert_eq!(route.choose(CLASS, 8).path, 0);
        route.path(0).went_well(CLASS, 8, 1_000_000_000);
        assert_eq!(route.choose(CLASS, 8).path, 1);
        route.path(1).went_well(CLASS, 8, 1_000);
        // The first measurement of path 0 included its start; within two rounds it is measured again.
        let again = (0..2 * REMEASURE).filter(|_| route.choose(CLASS, 8).path == 0).count();
        assert!((1..=2).contains(&again), "measured {again} times");
        route.path(0).went_well(CLASS, 8, 100);
        assert_eq!(route.path(0).cost(CLASS, 8), (12, 2));
        assert_eq!(route.choose(CLASS, 8).path, 0);
    }

    #[test]
    fn what_is_out_of_service_or_unable_is_not_chosen() {
        let route = route(&[16, 64]);
        assert_eq!(route.order(CLASS, 0), [0, 1, 2]);
        for _ in 0..3 {
            route.failed(0, "test");
        }
        assert_eq!(route.choose(CLASS, 100), Choice { path: 1, take: 32 });
        assert_eq!(route.order(CLASS, 1), [1, 2]);
        let nobody = Class { paths: 0, ..CLASS };
        assert_eq!(route.choose(nobody, 100), Choice { path: 2, take: 1 });
        for _ in 0..100 {
            route.failed(2, "test");
        }
        assert_eq!(route.order(nobody, 2), [2], "the last resort stays");
    }
}
