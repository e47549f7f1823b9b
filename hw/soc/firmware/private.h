/* SPDX-License-Identifier: Apache-2.0 */
/* The RSA private operation: in software by the CRT, or by one job of the core, whose answer is checked. */
#ifndef PRIVATE_H
#define PRIVATE_H

#include "number.h"

struct private_key {
	unsigned bits;
	number n, e, p, q, dp, dq, qinv; /* e one word; the primes' have half the words of n */
};

/* s = m^d mod n. Whether s^e mod n is m; it is not where parts of the key do not fit together, and such an s would tell the
 * primes (Boneh, DeMillo, Lipton 1997). */
int private_software(const struct private_key *key, uint32_t *s, const uint32_t *m);
/* Puts the key into the core's slot. 0, or what the core said. */
int private_load(const struct private_key *key);
/* s = m^d mod n by the loaded key; s^e mod n = m is checked after s has come over the bus. 0, or what failed. */
int private_core(const struct private_key *key, uint32_t *s, const uint32_t *m);

#endif
