/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of 32-bit words, low word first, and Montgomery multiplication in software: CIOS (Koc, Acar, Kaliski 1996). */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdint.h>

enum { MAX_WORDS = 64 };
typedef uint32_t number[MAX_WORDS];

/* r = a, of `words` words. */
void number_copy(uint32_t *r, const uint32_t *a, unsigned words);
/* -1, 0 or 1 as a is below, equal to or above b. */
int number_compare(const uint32_t *a, const uint32_t *b, unsigned words);
/* r = a - b; the borrow. r may be a or b. */
uint32_t number_subtract(uint32_t *r, const uint32_t *a, const uint32_t *b, unsigned words);
/* r = a + b mod n; a, b < n. */
void number_add_modular(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *n, unsigned words);
/* r = a - b mod n; a, b < n. */
void number_subtract_modular(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *n, unsigned words);
/* r = a * b + c, of 2 * words words; c has `words`. r is none of them. */
void number_multiply_add(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *c, unsigned words);
/* r = x mod n; x of words + 1 words, below 2n. */
void number_subtract_once(uint32_t *r, const uint32_t *x, const uint32_t *n, unsigned words);
/* x = x mod n; x of words + 1 words, below 2^32 * n; the top bit of n is set. */
void number_reduce(uint32_t *x, const uint32_t *n, unsigned words);
/* r = a mod n; a of `count` words, n of `words`, its top bit set. r may be a. */
void number_modulo(uint32_t *r, const uint32_t *a, unsigned count, const uint32_t *n, unsigned words);
/* -n^-1 mod 2^32; n odd. */
uint32_t number_negative_inverse(uint32_t n);
/* r = a * b / 2^(32 * words) mod n, below n; b < n, a < 2^(32 * words). r may be a or b. t: words + 2 words to work in. */
void number_montgomery(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *n, uint32_t inverse,
		       unsigned words, uint32_t *t);

#endif
