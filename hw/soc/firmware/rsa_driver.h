/* SPDX-License-Identifier: Apache-2.0 */
/* The RSA core's driver. Registers and jobs are those of the generated headers; every wait has an end. */
#ifndef RSA_DRIVER_H
#define RSA_DRIVER_H

#include <stdint.h>

enum { DRIVER_TIMEOUT = 0x100 }; /* the core did not answer and was reset; other failures are GARNER_STATUS_... */

/* Whether the core takes such a modulus. */
int rsa_fits(unsigned bits);
/* Words of operands for the next job, low word first. */
void rsa_operand(const uint32_t *words, unsigned count, int last);
/* One job; its operands have been given. The result, if `words` is not 0. 0 or what failed. */
int rsa_run(unsigned operation, unsigned scheme, unsigned bits, unsigned exponent_bits, uint32_t *result,
	    unsigned words);

#endif
