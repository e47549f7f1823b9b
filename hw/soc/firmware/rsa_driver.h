/* SPDX-License-Identifier: Apache-2.0 */
/* The RSA core's driver. Registers and jobs are those of the generated headers; every wait has an end. */
#ifndef RSA_DRIVER_H
#define RSA_DRIVER_H

#include <stdint.h>

/* How the core is waited for: by reading its status, or, if `interrupts`, without an access until it interrupts; and how
 * many of its interrupts came without an answer. */
struct rsa_waiting {
	int interrupts;
	uint32_t spurious;
};
extern struct rsa_waiting rsa_waiting;

/* Whether the core takes such a modulus. */
int rsa_fits(unsigned bits);
/* Words of operands for the next job, low word first. */
void rsa_operand(const uint32_t *words, unsigned count, int last);
/* A job under way: when it began, how many cycles it may take, and why it ended without an answer. */
struct rsa_job {
	uint32_t start, limit;
	int failed;
};

/* Starts a job whose operands have been given, and returns; the core has one at a time. */
void rsa_start(struct rsa_job *job, unsigned operation, unsigned scheme, unsigned bits, unsigned exponent_bits);
/* Whether rsa_end would return at once. A job that took too long has ended, too. */
int rsa_ended(struct rsa_job *job);
/* Waits for its end; the result, if `words` is not 0. 0, or what failed: SOC_FAILURE_TIMEOUT or GARNER_STATUS_... */
int rsa_end(struct rsa_job *job, uint32_t *result, unsigned words);
/* Both. */
int rsa_run(unsigned operation, unsigned scheme, unsigned bits, unsigned exponent_bits, uint32_t *result,
	    unsigned words);

#endif
