/* SPDX-License-Identifier: Apache-2.0 */
#include "mont_driver.h"

#include "console.h"
#include "rsa_driver.h"
#include "soc_registers.h"

enum { QUEUED = 20, LATENCY = 100 }; /* products under way, at most; cycles of a pass that the rows do not explain */

static unsigned slot_words(void)
{
	return FIELD(register_read(SOC_MONT_BUILT), SOC_MONT_BUILT_SLOT_WORDS);
}

/* Waits while a bit of the status is set. */
static void wait(struct mont *mont, uint32_t while_set)
{
	const uint32_t start = processor_cycles();

	while (!mont->failed && register_read(SOC_MONT_STATUS) & while_set) {
		if (processor_cycles() - start > mont->limit) {
			register_write(SOC_MONT_RESET, SOC_MONT_RESET_HOLD_MASK);
			register_write(SOC_MONT_RESET, 0);
			mont->failed = SOC_FAILURE_TIMEOUT;
		}
	}
}

/* `count` words of 32 bits as words of w bits, low word first, from this address on; zeros follow. */
static void put(struct mont *mont, uint32_t address, const uint32_t *x, unsigned count)
{
	const uint32_t mask = (1U << mont->w) - 1;
	uint64_t bits = 0;
	unsigned held = 0, at = 0;

	wait(mont, SOC_MONT_STATUS_BUSY_MASK);
	if (mont->failed)
		return;
	register_write(SOC_MONT_ADDRESS, address);
	for (unsigned i = 0; i < mont->words; i++) {
		if (held < mont->w && at < count) {
			bits |= (uint64_t)x[at++] << held;
			held += 32;
		}
		register_write(SOC_MONT_DATA, (uint32_t)bits & mask);
		bits >>= mont->w;
		held = held < mont->w ? 0 : held - mont->w;
	}
}

int mont_load(struct mont *mont, const uint32_t *n, unsigned bits)
{
	const uint32_t built = register_read(SOC_MONT_BUILT);
	const unsigned words = bits / 32;
	uint64_t sum = 1; /* N~ + 1, word by word */
	uint32_t mask, low = 0;

	mont->failed = 0;
	mont->nb_words = words;
	mont->w = FIELD(built, SOC_MONT_BUILT_WORD_BITS);
	mont->rows = FIELD(built, SOC_MONT_BUILT_ROWS);
	mont->words = (bits + 2 * mont->w + 1) / mont->w; /* ceil((bits + w + 2) / w): R > 4 * N~ */
	mont->passes = (mont->words + mont->rows - 1) / mont->rows;
	mont->r_bits = mont->w * mont->rows * mont->passes;
	mont->limit = 2 * QUEUED * mont->passes * (mont->words + 8 * mont->rows + LATENCY);
	if (mont->words > slot_words())
		return mont->failed = SOC_FAILURE_MONT_TOO_LONG;
	mask = (1U << mont->w) - 1;
	for (unsigned i = 0; i <= words; i++) {
		if (i < words)
			sum += (uint64_t)n[i] * (number_negative_inverse(n[0]) & mask);
		if (i)
			mont->nb[i - 1] = low >> mont->w | (uint32_t)sum << (32 - mont->w);
		low = (uint32_t)sum;
		sum >>= 32;
	}
	wait(mont, SOC_MONT_STATUS_BUSY_MASK);
	if (mont->failed)
		return mont->failed;
	register_write(SOC_MONT_SIZES, PUT(mont->words, SOC_MONT_SIZES_WORDS)
					     | PUT(mont->passes, SOC_MONT_SIZES_PASSES));
	put(mont, SOC_MONT_ADDRESS_MODULUS_MASK, mont->nb, words);
	return mont->failed;
}

void mont_put(struct mont *mont, unsigned slot, const uint32_t *x, unsigned count)
{
	put(mont, slot * slot_words(), x, count);
}

void mont_get(struct mont *mont, uint32_t *x, unsigned slot, unsigned count)
{
	uint64_t bits = 0;
	unsigned held = 0, at = 0;

	wait(mont, SOC_MONT_STATUS_BUSY_MASK);
	if (mont->failed)
		return;
	register_write(SOC_MONT_ADDRESS, slot * slot_words());
	for (unsigned i = 0; at < count; i++) {
		if (i < mont->words)
			bits |= (uint64_t)register_read(SOC_MONT_DATA) << held;
		held += mont->w;
		if (held >= 32) {
			x[at++] = (uint32_t)bits;
			bits >>= 32;
			held -= 32;
		}
	}
}

void mont_multiply(struct mont *mont, unsigned d, unsigned a, unsigned b)
{
	wait(mont, SOC_MONT_STATUS_FULL_MASK);
	if (!mont->failed)
		register_write(SOC_MONT_MULTIPLY, PUT(d, SOC_MONT_MULTIPLY_DESTINATION) | PUT(a, SOC_MONT_MULTIPLY_A)
							| PUT(b, SOC_MONT_MULTIPLY_B));
}

int mont_wait(struct mont *mont)
{
	wait(mont, SOC_MONT_STATUS_BUSY_MASK);
	return mont->failed;
}
