/* SPDX-License-Identifier: Apache-2.0 */
/* A command's words and its answer: what main.c says of their form. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdint.h>

/* Prompts for a line. */
void line_begin(void);
/* Reads over what is left of it. */
void line_rest(void);
/* The next word of the line, cut to size - 1 characters; how many these are; 0 at the line's end. */
unsigned line_word(char *text, unsigned size);
/* The next word as a decimal number below 2^32, of ten digits at most. Whether it is one. */
int line_decimal(uint32_t *value);
/* The next word as a hexadecimal number of at most so many 32-bit words. Whether it is one. */
int line_hexadecimal(uint32_t *value, unsigned words);

/* Refuses the command. */
void answer_error(const char *text);
/* Answers it: result, cycles of preparing and of the operation, 0 or why the accelerator failed; the monitor's figures. */
void answer_operation(const uint32_t *result, unsigned words, uint32_t load, uint32_t cycles, int status);
/* The same of a key: p and q, how many powers it took, cycles that went into them, if it is known. */
void answer_key(const uint32_t *primes, unsigned words, uint32_t powers, uint32_t in_powers, uint32_t cycles, int status);

/* What is wrong with a modulus of so many bits; 0 if nothing. */
const char *bad_modulus(const uint32_t *n, unsigned bits);

/* The commands of a firmware with mbedTLS (hw/soc/mbedtls); 0 where there is none. */
void command_mbedtls(void) __attribute__((weak));
void command_public(void) __attribute__((weak));
void command_keygen(void) __attribute__((weak));

#endif
