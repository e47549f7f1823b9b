/* SPDX-License-Identifier: Apache-2.0 */
/* The firmware's commands, a line each, numbers in hexadecimal, high digit first:
 *
 *   exp LEVEL SCHEME BITS n base exponent         LEVEL 0 software, 1 mul, 2 exp
 *   private LEVEL BITS n e p q dp dq qinv m       LEVEL 0 software, 3 op
 *   read ADDRESS                                  reads a register or nothing at all: for the bus fault's test
 *   stop CODE
 *
 * LEVEL, SCHEME, BITS and CODE are decimal. An answer is a line too:
 *   ok RESULT load A cycles B monitor C moving D core E fallback F status G
 * or `error TEXT`. Cycles are the processor's counter's, monitor, moving and core the bus monitor's. */
#include <string.h>

#include "console.h"
#include "garner_rsa.h"
#include "number.h"
#include "power.h"
#include "private.h"
#include "rsa_driver.h"
#include "soc_registers.h"

static char line_end; /* what ended the last word */

/* The next word of the line; its length, at most size - 1. */
static unsigned word(char *text, unsigned size)
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

static unsigned decimal(void)
{
	char text[12];
	unsigned value = 0;

	word(text, sizeof text);
	for (char *at = text; *at >= '0' && *at <= '9'; at++)
		value = 10 * value + (unsigned)(*at - '0');
	return value;
}

/* A hexadecimal number of at most so many words. Whether it is one. */
static int hexadecimal(uint32_t *value, unsigned words)
{
	static char text[8 * MAX_WORDS + 2];
	unsigned length = word(text, sizeof text);

	memset(value, 0, 4 * words);
	if (length == 0 || length > 8 * words)
		return 0;
	for (unsigned i = 0; i < length; i++) {
		const char *digits = "0123456789abcdef";
		const char *found = strchr(digits, text[length - 1 - i]);

		if (!found)
			return 0;
		value[i / 8] |= (uint32_t)(found - digits) << i % 8 * 4;
	}
	return 1;
}

static void error(const char *text)
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
	console_text("\n");
}

static const char *bad_modulus(const uint32_t *n, unsigned bits)
{
	if (!(n[0] & 1))
		return "n is even";
	if (!(n[bits / 32 - 1] >> 31))
		return "n is shorter than BITS";
	return 0;
}

static void command_exp(void)
{
	static struct modulus modulus;
	const unsigned level = decimal(), scheme = decimal(), bits = decimal(), words = bits / 32;
	number n, base, exponent, result;
	uint32_t start, cycles;
	int status = 0;

	if (bits < 64 || bits > 32 * MAX_WORDS || bits % 32)
		return error("BITS is no multiple of 32 from 64 to 2048");
	if (level > LEVEL_EXP || scheme > GARNER_RSA_SCHEME_SLIDING_WINDOW)
		return error("no such LEVEL or SCHEME");
	if (!hexadecimal(n, words) || !hexadecimal(base, words) || !hexadecimal(exponent, words))
		return error("n, base or exponent is missing, no hexadecimal number or too long");
	if (bad_modulus(n, bits))
		return error(bad_modulus(n, bits));
	if (number_compare(base, n, words) >= 0)
		return error("base is not below n");
	register_write(SOC_CONTROL_MONITOR, 0);
	start = processor_cycles();
	if (level != LEVEL_SOFTWARE && !rsa_fits(bits))
		status = GARNER_STATUS_BAD_LENGTH;
	else if (level == LEVEL_EXP)
		status = power_core(result, n, base, exponent, bits, scheme);
	else if (!(status = modulus_prepare(&modulus, n, bits, level))) {
		power(&modulus, result, base, exponent, scheme);
		status = modulus.failed;
	}
	if (status) {
		modulus_prepare(&modulus, n, bits, LEVEL_SOFTWARE);
		power(&modulus, result, base, exponent, scheme);
	}
	cycles = processor_cycles() - start;
	answer(result, words, 0, cycles, status);
}

static void command_private(void)
{
	static struct private_key key;
	const unsigned level = decimal(), bits = key.bits = decimal(), words = bits / 32;
	number m, result;
	uint32_t start, load = 0;
	int status = 0;

	if (bits < 128 || bits > 32 * MAX_WORDS || bits % 64)
		return error("BITS is no multiple of 64 from 128 to 2048");
	if (level != LEVEL_SOFTWARE && level != LEVEL_OP)
		return error("no such LEVEL");
	if (!hexadecimal(key.n, words) || !hexadecimal(key.e, 1) || !hexadecimal(key.p, words / 2)
	    || !hexadecimal(key.q, words / 2) || !hexadecimal(key.dp, words / 2) || !hexadecimal(key.dq, words / 2)
	    || !hexadecimal(key.qinv, words / 2) || !hexadecimal(m, words))
		return error("a part of the key or m is missing, no hexadecimal number or too long");
	if (bad_modulus(key.n, bits) || bad_modulus(key.p, bits / 2) || bad_modulus(key.q, bits / 2) || !key.e[0])
		return error("n, p or q is even or too short, or e is 0");
	if (number_compare(m, key.n, words) >= 0)
		return error("m is not below n");
	if (level == LEVEL_OP) {
		start = processor_cycles();
		status = rsa_fits(bits) ? private_load(&key) : GARNER_STATUS_BAD_LENGTH;
		load = processor_cycles() - start;
	}
	register_write(SOC_CONTROL_MONITOR, 0);
	start = processor_cycles();
	if (level == LEVEL_OP && !status)
		status = private_core(&key, result, m);
	if (level == LEVEL_SOFTWARE || status)
		private_software(&key, result, m);
	answer(result, words, load, processor_cycles() - start, status);
}

int main(void)
{
	char command[12];
	uint32_t address;

	trap_bus_faults();
	for (;;) {
		console_text(">");
		line_end = ' ';
		word(command, sizeof command);
		if (!strcmp(command, "exp")) {
			command_exp();
		} else if (!strcmp(command, "private")) {
			command_private();
		} else if (!strcmp(command, "read") && hexadecimal(&address, 1)) {
			const uint32_t value = register_read(address & ~3U);

			console_text("ok ");
			console_hex(value);
			console_text("\n");
		} else if (!strcmp(command, "stop")) {
			return (int)decimal();
		} else if (command[0]) {
			error("unknown command");
		}
		while (line_end != '\n')
			line_end = console_get();
	}
}
