/* SPDX-License-Identifier: Apache-2.0 */
/* The firmware's commands, a line each, numbers in hexadecimal, high digit first:
 *
 *   exp LEVEL SCHEME BITS n base exponent         LEVEL 0 software, 1 mul, 2 exp, 4 row
 *   private LEVEL BITS n e p q dp dq qinv m       LEVEL 0 software, 3 op
 *   mbedtls LEVEL BITS SEED n e p q dp dq qinv vi vf m
 *                                                 by mbedTLS, if it is there; LEVEL 0 to 3; see command_mbedtls.c
 *   public LEVEL BITS n e m                       m^e mod n by mbedTLS; LEVEL 0 to 2
 *   keygen LEVEL BITS SEED HOW                    HOW 0: by mbedTLS, 1: by prime_search.c; LEVEL 0 to 2; RESULT: p and q;
 *                                                 load: how many powers; one more figure, in_powers
 *   toy HARDWARE COUNT SEED                       FIU's bytes, Power() in software (0) or its peripheral (1); load: its calls
 *   twin BITS COUNT SEED n                        random products by the multiplier and by its twin; RESULT: differences
 *   settings INTERRUPTS WAIT                      from now on: the core is waited for by interrupt (1) or polling (0); an
 *                                                 access of memory takes so many cycles more, at most 255
 *   read ADDRESS                                  reads a register or nothing at all: for the bus fault's test
 *   stop CODE
 *
 * LEVEL, SCHEME, BITS, HOW, HARDWARE, COUNT, SEED, INTERRUPTS, WAIT and CODE are decimal. An answer is a line too:
 *   ok RESULT load A cycles B monitor C moving D core E fallback F status G interrupts H spurious I
 * or `error TEXT`. Cycles are the processor's counter's, monitor, moving and core the bus monitor's; the
 * core's interrupts, and those without an answer, are counted from reset on. */
#include <string.h>

#include "command.h"
#include "console.h"
#include "garner_rsa.h"
#include "mont_twin.h"
#include "number.h"
#include "power.h"
#include "private.h"
#include "rsa_driver.h"
#include "soc_registers.h"
#include "toy_rsa.h"

static void command_exp(void)
{
	static struct modulus modulus;
	unsigned words;
	number n, base, exponent, result;
	uint32_t level, scheme, bits, start, cycles;
	int status = 0;

	if (!line_decimal(&level) || !line_decimal(&scheme) || !line_decimal(&bits))
		return answer_error("LEVEL, SCHEME or BITS is missing or no decimal number");
	words = bits / 32;
	if (bits < 64 || bits > 32 * MAX_WORDS || bits % 32)
		return answer_error("BITS is no multiple of 32 from 64 to 2048");
	if (level > LEVEL_ROW || level == LEVEL_OP || scheme > GARNER_RSA_SCHEME_SLIDING_WINDOW)
		return answer_error("no such LEVEL or SCHEME");
	if (!line_hexadecimal(n, words) || !line_hexadecimal(base, words) || !line_hexadecimal(exponent, words))
		return answer_error("n, base or exponent is missing, no hexadecimal number or too long");
	if (bad_modulus(n, bits))
		return answer_error(bad_modulus(n, bits));
	if (number_compare(base, n, words) >= 0)
		return answer_error("base is not below n");
	register_write(SOC_CONTROL_MONITOR, 0);
	start = processor_cycles();
	if (level == LEVEL_EXP)
		status = rsa_fits(bits) ? power_core(result, n, bits, base, exponent, bits, scheme) : GARNER_STATUS_BAD_LENGTH;
	else if (!(status = modulus_prepare(&modulus, n, bits, (enum level)level)))
		status = power(&modulus, result, base, exponent, bits, scheme);
	if (status) {
		modulus_prepare(&modulus, n, bits, LEVEL_SOFTWARE);
		power(&modulus, result, base, exponent, bits, scheme);
	}
	cycles = processor_cycles() - start;
	answer_operation(result, words, 0, cycles, status);
}

