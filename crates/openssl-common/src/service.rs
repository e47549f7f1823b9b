// SPDX-License-Identifier: Apache-2.0
//! The one gatherer of the process, shared by all library contexts and threads.

use crate::figures::{self, Figures};
use crate::settings::{Refused, Settings};
use crate::summary;
use crate::system::{self, this_thread};
use garner::arithmetic::Arithmetic;
use garner::fork::{ForkLocal, away_from_fork};
use garner::gather::Gatherer;
use garner::random::leave_libcrypto;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// The gatherer, and what is known of it.
pub struct Service {
    gatherer: Gatherer,
    arithmetic: Arc<dyn Arithmetic>,
    device: String,
    worthwhile: bool,
    /// Which came first: `provider` or `engine`.
    front_end: &'static str,
    keys: AtomicU64,
    /// The process is about to end: no job is paused any more.
    ending: AtomicBool,
}

/// The thread that ends the process, and since when.
static END: OnceLock<(libc::pthread_t, Instant)> = OnceLock::new();

/// How long threads are held back while the process ends, counted from its beginning. Longer than most take to end; short,
/// for a program may wait for its threads.
const HOLD: Duration = Duration::from_millis(100);

/// Whether [`at_exit`] is registered; a child made by `fork` inherits that.
static WATCHING: AtomicBool = AtomicBool::new(false);

/// Runs before libcrypto's own clean-up, which was registered earlier: threads of ours that end after it could not give
/// their random generators back. And if somebody never unloads us, this is the last chance for the summary.
///
/// The program's threads go on meanwhile and may call us. They are served without libcrypto, on their own threads: were they
/// sent to OpenSSL's RSA now, it would meet libcrypto half cleaned up. So would they when they have their answers, all at about
/// this time, and go on to the next message: they are held back, see [`Service::hold_back`].
extern "C" fn at_exit() {
    if let Some(service) = Service::current() {
        summary::last(|| service.summary());
        let _ = END.set((this_thread(), Instant::now()));
        service.ending.store(true, Ordering::SeqCst);
        service.gatherer.retire();
        leave_libcrypto();
    }
}

static CURRENT: Mutex<Weak<Service>> = Mutex::new(Weak::new());

/// Held by whoever opens a service, which takes long where a device is slow to answer. A child made meanwhile has one of
/// its own, and opens a service of its own.
static OPENING: ForkLocal<Mutex<()>> = ForkLocal::new();

/// Looks at the service of the process. A child made while somebody holds the lock would wait for it for ever.
fn with_current<T>(look: impl FnOnce(&mut Weak<Service>) -> T) -> T {
    away_from_fork(|| look(&mut CURRENT.lock().unwrap_or_else(PoisonError::into_inner)))
}

impl Service {
    /// The process's service: that which is there, or a new one with these settings. Whoever comes first decides on
    /// the settings, as a gatherer for each library context would gather less. It ends with its last owner.
    ///
    /// # Errors
    /// [`Refused`], as [`Settings::config`].
    pub fn open(settings: &Settings, front_end: &'static str) -> Result<Arc<Service>, Refused> {
        if let Some(service) = Service::current() {
            return Ok(service);
        }
        let _turn = OPENING.get().lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(service) = Service::current() {
            return Ok(service);
        }
        let (config, worthwhile) = settings.config()?;
        let names: Vec<&str> = config.devices.iter().map(|device| device.name()).collect();
        let device = if names.is_empty() { "libcrypto".to_owned() } else { names.join(",") };
        let arithmetic = Arc::clone(&config.arithmetic);
        let gatherer = Gatherer::new(config);
        let (keys, ending) = (AtomicU64::new(0), AtomicBool::new(false));
        let service = Arc::new(Service { gatherer, arithmetic, device, worthwhile, front_end, keys, ending });
        with_current(|current| *current = Arc::downgrade(&service));
        if !WATCHING.swap(true, Ordering::Relaxed) {
            system::at_exit(at_exit);
        }
        Ok(service)
    }

    /// The service, if there is one now.
    fn current() -> Option<Arc<Service>> {
        with_current(|current| current.upgrade())
    }

    /// The gatherer.
    pub fn gatherer(&self) -> &Gatherer {
        &self.gatherer
    }

    /// The host's arithmetic.
    pub fn arithmetic(&self) -> &dyn Arithmetic {
        &*self.arithmetic
    }

    /// The names of the devices, the preferred one first.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Whether the device beats OpenSSL.
    pub fn worthwhile(&self) -> bool {
        self.worthwhile
    }

    /// The figures as they are now.
    pub fn figures(&self) -> Figures {
        figures::all(&self.gatherer.statistics(), self.keys())
    }

    fn summary(&self) -> String {
        summary::line(self.front_end, &self.device, &self.figures())
    }

    /// Whether the process is about to end.
    pub(crate) fn ending(&self) -> bool {
        self.ending.load(Ordering::SeqCst)
    }

    /// Called when an operation is done, or cannot be: a thread of a process that is ending waits here for the end, though not
    /// for ever, and not the one that ends it.
    pub(crate) fn hold_back(&self) {
        if let Some((ending, since)) = END.get().filter(|_| self.ending())
            && *ending != this_thread()
        {
            thread::sleep(HOLD.saturating_sub(since.elapsed()));
        }
    }

    /// Keys generated.
    pub fn keys(&self) -> u64 {
        self.keys.load(Ordering::Relaxed)
    }

    /// A key was generated.
    pub fn count_key(&self) {
        self.keys.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        summary::write(|| self.summary());
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("device", &self.device).finish_non_exhaustive()
    }
}
