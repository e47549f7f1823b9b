/* SPDX-License-Identifier: Apache-2.0 */
/* From reset to main: stack, trap vector, zeroed data. What main returns ends the simulation. */
	.section .init
	.globl _start
_start:
	.option push
	.option norelax
	la gp, __global_pointer$
	.option pop
	la sp, __stack_top
	la t0, trap_entry
	csrw mtvec, t0
	la t0, __bss_start
	la t1, __bss_end
1:	bge t0, t1, 2f
	sw zero, 0(t0)
	addi t0, t0, 4
	j 1b
2:	call main
	tail console_stop

/* No trap returns: trap() reports and stops, on a stack that is sound. */
	.balign 4
trap_entry:
	la sp, __stack_top
	csrr a0, mcause
	csrr a1, mepc
	csrr a2, mtval
	tail trap
