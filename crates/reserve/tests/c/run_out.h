/* SPDX-License-Identifier: Apache-2.0 */
/* A program that runs out of memory at each of many points, in a child process each. */
#ifndef RUN_OUT_H
#define RUN_OUT_H

/* Which memory: allocations of the module, or of everybody, fail from the point on, one or all of them, in turn; or the
 * address space is limited, or all memory is taken but for so much as the point says. */
enum who { IN_MODULE, IN_EVERYBODY, LIMIT, STARVED, UNKNOWN };

/* By its name: module, everybody, limit, starved. */
enum who who_of(const char *name);

/* Runs `work` while memory fails from `point` on, `count` times; 0 lets nothing fail. Returns how many allocations were
 * counted. */
unsigned long run_out(enum who who, unsigned long point, unsigned long count, void (*work)(void));

/* Runs `live` for at most `points` points, each in a child; it is to run out, and to see that all is well after that. Prints
 * which children did not end well, and returns how many. The first child has no failures. */
unsigned long at_points(enum who who, unsigned long points, unsigned long (*live)(unsigned long point, unsigned long count));

#endif
