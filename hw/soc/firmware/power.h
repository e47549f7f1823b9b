/* SPDX-License-Identifier: Apache-2.0 */
/* Modular exponentiation at four levels: all in software, passes of a multiplication in `row`, multiplications in `mont`,
 * all in the RSA core. */
#ifndef POWER_H
#define POWER_H

#include "mont_driver.h"
#include "number.h"
#include "row_driver.h"
#include "rsa_driver.h"
#include "soc_registers.h"

enum level {
	LEVEL_SOFTWARE = SOC_LEVEL_SOFTWARE,
	LEVEL_MUL = SOC_LEVEL_MUL,
	LEVEL_EXP = SOC_LEVEL_EXP,
	LEVEL_OP = SOC_LEVEL_OP,
	LEVEL_ROW = SOC_LEVEL_ROW,
};

/* Operands are named by their slot, in the processor's memory or in the multiplier's. */
enum { WINDOW = 5, SLOT_TABLE = 0, SLOT_ONE = SLOT_TABLE, SLOT_BASE = SLOT_TABLE + 1, SLOT_R2 = SLOT_TABLE + (1 << WINDOW),
       SLOT_UNIT, SLOT_SQUARE, SLOT_RESULT, SLOTS };

struct modulus {
	number n;
	/* Of number_montgomery. Beside n, so that in the processor's direct-mapped cache of 4 KiB neither displaces the other;
	 * on the stack it displaced one slot or another, and right-to-left took 1.6 times as long. */
	uint32_t scratch[MAX_WORDS + 2];
	unsigned bits, words;
	enum level level;     /* LEVEL_SOFTWARE, LEVEL_ROW or LEVEL_MUL: who multiplies */
	unsigned r_bits;      /* log2 R of who multiplies */
	uint32_t inverse;     /* of software: -n^-1 mod 2^32 */
	number slot[SLOTS];   /* of software and row */
	struct row row;
	struct mont mont;     /* of the multiplier */
};

/* Prepares n, odd, its top bit set, for multiplications at this level: R mod n, R^2 mod n and 1 are in their slots. The
 * accelerators hold one modulus at a time. 0, or what the accelerator said. */
int modulus_prepare(struct modulus *modulus, const uint32_t *n, unsigned bits, enum level level);
/* slot = x, of as many words as n. */
void modulus_put(struct modulus *modulus, unsigned slot, const uint32_t *x);
/* slot d = a * b / R mod n. */
void modulus_multiply(struct modulus *modulus, unsigned d, unsigned a, unsigned b);
/* r = slot, below n. 0, or what the accelerator said first. */
int modulus_get(struct modulus *modulus, uint32_t *r, unsigned slot);
/* r = base^exponent mod n; base < n; exponent of so many bits, from 0 on. `scheme` as the core's. 0, or what failed. */
int power(struct modulus *modulus, uint32_t *r, const uint32_t *base, const uint32_t *exponent, unsigned exponent_bits,
	  unsigned scheme);
/* The same by one job of the core, n of so many bits; exponent_bits at least 1. */
int power_core(uint32_t *r, const uint32_t *n, unsigned bits, const uint32_t *base, const uint32_t *exponent,
	       unsigned exponent_bits, unsigned scheme);
/* The same, but returns when the core has begun: r by rsa_end. */
int power_core_start(struct rsa_job *job, const uint32_t *n, unsigned bits, const uint32_t *base,
		     const uint32_t *exponent, unsigned exponent_bits, unsigned scheme);

#endif
