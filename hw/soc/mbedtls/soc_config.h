/* SPDX-License-Identifier: Apache-2.0 */
/* mbedTLS on the system: RSA and a random source. It has no assembly for RISC-V; its limbs are words of 32 bits. */
#ifndef SOC_CONFIG_H
#define SOC_CONFIG_H

#define MBEDTLS_HAVE_ASM
#define MBEDTLS_BIGNUM_C
#define MBEDTLS_RSA_C
#define MBEDTLS_GENPRIME
#define MBEDTLS_OID_C
#define MBEDTLS_PKCS1_V15
#define MBEDTLS_MD_C
#define MBEDTLS_SHA256_C
#define MBEDTLS_AES_C
#define MBEDTLS_AES_ROM_TABLES
#define MBEDTLS_CTR_DRBG_C
#define MBEDTLS_NO_PLATFORM_ENTROPY

#if __has_include("mbedtls/build_info.h") /* 3.6: it checks itself, its RSA reads and writes ASN.1 */
#define MBEDTLS_ASN1_PARSE_C
#define MBEDTLS_ASN1_WRITE_C
#else
#include "mbedtls/check_config.h"
#endif

#endif
