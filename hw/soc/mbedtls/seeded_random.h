/* SPDX-License-Identifier: Apache-2.0 */
/* CTR_DRBG from a seed of the command, so that a run can be repeated, and its secrets be known: for measuring only. */
#ifndef SEEDED_RANDOM_H
#define SEEDED_RANDOM_H

#include "mbedtls/ctr_drbg.h"

/* SEED again and again is what it takes for entropy; the seed must outlive it. 0, or what mbedTLS says. */
int seeded_random(mbedtls_ctr_drbg_context *random, uint32_t *seed);

#endif
