// SPDX-License-Identifier: Apache-2.0
//! Keys made with a GPU as a filter of candidates.

use super::*;
use garner::keygen::{Generator, Options};

/// The moduli of five keys from one seed, with this device for a filter, and how many candidates it filtered.
fn moduli_made_with(device: Arc<dyn Device>) -> (Vec<Vec<u64>>, u64) {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let source = move |bytes: &mut [u8]| {
        for byte in bytes {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            *byte = (state >> 32) as u8;
        }
        Ok(())
    };
    let options = Options { below_fips: true, ..Options::default() };
    let generator = Generator::new(&Libcrypto, 1024, 5, &options).unwrap();
    let mut generator = generator.with_random(source).with_device(device);
    let keys: Vec<PrivateKey> = generator.by_ref().map(Result::unwrap).collect();
    keys.iter().for_each(|key| key.check_primes().unwrap());
    let moduli = keys.iter().map(|key| key.public().modulus().words().to_vec()).collect();
    (moduli, generator.statistics().filtered)
}

/// The host, which wants as much at once as the emulated GPU does.
struct Host;

impl DeviceInfo for Host {
    fn name(&self) -> &str {
        "host"
    }

    fn limits(&self) -> Limits {
        Limits { min_bits: MIN_BITS, max_bits: 2048 }
    }

    fn preferred_batch(&self) -> usize {
        Gpu::new(Emulator::new(Fault::None)).preferred_batch()
    }
}

impl Device for Host {
    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        Libcrypto.power_secret(jobs);
        Ok(())
    }
}

#[test]
fn keys_made_with_a_gpu_are_those_made_without_it_from_the_same_randomness() {
    let count = Arc::new(AtomicUsize::new(0));
    let (moduli, filtered) = moduli_made_with(Arc::new(Counted(gpu(512), Arc::clone(&count))));
    assert_eq!(moduli_made_with(Arc::new(Host)), (moduli, filtered));
    // One candidate in thirty or so is prime.
    assert!(filtered > 100, "{filtered} candidates");
    assert_eq!(count.load(Ordering::Relaxed) as u64, filtered);
}

/// Gives this result whatever it is asked: with 1, every number is a prime, with 2 none.
struct Constant(u64);

impl DeviceInfo for Constant {
    fn name(&self) -> &str {
        "constant"
    }

    fn limits(&self) -> Limits {
        Host.limits()
    }

    fn preferred_batch(&self) -> usize {
        64
    }
}

impl Device for Constant {
    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        for job in jobs {
            job.result.fill(0);
            job.result[0] = self.0;
        }
        Ok(())
    }
}

#[test]
fn keys_are_made_of_primes_whatever_a_device_calls_one_or_when_it_is_lost() {
    let (moduli, filtered) = moduli_made_with(Arc::new(Constant(1)));
    assert!(moduli.len() == 5 && filtered > 0);
    let (moduli, filtered) = moduli_made_with(Arc::new(Constant(2)));
    assert!(moduli.len() == 5 && filtered < 512);
    let lost = Gpu::new(Emulator::new(Fault::Lost));
    assert!(lost.shared.kernels[0].set(Kernels::new(0)).is_ok());
    let count = Arc::new(AtomicUsize::new(0));
    let (moduli, filtered) = moduli_made_with(Arc::new(Counted(lost, Arc::clone(&count))));
    assert_eq!((moduli.len(), filtered), (5, 0));
    // Asked once.
    assert!(count.load(Ordering::Relaxed) <= 64);
    let (moduli, filtered) = moduli_made_with(Arc::new(hanging().0));
    assert_eq!((moduli.len(), filtered), (5, 0));
}
