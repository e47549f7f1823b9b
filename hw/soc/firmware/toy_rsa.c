/* SPDX-License-Identifier: Apache-2.0 */
#include "toy_rsa.h"

#include "console.h"
#include "soc_registers.h"

enum { N = 60491, E = 7, E_BITS = 3, D = 17143, D_BITS = 15 };

__attribute__((noinline)) uint32_t toy_power(uint32_t n)
{
	uint32_t result = 1;

	while (n--)
		result *= 2;
	return result;
}

__attribute__((noinline)) uint32_t toy_power_hw(uint32_t n)
{
	return register_read(SOC_POWER_OF + 4 * n);
}

/* x^exponent mod N, right to left. */
static uint32_t encrypt(uint32_t x, uint32_t exponent, unsigned bits, power_of_two *power)
{
	uint32_t result = 1;

	for (unsigned i = 0; i < bits; i++) {
		if (exponent & power(i))
			result = result * x % N;
		x = x * x % N;
	}
	return result;
}

uint32_t toy_bytes(unsigned count, uint32_t seed, power_of_two *power)
{
	uint32_t hash = 0;

	while (count--) {
		uint32_t cipher;

		seed ^= seed << 13;
		seed ^= seed >> 17;
		seed ^= seed << 5;
		cipher = encrypt(seed & 0xFF, E, E_BITS, power);
		if (encrypt(cipher, D, D_BITS, power) != (seed & 0xFF))
			return 0;
		hash = 31 * hash + cipher;
	}
	return hash;
}

uint32_t toy_calls(power_of_two *power)
{
	const uint32_t start = processor_cycles();
	uint32_t sum = 0;

	for (uint32_t i = 0; i < E_BITS; i++)
		sum += power(i);
	for (uint32_t i = 0; i < D_BITS; i++)
		sum += power(i);
	__asm__ volatile("" : : "r"(sum));
	return processor_cycles() - start;
}
