/* SPDX-License-Identifier: Apache-2.0 */
/* A key's other numbers from its primes. */
#ifndef KEY_PARTS_H
#define KEY_PARTS_H

#include "mbedtls/rsa.h"
#include "miller_rabin.h"

/* n, d = e^-1 mod lcm(p - 1, q - 1), dp, dq and qinv of a key whose e, p > q are set; mbedTLS checks the key at the end. e
 * is PRIME_EXPONENT. qinv = q^(p - 2) mod p at level mul or exp, in software by Euclid. 0, or what mbedTLS says. */
int key_parts(mbedtls_rsa_context *key, enum level level, struct power_counts *counts);

#endif
