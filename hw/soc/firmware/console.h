/* SPDX-License-Identifier: Apache-2.0 */
/* The console and what else of the peripheral `control` the firmware uses. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdint.h>

static inline uint32_t register_read(uint32_t address)
{
	return *(volatile uint32_t *)address;
}

static inline void register_write(uint32_t address, uint32_t value)
{
	*(volatile uint32_t *)address = value;
}

/* A field of a register's value, by the name that soc_registers.h gives it; and a value as that field. */
#define FIELD(value, name) (((value) & name##_MASK) >> name##_SHIFT)
#define PUT(value, name) ((uint32_t)(value) << name##_SHIFT)

/* The processor's own cycle counter. */
static inline uint32_t processor_cycles(void)
{
	uint32_t cycles;

	__asm__ volatile("csrr %0, mcycle" : "=r"(cycles));
	return cycles;
}

void console_text(const char *text);
void console_decimal(uint32_t value);
void console_hex(uint32_t value);
/* The next byte; waits for it. */
char console_get(void);
/* Ends the simulation. */
_Noreturn void console_stop(uint32_t code);
/* Interrupts of the core since reset, whether it had an answer or not. Each forbids the next. */
extern volatile uint32_t core_interrupts;
void core_interrupt_allow(void);
/* Called by trap_entry: notes an interrupt of the core; of anything else says what happened and stops. */
void trap(uint32_t cause, uint32_t pc, uint32_t value);
/* From now on a bus fault is a trap. */
void trap_bus_faults(void);

#endif
