/* SPDX-License-Identifier: Apache-2.0 */
/* The command `keygen` of main.c: mbedtls_rsa_gen_key, its powers (Miller-Rabin) at a level. The same SEED tries the same
 * candidates at every level, and so finds the same key. */
#include "command.h"
#include "console.h"
#include "hooks.h"
#include "seeded_random.h"
#include "soc_registers.h"

void command_keygen(void)
{
	static mbedtls_rsa_context key;
	const unsigned level = line_decimal(), bits = line_decimal(), half = bits / 64;
	uint32_t seed = line_decimal(), start, cycles;
	mbedtls_ctr_drbg_context random;
	number primes;
	int failed;

	if (bits < 512 || bits > 32 * MAX_WORDS || bits % 64)
		return answer_error("BITS is no multiple of 64 from 512 to 2048");
	if (level > LEVEL_EXP)
		return answer_error("no such LEVEL");
	mbedtls_rsa_init(&key, MBEDTLS_RSA_PKCS_V15, 0);
	failed = seeded_random(&random, &seed);
	hooks_begin((enum level)level);
	register_write(SOC_CONTROL_MONITOR, 0);
	start = processor_cycles();
	if (!failed)
		failed = mbedtls_rsa_gen_key(&key, mbedtls_ctr_drbg_random, &random, bits, 65537);
	cycles = processor_cycles() - start;
	mbedtls_ctr_drbg_free(&random);
	if (failed || !hooks_words(primes, &key.Q, half) || !hooks_words(primes + half, &key.P, half))
		answer_error("mbedTLS made no key");
	else
		answer_operation(primes, 2 * half, hooks.powers, cycles, hooks.status);
	mbedtls_rsa_free(&key);
}
