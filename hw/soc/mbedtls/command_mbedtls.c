/* SPDX-License-Identifier: Apache-2.0 */
/* The command `mbedtls` of main.c: mbedtls_rsa_private at every level, with blinding unless SEED is 0. Vi = Vf^-e mod n
 * blinds: the first operation of a key would make it by an inversion, later ones square Vi and Vf, which is measured.
 * The command `public`: mbedtls_rsa_public, its power at a level. */
#include <string.h>

#include "command.h"
#include "console.h"
#include "hooks.h"
#include "seeded_random.h"
#include "soc_registers.h"

static int read(mbedtls_mpi *X, unsigned words)
{
	number value;

	if (!line_hexadecimal(value, words) || mbedtls_mpi_lset(X, 0) || mbedtls_mpi_grow(X, words))
		return 0;
	memcpy(X->p, value, 4 * words);
	return 1;
}

static void to_bytes(unsigned char *bytes, const uint32_t *words, unsigned count)
{
	for (unsigned i = 0; i < 4 * count; i++)
		bytes[4 * count - 1 - i] = (unsigned char)(words[i / 4] >> 8 * (i % 4));
}

static void from_bytes(uint32_t *words, const unsigned char *bytes, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		words[i] = 0;
	for (unsigned i = 0; i < 4 * count; i++)
		words[i / 4] |= (uint32_t)bytes[4 * count - 1 - i] << 8 * (i % 4);
}

/* The operation and its answer; the key has its blinding values, as if it had been used before. */
static void measured(mbedtls_rsa_context *key, enum level level, uint32_t seed, const uint32_t *m, unsigned words)
{
	int (*const source)(void *, unsigned char *, size_t) = seed ? mbedtls_ctr_drbg_random : 0;
	static unsigned char input[4 * MAX_WORDS], output[4 * MAX_WORDS];
	mbedtls_ctr_drbg_context random;
	number result;
	uint32_t start, load, cycles;
	int failed, status = 0;

	failed = seeded_random(&random, &seed);
	to_bytes(input, m, words);
	hooks_begin(level);
	start = processor_cycles();
	if (level == LEVEL_OP)
		status = hooks_load(key);
	load = processor_cycles() - start;
	register_write(SOC_CONTROL_MONITOR, 0);
	start = processor_cycles();
	if (!failed)
		failed = mbedtls_rsa_private(key, source, &random, input, output);
	cycles = processor_cycles() - start;
	mbedtls_ctr_drbg_free(&random);
	if (failed)
		return answer_error("mbedTLS refused key or m");
	from_bytes(result, output, words);
	answer_operation(result, words, load, cycles, status ? status : hooks.status);
}

void command_mbedtls(void)
{
	static mbedtls_rsa_context key;
	uint32_t level, bits, seed;
	unsigned words;
	number m;

	if (!line_decimal(&level) || !line_decimal(&bits) || !line_decimal(&seed))
		return answer_error("LEVEL, BITS or SEED is missing or no decimal number");
	words = bits / 32;
	if (bits < 128 || bits > 32 * MAX_WORDS || bits % 64)
		return answer_error("BITS is no multiple of 64 from 128 to 2048");
	if (level > LEVEL_OP)
		return answer_error("no such LEVEL");
	hooks_key_init(&key);
	key.len = bits / 8;
	if (!read(&key.N, words) || !read(&key.E, 1) || !read(&key.P, words / 2) || !read(&key.Q, words / 2)
	    || !read(&key.DP, words / 2) || !read(&key.DQ, words / 2) || !read(&key.QP, words / 2)
	    || !read(&key.Vi, words) || !read(&key.Vf, words) || !line_hexadecimal(m, words))
		answer_error("a part of the key or m is missing, no hexadecimal number or too long");
	else if (mbedtls_mpi_bitlen(&key.N) != bits)
		answer_error("n is shorter than BITS");
	else
		measured(&key, (enum level)level, seed, m, words);
	mbedtls_rsa_free(&key);
}

/* m^e mod n and its answer. */
static void measured_public(mbedtls_rsa_context *key, enum level level, const uint32_t *m, unsigned words)
{
	static unsigned char input[4 * MAX_WORDS], output[4 * MAX_WORDS];
	number result;
	uint32_t start, cycles;
	int failed;

	to_bytes(input, m, words);
	hooks_begin(level);
	register_write(SOC_CONTROL_MONITOR, 0);
	start = processor_cycles();
	failed = mbedtls_rsa_public(key, input, output);
	cycles = processor_cycles() - start;
	if (failed)
		return answer_error("mbedTLS refused key or m");
	from_bytes(result, output, words);
	answer_operation(result, words, 0, cycles, hooks.status);
}

void command_public(void)
{
	static mbedtls_rsa_context key;
	uint32_t level, bits;
	unsigned words;
	number m;

	if (!line_decimal(&level) || !line_decimal(&bits))
		return answer_error("LEVEL or BITS is missing or no decimal number");
	words = bits / 32;
	if (bits < 128 || bits > 32 * MAX_WORDS || bits % 64)
		return answer_error("BITS is no multiple of 64 from 128 to 2048");
	if (level > LEVEL_EXP)
		return answer_error("no such LEVEL");
	hooks_key_init(&key);
	key.len = bits / 8;
	if (!read(&key.N, words) || !read(&key.E, 1) || !line_hexadecimal(m, words))
		answer_error("n, e or m is missing, no hexadecimal number or too long");
	else if (mbedtls_mpi_bitlen(&key.N) != bits)
		answer_error("n is shorter than BITS");
	else
		measured_public(&key, (enum level)level, m, words);
	mbedtls_rsa_free(&key);
}
