/* SPDX-License-Identifier: Apache-2.0 */
#include "row_driver.h"

#include "console.h"
#include "number.h"
#include "rsa_driver.h"
#include "soc_registers.h"

enum { POLLS = 1000, MORE_OF_T = 8 }; /* a pass is below 100 cycles; t is longer than two operands by so much */

static void wait(struct row *row)
{
	for (unsigned polls = 0; register_read(SOC_ROW_STATUS) & SOC_ROW_STATUS_BUSY_MASK; polls++) {
		if (polls == POLLS) {
			register_write(SOC_ROW_RESET, SOC_ROW_RESET_HOLD_MASK);
			register_write(SOC_ROW_RESET, 0);
			row->failed = SOC_FAILURE_TIMEOUT;
			return;
		}
	}
}

int row_load(struct row *row, const uint32_t *n, unsigned words)
{
	row->base = register_read(SOC_ROW_BUILT) / 32;
	row->words = words;
	row->failed = 0;
	if (words > row->base || words % 2)
		return row->failed = SOC_FAILURE_ROW_TOO_LONG;
	row->n0 = n[0];
	row->n1 = n[1];
	row->inverse = number_negative_inverse(n[0]);
	register_write(SOC_ROW_X_ADDRESS, 0);
	for (unsigned i = 0; i < 2 * row->base; i++)
		register_write(SOC_ROW_X, i >= row->base && i < row->base + words ? n[i - row->base] : 0);
	wait(row);
	if (row->failed)
		return row->failed;
	register_write(SOC_ROW_T_ADDRESS, 0);
	for (unsigned i = 0; i < 2 * row->base + MORE_OF_T; i++)
		register_read(SOC_ROW_TAKE);
	return 0;
}

/* t += x * (y1, y0), from the word `at` of t on. */
static void pass(struct row *row, uint32_t y0, uint32_t y1, uint32_t at)
{
	register_write(SOC_ROW_Y, y0);
	register_write(SOC_ROW_Y, y1);
	register_write(SOC_ROW_START, at);
	wait(row);
}

void row_multiply(struct row *row, uint32_t *t, const uint32_t *a, const uint32_t *b)
{
	if (row->failed)
		return;
	register_write(SOC_ROW_X_ADDRESS, 0);
	for (unsigned i = 0; i < row->words; i++)
		register_write(SOC_ROW_X, a[i]);
	register_write(SOC_ROW_T_ADDRESS, 0);
	for (unsigned i = 0; i < row->words && !row->failed; i += 2) {
		uint32_t t0, t1, m0;

		pass(row, b[i], b[i + 1], i);
		if (row->failed)
			return;
		/* The quotient of the two lowest words, which the reduction makes 0. */
		t0 = register_read(SOC_ROW_T);
		t1 = register_read(SOC_ROW_T);
		m0 = t0 * row->inverse;
		t1 += (uint32_t)(((uint64_t)m0 * row->n0 + t0) >> 32) + m0 * row->n1;
		pass(row, m0, t1 * row->inverse, i | SOC_ROW_START_MODULUS_MASK);
	}
	for (unsigned i = 0; i <= row->words && !row->failed; i++)
		t[i] = register_read(SOC_ROW_TAKE);
}
