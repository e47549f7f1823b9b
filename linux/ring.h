/* SPDX-License-Identifier: GPL-2.0 */
/* What garner_ring and garner_recovery know of each other; of no interest to others. */
#ifndef GARNER_INTERNAL_RING_H
#define GARNER_INTERNAL_RING_H

#include <linux/io.h>

#include "garner.h"

static inline u32 garner_read(struct garner_ring *ring, u32 offset)
{
	return readl(ring->registers + offset);
}

static inline void garner_write(struct garner_ring *ring, u32 offset, u32 value)
{
	writel(value, ring->registers + offset);
}

/* A function that is gone reads as ones. */
static inline bool garner_ring_present(struct garner_ring *ring)
{
	return garner_read(ring, GARNER_REG_ID) == GARNER_REG_ID_VALUE_CONSTANT;
}

unsigned int garner_ring_take(struct garner_ring *ring);
void garner_ring_lose(struct garner_ring *ring);
void garner_ring_start(struct garner_ring *ring);

int garner_board_reset(struct garner_board *board);
void garner_board_give_up(struct garner_board *board, const char *why);
void garner_board_work(struct work_struct *work);
void garner_board_watch(struct work_struct *work);
/* How often the latter runs while jobs are under way. */
#define GARNER_WATCH_MS 50

#endif
