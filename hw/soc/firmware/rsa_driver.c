/* SPDX-License-Identifier: Apache-2.0 */
#include "rsa_driver.h"

#include "console.h"
#include "garner_rsa.h"
#include "soc_registers.h"

struct rsa_waiting rsa_waiting;
static unsigned loaded_bits;

/* At least twice what an exponentiation takes, the longest job: some 1.25 * bits products of (bits / 18)^2 / rows cycles
 * and a few hundred more each; and what the core takes to erase its memories. */
static uint32_t patience(void)
{
	const unsigned rows = FIELD(register_read(SOC_RSA_MONTGOMERY), SOC_RSA_MONTGOMERY_ROWS);

	return 500000 + loaded_bits * (loaded_bits * loaded_bits / 64 / rows + 400);
}

int rsa_fits(unsigned bits)
{
	return bits >= GARNER_RSA_MIN_BITS && bits % GARNER_RSA_STEP_BITS == 0
	       && bits <= FIELD(register_read(SOC_RSA_MONTGOMERY), SOC_RSA_MONTGOMERY_MAX_BITS);
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
	register_write(SOC_RSA_JOB0, PUT(operation, GARNER_RSA_DESCRIPTOR_OP)
					     | PUT(scheme, GARNER_RSA_DESCRIPTOR_SCHEME));
	register_write(SOC_RSA_JOB1, PUT(bits, GARNER_RSA_DESCRIPTOR_BITS)
					     | PUT(exponent_bits, GARNER_RSA_DESCRIPTOR_EXPONENT_BITS));
}

int rsa_ended(struct rsa_job *job)
{
	if (job->failed || register_read(SOC_RSA_STATUS) & SOC_RSA_STATUS_ANSWERED_MASK)
		return 1;
	if (processor_cycles() - job->start <= job->limit)
		return 0;
	register_write(SOC_RSA_RESET, SOC_RSA_RESET_HOLD_MASK);
	register_write(SOC_RSA_RESET, 0);
	job->failed = SOC_FAILURE_TIMEOUT;
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
	status = FIELD(register_read(SOC_RSA_STATUS), SOC_RSA_STATUS_STATUS);
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
