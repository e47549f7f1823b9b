/* SPDX-License-Identifier: Apache-2.0 */
#include "key_parts.h"

#include "hooks.h"
#include "prime_search.h"

/* r^-1 mod e, a prime: r^(e - 2), e - 2 = 2^16 - 1. */
static uint32_t small_inverse(uint32_t r)
{
	uint64_t power = r;

	for (int i = 1; i < 16; i++)
		power = power * power % PRIME_EXPONENT * r % PRIME_EXPONENT;
	return (uint32_t)power;
}

/* X = e^-1 mod M, M prime to e: (k * M + 1) / e where k * M = -1 mod e. */
static int inverse_of_exponent(mbedtls_mpi *X, const mbedtls_mpi *M)
{
	mbedtls_mpi_uint rest;
	int ret = mbedtls_mpi_mod_int(&rest, M, PRIME_EXPONENT);

	if (!ret)
		ret = mbedtls_mpi_mul_int(X, M, PRIME_EXPONENT - small_inverse(rest));
	if (!ret)
		ret = mbedtls_mpi_add_int(X, X, 1);
	return ret ? ret : mbedtls_mpi_div_int(X, 0, X, PRIME_EXPONENT);
}

/* X = Q^-1 mod P. */
static int inverse_of_prime(mbedtls_mpi *X, const mbedtls_mpi *Q, const mbedtls_mpi *P, unsigned words, enum level level,
			    struct power_counts *counts)
{
	uint32_t p[PRIME_WORDS], q[PRIME_WORDS], exponent[PRIME_WORDS], r[PRIME_WORDS];

	if (level == LEVEL_SOFTWARE || !hooks_words(p, P, words) || !hooks_words(q, Q, words))
		return mbedtls_mpi_inv_mod(X, Q, P);
	number_copy(exponent, p, words);
	exponent[0] -= 2; /* p is odd; if its lowest word is 1, this borrows */
	for (unsigned i = 1; p[0] < 2 && i < words && exponent[i]-- == 0; i++)
		;
	counted_power(r, q, exponent, p, words, level, counts);
	return hooks_set(X, r, words);
}

int key_parts(mbedtls_rsa_context *key, enum level level, struct power_counts *counts)
{
	mbedtls_mpi p1, q1, product, common, least;
	int ret;

	mbedtls_mpi_init(&p1);
	mbedtls_mpi_init(&q1);
	mbedtls_mpi_init(&product);
	mbedtls_mpi_init(&common);
	mbedtls_mpi_init(&least);
	if (!(ret = mbedtls_mpi_mul_mpi(&key->N, &key->P, &key->Q)) && !(ret = mbedtls_mpi_sub_int(&p1, &key->P, 1))
	    && !(ret = mbedtls_mpi_sub_int(&q1, &key->Q, 1)) && !(ret = mbedtls_mpi_mul_mpi(&product, &p1, &q1))
	    && !(ret = mbedtls_mpi_gcd(&common, &p1, &q1)) && !(ret = mbedtls_mpi_div_mpi(&least, 0, &product, &common))
	    && !(ret = inverse_of_exponent(&key->D, &least)) && !(ret = inverse_of_exponent(&key->DP, &p1))
	    && !(ret = inverse_of_exponent(&key->DQ, &q1))
	    && !(ret = inverse_of_prime(&key->QP, &key->Q, &key->P, (unsigned)key->len / 8, level, counts)))
		ret = mbedtls_rsa_check_privkey(key);
	mbedtls_mpi_free(&p1);
	mbedtls_mpi_free(&q1);
	mbedtls_mpi_free(&product);
	mbedtls_mpi_free(&common);
	mbedtls_mpi_free(&least);
	return ret;
}
