/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Types of fixed width by their names in the Linux kernel, for firmware that has no <linux/types.h>. */
#ifndef GARNER_TYPES_H
#define GARNER_TYPES_H

#ifdef __linux__
#include <linux/types.h>
#else
#include <stdint.h>

/* Little-endian in memory, whatever the processor is. */
typedef uint32_t __le32;
typedef uint64_t __le64;
#endif

#endif
