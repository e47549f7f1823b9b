/* SPDX-License-Identifier: Apache-2.0 */
/* Modular exponentiation at three levels: all in software, Montgomery multiplications in the core, all in the core. */
#ifndef POWER_H
#define POWER_H

#include "number.h"

enum level { LEVEL_SOFTWARE, LEVEL_MUL, LEVEL_EXP, LEVEL_OP };

struct modulus {
	number n;
	unsigned bits, words;
	uint32_t inverse;    /* of software: -n^-1 mod 2^32 */
	enum level level;    /* LEVEL_SOFTWARE or LEVEL_MUL: who multiplies */
	unsigned r_bits;     /* log2 R of who multiplies */
	number one, r2;      /* R mod n, R^2 mod n */
	int failed;          /* what the core said first, 0 if nothing */
};

/* Prepares n, odd, its top bit set, for multiplications at this level. 0, or what the core said. */
int modulus_prepare(struct modulus *modulus, const uint32_t *n, unsigned bits, enum level level);
/* r = a * b / R mod n. */
void modulus_multiply(struct modulus *modulus, uint32_t *r, const uint32_t *a, const uint32_t *b);
/* r = base^exponent mod n; base < n; the exponent has as many words as n. `scheme` as the core's. */
void power(struct modulus *modulus, uint32_t *r, const uint32_t *base, const uint32_t *exponent, unsigned scheme);
/* The same by one job. 0, or what the core said. */
int power_core(uint32_t *r, const uint32_t *n, const uint32_t *base, const uint32_t *exponent, unsigned bits,
	       unsigned scheme);

#endif
