/* SPDX-License-Identifier: Apache-2.0 */
#include "rsa_driver.h"

#include "console.h"
#include "garner_rsa.h"
#include "soc_registers.h"

enum { ANSWERED = 1, STATUS_SHIFT = 4, STATUS_MASK = 15 };

static unsigned loaded_bits;

/* At least twice what an exponentiation takes, the longest job: some 1.25 * bits products of (bits / 18)^2 / rows cycles
 * and a few hundred more each; and what the core takes to erase its memories. */
static uint32_t patience(void)
{
	const unsigned rows = register_read(SOC_RSA_MONTGOMERY) >> 8 & 0xFF;

	return 500000 + loaded_bits * (loaded_bits * loaded_bits / 64 / rows + 400);
}

int rsa_fits(unsigned bits)
{
	return bits >= GARNER_RSA_MIN_BITS && bits % GARNER_RSA_STEP_BITS == 0
	       && bits <= register_read(SOC_RSA_MONTGOMERY) >> 16;
}

void rsa_operand(const uint32_t *words, unsigned count, int last)
{
	for (unsigned i = 0; i < count; i++)
		register_write(last && i + 1 == count ? SOC_RSA_OPERAND_LAST : SOC_RSA_OPERAND, words[i]);
}

int rsa_run(unsigned operation, unsigned scheme, unsigned bits, unsigned exponent_bits, uint32_t *result,
	    unsigned words)
{
	const uint32_t start = processor_cycles();
	uint32_t status, limit;

	if (bits)
		loaded_bits = bits;
	limit = patience();
	register_write(SOC_RSA_JOB0, operation << GARNER_RSA_DESCRIPTOR_OP_SHIFT
					     | scheme << GARNER_RSA_DESCRIPTOR_SCHEME_SHIFT);
	register_write(SOC_RSA_JOB1, bits << GARNER_RSA_DESCRIPTOR_BITS_SHIFT
					     | exponent_bits << GARNER_RSA_DESCRIPTOR_EXPONENT_BITS_SHIFT);
	while (!((status = register_read(SOC_RSA_STATUS)) & ANSWERED)) {
		if (processor_cycles() - start > limit) {
			register_write(SOC_RSA_RESET, 1);
			register_write(SOC_RSA_RESET, 0);
			return DRIVER_TIMEOUT;
		}
	}
	register_write(SOC_RSA_ACCEPT, 1);
	status = status >> STATUS_SHIFT & STATUS_MASK;
	if (status != GARNER_STATUS_OK)
		return (int)status;
	for (unsigned i = 0; i < words; i++)
		result[i] = register_read(SOC_RSA_RESULT);
	return 0;
}
