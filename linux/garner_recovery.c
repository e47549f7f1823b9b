// SPDX-License-Identifier: GPL-2.0
/*
 * What wakes a board's rings, and what is done when the board does not do what it should.
 *
 *   interrupt, or now and then while jobs are under way -> completions
 *   a job that does not end, a lost completion          -> reset, start; what was under way is lost
 *   gone, cannot be reset, lies                         -> out of use for good; software takes over
 *
 * Called by garner_pci; uses garner_ring. A job that is lost is not an error for who asked:
 * garner_rsa has software.
 */
#include <linux/iopoll.h>
#include <linux/module.h>

#include "garner.h"
#include "ring.h"

static unsigned int patience_ms = 2000;
module_param(patience_ms, uint, 0644);
MODULE_PARM_DESC(patience_ms, "A job that runs for longer resets the board (ms)");

/*
 * A result that waits for its interrupt delays its caller; an interrupt for each costs the
 * processor. The idle interrupt comes as soon as nothing is left to do, so these matter under load
 * alone.
 */
static unsigned int coalesce_count = 8;
module_param(coalesce_count, uint, 0444);
MODULE_PARM_DESC(coalesce_count, "Completions for one interrupt while more jobs wait (1 to 255)");

static unsigned int coalesce_cycles = 1 << 20;
module_param(coalesce_cycles, uint, 0444);
MODULE_PARM_DESC(coalesce_cycles, "Cycles of the board after which fewer do (1 to 2^24 - 1)");

/**
 * garner_ring_reset() - function-level reset: ends all transactions, and the board erases all it
 * holds
 * @ring: the board's; no jobs can be put in from now on
 *
 * Return: 0 when it has erased all; -ENODEV if it is gone, or another error if it does not answer.
 */
int garner_ring_reset(struct garner_ring *ring)
{
	u32 status;
	int err;

	spin_lock_bh(&ring->lock);
	ring->running = false;
	spin_unlock_bh(&ring->lock);
	ring->user->settle();
	if (!garner_ring_present(ring))
		return -ENODEV;
	ring->counters.resets++;
	pci_save_state(ring->pdev);
	err = pcie_reset_flr(ring->pdev, PCI_RESET_DO_RESET);
	pci_restore_state(ring->pdev);
	if (err)
		return err;
	err = read_poll_timeout(garner_read, status,
				!(status & GARNER_REG_STATUS_ZEROISING_MASK) || status == ~0U, 1000,
				patience_ms * 1000ULL, false, ring, GARNER_REG_STATUS);
	if (!err && !garner_ring_present(ring))
		err = -ENODEV;
	return err;
}

/**
 * garner_ring_start() - sets up a board that was reset, with nothing under way
 * @ring: the board's
 */
void garner_ring_start(struct garner_ring *ring)
{
	dma_addr_t completions = ring->address + ring->completions;
	u32 count = clamp(coalesce_count, 1U, 255U),
	    cycles = clamp(coalesce_cycles, 1U, (1U << 24) - 1);

	memset(ring->memory, 0, ring->places);
	ring->tail = 0;
	ring->told = 0;
	ring->head = 0;
	garner_write(ring, GARNER_REG_SUBMISSION_BASE_LOW, lower_32_bits(ring->address));
	garner_write(ring, GARNER_REG_SUBMISSION_BASE_HIGH, upper_32_bits(ring->address));
	garner_write(ring, GARNER_REG_SUBMISSION_SIZE, GARNER_DEPTH_LOG2);
	garner_write(ring, GARNER_REG_SUBMISSION_TAIL, 0);
	garner_write(ring, GARNER_REG_COMPLETION_BASE_LOW, lower_32_bits(completions));
	garner_write(ring, GARNER_REG_COMPLETION_BASE_HIGH, upper_32_bits(completions));
	garner_write(ring, GARNER_REG_COMPLETION_SIZE, GARNER_DEPTH_LOG2);
	garner_write(ring, GARNER_REG_COMPLETION_HEAD, 0);
	garner_write(ring, GARNER_REG_INTERRUPT_STATUS, ~0U);
	garner_write(ring, GARNER_REG_INTERRUPT_COALESCE,
		     GARNER_PUT(count, GARNER_REG_INTERRUPT_COALESCE_COUNT) |
			     GARNER_PUT(cycles, GARNER_REG_INTERRUPT_COALESCE_CYCLES));
	garner_write(ring, GARNER_REG_INTERRUPT_ENABLE,
		     GARNER_REG_INTERRUPT_ENABLE_COMPLETION_MASK |
			     GARNER_REG_INTERRUPT_ENABLE_IDLE_MASK |
			     GARNER_REG_INTERRUPT_ENABLE_ERROR_MASK);
	garner_write(ring, GARNER_REG_CONTROL, GARNER_REG_CONTROL_ENABLE_MASK);
	spin_lock_bh(&ring->lock);
	ring->running = true;
	spin_unlock_bh(&ring->lock);
}

/**
 * garner_ring_give_up() - takes the board out of use for good; under the mutex
 * @ring: the board's
 * @why: a string that stays
 */
