/* SPDX-License-Identifier: Apache-2.0 */
#include "rsa_driver.h"

#include "console.h"
#include "garner_rsa.h"
#include "soc_registers.h"

enum { ANSWERED = 1, STATUS_SHIFT = 4, STATUS_MASK = 15 };

struct rsa_waiting rsa_waiting;
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

void rsa_start(struct rsa_job *job, unsigned operation, unsigned scheme, unsigned bits, unsigned exponent_bits)
{
	job->start = processor_cycles();
	if (bits)
		loaded_bits = bits;
	job->limit = patience();
	job->failed = 0;
	register_write(SOC_RSA_JOB0, operation << GARNER_RSA_DESCRIPTOR_OP_SHIFT
					     | scheme << GARNER_RSA_DESCRIPTOR_SCHEME_SHIFT);
	register_write(SOC_RSA_JOB1, bits << GARNER_RSA_DESCRIPTOR_BITS_SHIFT
					     | exponent_bits << GARNER_RSA_DESCRIPTOR_EXPONENT_BITS_SHIFT);
}

int rsa_ended(struct rsa_job *job)
{
	if (job->failed || register_read(SOC_RSA_STATUS) & ANSWERED)
		return 1;
	if (processor_cycles() - job->start <= job->limit)
		return 0;
	register_write(SOC_RSA_RESET, 1);
	register_write(SOC_RSA_RESET, 0);
	job->failed = DRIVER_TIMEOUT;
	return 1;
}

/* Returns at an interrupt, or when the job has taken too long: one that never comes holds nobody up. */
static void wait_for_interrupt(const struct rsa_job *job)
{
	const uint32_t seen = core_interrupts;

	core_interrupt_allow();
	while (core_interrupts == seen && processor_cycles() - job->start <= job->limit)
		;
}

int rsa_end(struct rsa_job *job, uint32_t *result, unsigned words)
{
	uint32_t status, seen = core_interrupts;

	while (!rsa_ended(job)) {
		if (!rsa_waiting.interrupts)
			continue;
		rsa_waiting.spurious += core_interrupts - seen;
		seen = core_interrupts;
		wait_for_interrupt(job);
	}
	if (job->failed)
		return job->failed;
	status = register_read(SOC_RSA_STATUS) >> STATUS_SHIFT & STATUS_MASK;
	register_write(SOC_RSA_ACCEPT, 1);
	if (status != GARNER_STATUS_OK)
		return (int)status;
	for (unsigned i = 0; i < words; i++)
		result[i] = register_read(SOC_RSA_RESULT);
	return 0;
}

int rsa_run(unsigned operation, unsigned scheme, unsigned bits, unsigned exponent_bits, uint32_t *result,
	    unsigned words)
{
	struct rsa_job job;

	rsa_start(&job, operation, scheme, bits, exponent_bits);
	return rsa_end(&job, result, words);
}