static void command_private(void)
{
	static struct private_key key;
	unsigned words;
	number m, result;
	uint32_t level, bits, start, cycles, load = 0;
	int status = 0, right = 1;

	if (!line_decimal(&level) || !line_decimal(&bits))
		return answer_error("LEVEL or BITS is missing or no decimal number");
	key.bits = bits;
	words = bits / 32;
	if (bits < 128 || bits > 32 * MAX_WORDS || bits % 64)
		return answer_error("BITS is no multiple of 64 from 128 to 2048");
	if (level != LEVEL_SOFTWARE && level != LEVEL_OP)
		return answer_error("no such LEVEL");
	if (!line_hexadecimal(key.n, words) || !line_hexadecimal(key.e, 1) || !line_hexadecimal(key.p, words / 2)
	    || !line_hexadecimal(key.q, words / 2) || !line_hexadecimal(key.dp, words / 2) || !line_hexadecimal(key.dq, words / 2)
	    || !line_hexadecimal(key.qinv, words / 2) || !line_hexadecimal(m, words))
		return answer_error("a part of the key or m is missing, no hexadecimal number or too long");
	if (bad_modulus(key.n, bits) || bad_modulus(key.p, bits / 2) || bad_modulus(key.q, bits / 2) || !key.e[0])
		return answer_error("n, p or q is even or too short, or e is 0");
	if (number_compare(m, key.n, words) >= 0)
		return answer_error("m is not below n");
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
		right = private_software(&key, result, m);
	cycles = processor_cycles() - start;
	if (!right)
		return answer_error("the parts of the key do not fit together");
	answer_operation(result, words, load, cycles, status);
}

static void command_twin(void)
{
	static struct mont mont;
	unsigned words;
	number n;
	uint32_t bits, count, seed, differences;

	if (!line_decimal(&bits) || !line_decimal(&count) || !line_decimal(&seed))
		return answer_error("BITS, COUNT or SEED is missing or no decimal number");
	words = bits / 32;
	if (bits < 64 || bits > 32 * MAX_WORDS || bits % 32)
		return answer_error("BITS is no multiple of 32 from 64 to 2048");
	if (!line_hexadecimal(n, words))
		return answer_error("n is missing, no hexadecimal number or too long");
	if (bad_modulus(n, bits))
		return answer_error(bad_modulus(n, bits));
	register_write(SOC_CONTROL_MONITOR, 0);
	const uint32_t start = processor_cycles();

	differences = (uint32_t)twin_compare(&mont, n, bits, count, seed);
	answer_operation(&differences, 1, 0, processor_cycles() - start, mont.failed);
}

static void command_toy(void)
{
	power_of_two *power;
	uint32_t hardware, count, seed, start, hash, calls;

	if (!line_decimal(&hardware) || !line_decimal(&count) || !line_decimal(&seed))
		return answer_error("HARDWARE, COUNT or SEED is missing or no decimal number");
	power = hardware ? toy_power_hw : toy_power;
	calls = toy_calls(power); /* into the cache */
	calls = toy_calls(power);
	register_write(SOC_CONTROL_MONITOR, 0);
	start = processor_cycles();
	hash = toy_bytes(count, seed, power);
	answer_operation(&hash, 1, calls, processor_cycles() - start, 0);
}

static void command_settings(void)
{
	uint32_t interrupts, wait;

	if (!line_decimal(&interrupts) || !line_decimal(&wait) || interrupts > 1 || wait > 255)
		return answer_error("INTERRUPTS is not 0 or 1, or WAIT not from 0 to 255");
	rsa_waiting.interrupts = (int)interrupts;
	register_write(SOC_CONTROL_MEMORY_WAIT, wait);
	console_text("ok 0\n");
}

static void command_read(void)
{
	uint32_t address, value;

	if (!line_hexadecimal(&address, 1))
		return answer_error("ADDRESS is missing or no hexadecimal number of 32 bits");
	value = register_read(address & ~3U);
	console_text("ok ");
	console_hex(value);
	console_text("\n");
}

int main(void)
{
	char command[12];
	uint32_t code;

	trap_bus_faults();
	for (;;) {
		line_begin();
		line_word(command, sizeof command);
		if (!strcmp(command, "exp")) {
			command_exp();
		} else if (!strcmp(command, "private")) {
			command_private();
		} else if (!strcmp(command, "twin")) {
			command_twin();
		} else if (!strcmp(command, "toy")) {
			command_toy();
		} else if (!strcmp(command, "settings")) {
			command_settings();
		} else if (!strcmp(command, "mbedtls") && command_mbedtls) {
			command_mbedtls();
		} else if (!strcmp(command, "public") && command_public) {
			command_public();
		} else if (!strcmp(command, "keygen") && command_keygen) {
			command_keygen();
		} else if (!strcmp(command, "read")) {
			command_read();
		} else if (!strcmp(command, "stop")) {
			if (line_decimal(&code))
				return (int)code;
			answer_error("CODE is missing or no decimal number");
		} else if (command[0]) {
			answer_error("unknown command");
		}
		line_rest();
	}
}
