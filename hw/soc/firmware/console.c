/* SPDX-License-Identifier: Apache-2.0 */
/* Console output, input and the trap handler. Calls nothing that could fail itself. */
#include "console.h"

#include "soc_registers.h"

enum {
	MEIE = 1 << 11,        /* of mie: external interrupts */
	MIE = 1 << 3,          /* of mstatus */
	BUS_FAULT = 1,         /* of VexRiscv's interrupt mask, CSR 0xBC0, and of what is pending, CSR 0xFC0 */
	CORE = 2,              /* the same: the RSA core has an answer */
};
#define EXTERNAL_INTERRUPT 0x8000000BU

static void put(char byte)
{
	register_write(SOC_CONTROL_CONSOLE, (uint8_t)byte);
}

void console_text(const char *text)
{
	while (*text)
		put(*text++);
}

void console_decimal(uint32_t value)
{
	char digits[11];
	char *at = digits + sizeof digits - 1;

	*at = 0;
	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	console_text(at);
}

void console_hex(uint32_t value)
{
	for (int shift = 28; shift >= 0; shift -= 4)
		put("0123456789abcdef"[value >> shift & 15]);
}

char console_get(void)
{
	uint32_t found;

	do
		found = register_read(SOC_CONTROL_CONSOLE);
	while (!(found & SOC_CONTROL_CONSOLE_ARRIVED_MASK));
	return (char)FIELD(found, SOC_CONTROL_CONSOLE_CHARACTER);
}

_Noreturn void console_stop(uint32_t code)
{
	for (;;)
		register_write(SOC_CONTROL_STOP, code);
}

volatile uint32_t core_interrupts;

void core_interrupt_allow(void)
{
	__asm__ volatile("csrs 0xBC0, %0" : : "r"(CORE));
}

void trap(uint32_t cause, uint32_t pc, uint32_t value)
{
	uint32_t pending, allowed;

	__asm__ volatile("csrr %0, 0xFC0" : "=r"(pending));
	__asm__ volatile("csrr %0, 0xBC0" : "=r"(allowed));
	/* The core's, if it may interrupt: one without a cause may be over by now. */
	if (cause == EXTERNAL_INTERRUPT && !(pending & BUS_FAULT) && allowed & CORE) {
		core_interrupts++;
		__asm__ volatile("csrc 0xBC0, %0" : : "r"(CORE));
		return;
	}
	if (cause == EXTERNAL_INTERRUPT && register_read(SOC_CONTROL_FAULT)) {
		console_text("trap bus fault: nobody answers at ");
		console_hex(register_read(SOC_CONTROL_FAULT_ADDRESS));
	} else if (cause == EXTERNAL_INTERRUPT) {
		console_text("trap spurious interrupt");
	} else {
		console_text("trap cause ");
		console_hex(cause);
		console_text(" value ");
		console_hex(value);
	}
	console_text(" pc ");
	console_hex(pc);
	console_text("\n");
	console_stop(SOC_STOP_TRAPPED);
}

void trap_bus_faults(void)
{
	__asm__ volatile("csrw 0xBC0, %0" : : "r"(BUS_FAULT));
	__asm__ volatile("csrs mie, %0" : : "r"(MEIE));
	__asm__ volatile("csrs mstatus, %0" : : "r"(MIE));
}
