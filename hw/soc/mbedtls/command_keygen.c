/* SPDX-License-Identifier: Apache-2.0 */
/* The command `keygen` of main.c: by mbedtls_rsa_gen_key, its powers (Miller-Rabin) at a level, or by prime_search. The
 * same SEED tries the same candidates at every level, and so finds the same key. */
#include "command.h"
#include "console.h"
#include "hooks.h"
#include "key_parts.h"
#include "prime_search.h"
#include "seeded_random.h"
#include "soc_registers.h"

/* By mbedTLS. 0, or what it says. */
static int sequential(mbedtls_rsa_context *key, unsigned bits, enum level level, uint32_t seed, struct power_counts *counts)
{
	mbedtls_ctr_drbg_context random;
	int failed = seeded_random(&random, &seed);

	hooks_begin(level);
	if (!failed)
		failed = mbedtls_rsa_gen_key(key, mbedtls_ctr_drbg_random, &random, bits, PRIME_EXPONENT);
	mbedtls_ctr_drbg_free(&random);
	*counts = (struct power_counts){hooks.powers, hooks.fallback, hooks.status, 0};
	return failed;
}

/* By prime_search. 0, or what failed. */
static int batched(mbedtls_rsa_context *key, unsigned bits, enum level level, uint32_t seed, struct power_counts *counts)
{
	const unsigned words = bits / 64;
	number prime[2];
	int above, failed;

	if (prime_search(prime, words, level, seed, counts))
		return MBEDTLS_ERR_RSA_RNG_FAILED;
	above = number_compare(prime[0], prime[1], words) > 0;
	key->len = bits / 8;
	if (!(failed = hooks_set(&key->P, prime[!above], words)) && !(failed = hooks_set(&key->Q, prime[above], words))
	    && !(failed = mbedtls_mpi_lset(&key->E, PRIME_EXPONENT)))
		failed = key_parts(key, level, counts);
	return failed;
}

void command_keygen(void)
{
	static mbedtls_rsa_context key;
	struct power_counts counts = {0, 0, 0, 0};
	uint32_t level, bits, seed, how, start, cycles;
	unsigned half;
	number primes;
	int failed;

	if (!line_decimal(&level) || !line_decimal(&bits) || !line_decimal(&seed) || !line_decimal(&how))
		return answer_error("LEVEL, BITS, SEED or HOW is missing or no decimal number");
	half = bits / 64;
	if (bits < 512 || bits > 32 * MAX_WORDS || bits % 64)
		return answer_error("BITS is no multiple of 64 from 512 to 2048");
	if (level > LEVEL_EXP || how > SOC_KEYGEN_BATCHED)
		return answer_error("no such LEVEL or HOW");
	hooks_key_init(&key);
	register_write(SOC_CONTROL_MONITOR, 0);
	start = processor_cycles();
	failed = (how != SOC_KEYGEN_MBEDTLS ? batched : sequential)(&key, bits, (enum level)level, seed, &counts);
	cycles = processor_cycles() - start;
	if (failed || !hooks_words(primes, &key.Q, half) || !hooks_words(primes + half, &key.P, half))
		answer_error("no key was made");
	else
		answer_key(primes, 2 * half, counts.powers, counts.cycles, cycles, counts.status);
	mbedtls_rsa_free(&key);
}
