/* SPDX-License-Identifier: Apache-2.0 */
/* FIU's experiment: RSA of one byte, whose hot spot Power() is in software or a peripheral. n = 60491, e = 7, d = 17143:
 * 18 calls of Power() a byte, as FIU's figures say that it has. Its program is not printed: this is our reconstruction. */
#ifndef TOY_RSA_H
#define TOY_RSA_H

#include <stdint.h>

typedef uint32_t power_of_two(uint32_t n);
/* 2^n, n below 32: by doubling, or by the peripheral. */
power_of_two toy_power, toy_power_hw;
/* Encrypts and decrypts `count` bytes, of a xorshift sequence from seed; the hash of the ciphers, h = 31 h + c, or 0 if a
 * byte did not come back. */
uint32_t toy_bytes(unsigned count, uint32_t seed, power_of_two *power);
/* The calls of Power() that a byte makes, alone; cycles. */
uint32_t toy_calls(power_of_two *power);

#endif
