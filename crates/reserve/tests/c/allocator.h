/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator that fails when it is told to. */
#ifndef ALLOCATOR_H
#define ALLOCATOR_H

/* Whose allocations are counted, and fail: those of the module, or everybody's. */
enum callers { MODULE, EVERYBODY };

/* Finds the module in memory, by a part of its file's name; NULL for none. Whether it is there. */
int find_module(const char *name);

/* From now on counts, and lets the allocations from `first` on fail, `count` of them; 0 lets none fail. */
void fail_from(enum callers callers, unsigned long first, unsigned long count);

/* Ends that; returns how many were counted. */
unsigned long end_failing(void);

/* How many destructors of its locals the module told the C library of in this thread: each takes memory, and ends the process
 * where there is none. */
unsigned notes(void);

/* Takes all memory that the process may still have but for `bytes`; and gives it back. */
void starve(unsigned long bytes);
void feed(void);

#endif