void garner_ring_give_up(struct garner_ring *ring, const char *why)
{
	if (ring->retired)
		return;
	ring->retired = why;
	pci_err(ring->pdev, "out of use, software takes over: %s\n", why);
	/* What cannot be reset must not write to memory that will be another's. */
	if (garner_ring_reset(ring))
		pci_clear_master(ring->pdev);
	garner_ring_lose(ring);
	ring->user->erased(ring);
}

static void garner_ring_recover(struct garner_ring *ring, const char *why)
{
	pci_warn(ring->pdev, "reset: %s\n", why);
	if (garner_ring_reset(ring)) {
		garner_ring_give_up(ring, "it cannot be reset");
		return;
	}
	garner_ring_lose(ring);
	ring->user->erased(ring);
	garner_ring_start(ring);
}

/* Behind an interrupt, or when the board is suspected: the work of garner_ring. */
void garner_ring_work(struct work_struct *work)
{
	struct garner_ring *ring = container_of(work, struct garner_ring, work);
	const char *suspect = READ_ONCE(ring->suspect);
	u32 error = 0;

	mutex_lock(&ring->mutex);
	if (suspect)
		garner_ring_give_up(ring, suspect);
	if (!ring->retired && ring->running) {
		/* Before looking: what comes later raises it anew. */
		garner_write(ring, GARNER_REG_INTERRUPT_STATUS, ~0U);
		if (xchg(&ring->error, false)) {
			error = garner_read(ring, GARNER_REG_ERROR);
			garner_write(ring, GARNER_REG_ERROR, error);
		}
		garner_ring_take(ring);
		if (error &
		    (GARNER_REG_ERROR_COMPLETION_FAULT_MASK | GARNER_REG_ERROR_OVERRUN_MASK))
			garner_ring_recover(ring, "a completion was lost");
	}
	mutex_unlock(&ring->mutex);
	ring->user->changed();
}

/* In jiffies: how long the job waits that has waited longest. */
static unsigned long garner_ring_longest_wait(struct garner_ring *ring)
{
	unsigned long longest = 0;
	unsigned int i;

	spin_lock_bh(&ring->lock);
	for (i = 0; i < GARNER_DEPTH; i++)
		if (ring->under_way[i].job)
			longest = max(longest, jiffies - ring->under_way[i].since);
	spin_unlock_bh(&ring->lock);
	return longest;
}

/* Now and then while jobs are under way: interrupts may be lost, boards hang or are pulled out. */
void garner_ring_watch(struct work_struct *work)
{
	struct garner_ring *ring = container_of(to_delayed_work(work), struct garner_ring, watch);
	bool under_way;

	mutex_lock(&ring->mutex);
	if (!ring->retired && ring->running) {
		if (garner_ring_take(ring))
			ring->counters.found_without_interrupt++;
		else if (!garner_ring_present(ring))
			garner_ring_give_up(ring, "it is gone: its registers read as ones");
		else if (garner_ring_longest_wait(ring) > msecs_to_jiffies(patience_ms))
			garner_ring_recover(ring, "a job did not end");
	}
	mutex_unlock(&ring->mutex);
	ring->user->changed();
	spin_lock_bh(&ring->lock);
	under_way = ring->running && ring->in_use;
	spin_unlock_bh(&ring->lock);
	if (under_way)
		queue_delayed_work(garner_workqueue, &ring->watch,
				   msecs_to_jiffies(GARNER_WATCH_MS));
}

/**
 * garner_ring_interrupt() - one of the board's vectors fired; in interrupt context
 * @ring: the board's
 * @error: whether it was the one for errors
 */
void garner_ring_interrupt(struct garner_ring *ring, bool error)
{
	atomic_long_inc(&ring->interrupts);
	if (error)
		WRITE_ONCE(ring->error, true);
	queue_work(garner_workqueue, &ring->work);
}

/**
 * garner_ring_retire() - takes a board out of use that cannot be trusted; in any context
 * @ring: the board's
 * @why: a string that stays
 */
void garner_ring_retire(struct garner_ring *ring, const char *why)
{
	WRITE_ONCE(ring->suspect, why);
	queue_work(garner_workqueue, &ring->work);
}

/**
 * garner_ring_stop() - ends what is under way and resets the board, which erases its keys; sleeps
 * @ring: the board's; garner_ring_restart() or garner_ring_exit() comes next
 */
void garner_ring_stop(struct garner_ring *ring)
{
	mutex_lock(&ring->mutex);
	if (!ring->retired && garner_ring_reset(ring))
		garner_ring_give_up(ring, "it cannot be reset");
	garner_ring_lose(ring);
	ring->user->erased(ring);
	mutex_unlock(&ring->mutex);
	ring->user->changed();
}

/**
 * garner_ring_restart() - after garner_ring_stop(), and whatever happened to the board in between
 * @ring: the board's
 *
 * Return: 0, or why it is out of use.
 */
int garner_ring_restart(struct garner_ring *ring)
{
	int err = 0;

	mutex_lock(&ring->mutex);
	if (!ring->retired) {
		err = garner_ring_reset(ring);
		if (err)
			garner_ring_give_up(ring, "it cannot be reset");
		else
			garner_ring_start(ring);
	}
	mutex_unlock(&ring->mutex);
	ring->user->changed();
	return err;
}
