/* SPDX-License-Identifier: Apache-2.0 */
#include "command.h"

#include <string.h>

#include "console.h"
#include "number.h"
#include "rsa_driver.h"
#include "soc_registers.h"

static char line_end = '\n'; /* what ended the last word */

void line_begin(void)
{
	console_text(">");
	line_end = ' ';
}

void line_rest(void)
{
	while (line_end != '\n')
		line_end = console_get();
}

unsigned line_word(char *text, unsigned size)
{
	unsigned length = 0;
	char byte = ' ';

	text[0] = 0;
	if (line_end == '\n')
		return 0;
	while (byte == ' ')
		byte = console_get();
	for (; byte != ' ' && byte != '\n'; byte = console_get())
		if (length + 1 < size)
			text[length++] = byte;
	text[length] = 0;
	line_end = byte;
	return length;
}

int line_decimal(uint32_t *value)
{
	char text[12]; /* a digit more than there may be: who has filled it may have been cut */
	const unsigned length = line_word(text, sizeof text);
	uint64_t read = 0;

	if (length == sizeof text - 1)
		return 0;
	for (unsigned i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return 0;
		read = 10 * read + (unsigned)(text[i] - '0');
	}
	*value = (uint32_t)read;
	return length && read <= UINT32_MAX;
}

int line_hexadecimal(uint32_t *value, unsigned words)
{
	static char text[8 * MAX_WORDS + 2];
	unsigned length = line_word(text, sizeof text);

	memset(value, 0, 4 * words);
	if (length == 0 || length > 8 * words)
		return 0;
	for (unsigned i = 0; i < length; i++) {
		const char *digits = "0123456789abcdef";
		const char *found = strchr(digits, text[length - 1 - i]);

		if (!found || !*found) /* a byte 0 is found, at their end */
			return 0;
		value[i / 8] |= (uint32_t)(found - digits) << i % 8 * 4;
	}
	return 1;
}

void answer_error(const char *text)
{
	console_text("error ");
	console_text(text);
	console_text("\n");
}

static void figure(const char *name, uint32_t value)
{
	console_text(name);
	console_decimal(value);
}

static void answer(const uint32_t *result, unsigned words, uint32_t load, uint32_t cycles, int status)
{
	const uint32_t monitor = register_read(SOC_CONTROL_MONITOR);
	const uint32_t moving = register_read(SOC_CONTROL_MONITOR_MOVING);
	const uint32_t core = register_read(SOC_CONTROL_MONITOR_CORE);

	console_text("ok ");
	while (words--)
		console_hex(result[words]);
	figure(" load ", load);
	figure(" cycles ", cycles);
	figure(" monitor ", monitor);
	figure(" moving ", moving);
	figure(" core ", core);
	figure(" fallback ", status != 0);
	figure(" status ", (uint32_t)status);
	figure(" interrupts ", core_interrupts);
	figure(" spurious ", rsa_waiting.spurious);
}

void answer_operation(const uint32_t *result, unsigned words, uint32_t load, uint32_t cycles, int status)
{
	answer(result, words, load, cycles, status);
	console_text("\n");
}

void answer_key(const uint32_t *primes, unsigned words, uint32_t powers, uint32_t in_powers, uint32_t cycles, int status)
{
	answer(primes, words, powers, cycles, status);
	figure(" in_powers ", in_powers);
	console_text("\n");
}

const char *bad_modulus(const uint32_t *n, unsigned bits)
{
	if (!(n[0] & 1))
		return "n is even";
	if (!(n[bits / 32 - 1] >> 31))
		return "n is shorter than BITS";
	return 0;
}
