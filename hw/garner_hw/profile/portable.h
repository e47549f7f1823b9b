// SPDX-License-Identifier: Apache-2.0
// mbedTLS in portable C: what of its configuration needs assembly is taken out.
#undef MBEDTLS_HAVE_ASM
#undef MBEDTLS_PADLOCK_C
#undef MBEDTLS_AESNI_C
