/* SPDX-License-Identifier: Apache-2.0 */
#include "seeded_random.h"

static int entropy(void *seed, unsigned char *output, size_t length)
{
	for (size_t i = 0; i < length; i++)
		output[i] = (unsigned char)(*(const uint32_t *)seed >> 8 * (i % 4));
	return 0;
}

int seeded_random(mbedtls_ctr_drbg_context *random, uint32_t *seed)
{
	mbedtls_ctr_drbg_init(random);
	return mbedtls_ctr_drbg_seed(random, entropy, seed, 0, 0);
}
