/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From reset to main: stack, thread-local data, trap vector, initialised data, zeroed data. What main returns ends the
 * simulation.
 */
	.section .init
	.globl _start
_start:
	.option push
	.option norelax
	la gp, __global_pointer$
	.option pop
	la sp, __stack_top
	la tp, __thread_start
	la t0, trap_entry
	csrw mtvec, t0
	la t0, __data_start
	la t1, __data_end
	la t2, __data_image
1:	bge t0, t1, 2f
	lw t3, 0(t2)
	sw t3, 0(t0)
	addi t0, t0, 4
	addi t2, t2, 4
	j 1b
2:	la t0, __bss_start
	la t1, __bss_end
3:	bge t0, t1, 4f
	sw zero, 0(t0)
	addi t0, t0, 4
	j 3b
4:	call main
	tail console_stop

/* On a stack of its own, for the program's may be what is wrong. trap() returns from the core's interrupt only. */
	.balign 4
trap_entry:
	csrw mscratch, sp
	la sp, trap_stack_top
	addi sp, sp, -64
	sw ra, 0(sp)
	sw t0, 4(sp)
	sw t1, 8(sp)
	sw t2, 12(sp)
	sw t3, 16(sp)
	sw t4, 20(sp)
	sw t5, 24(sp)
	sw t6, 28(sp)
	sw a0, 32(sp)
	sw a1, 36(sp)
	sw a2, 40(sp)
	sw a3, 44(sp)
	sw a4, 48(sp)
	sw a5, 52(sp)
	sw a6, 56(sp)
	sw a7, 60(sp)
	csrr a0, mcause
	csrr a1, mepc
	csrr a2, mtval
	call trap
	lw ra, 0(sp)
	lw t0, 4(sp)
	lw t1, 8(sp)
	lw t2, 12(sp)
	lw t3, 16(sp)
	lw t4, 20(sp)
	lw t5, 24(sp)
	lw t6, 28(sp)
	lw a0, 32(sp)
	lw a1, 36(sp)
	lw a2, 40(sp)
	lw a3, 44(sp)
	lw a4, 48(sp)
	lw a5, 52(sp)
	lw a6, 56(sp)
	lw a7, 60(sp)
	csrr sp, mscratch
	mret

	.section .bss.trap_stack, "aw", @nobits
	.balign 16
	.space 512
trap_stack_top:
