// SPDX-License-Identifier: GPL-2.0
/*
 * What wakes a board's rings, and what is done when the board does not do what it should.
 *
 *   interrupt, or now and then while jobs are under way -> completions
 *   a job that does not end, a lost completion          -> reset, start; what was under way is lost
 *   gone, cannot be reset, lies, hangs again and again  -> out of use for good; software takes over
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
MODULE_PARM_DESC(patience_ms, "A job that runs for longer resets the board (ms, 100 at least)");
#define GARNER_LEAST_PATIENCE_MS 100U

/* How long a board that was reset may take to erase all it holds. */
#define GARNER_ERASURE_MS 2000

/* So many resets, and no job of an engine ended in between: it is not relied on. */
#define GARNER_HANGS 5

/*
 * A result that waits for its interrupt delays its caller; an interrupt for each costs the
 * processor. The idle interrupt comes as soon as nothing is left to do, so these matter under load
 * alone.
 */
static unsigned int coalesce_count = 8;
module_param(coalesce_count, uint, 0444);
MODULE_PARM_DESC(coalesce_count, "Completions for one interrupt while more jobs wait (1 to 255)");
static_assert(GARNER_MOST(GARNER_REG_INTERRUPT_COALESCE_COUNT) == 255);

static unsigned int coalesce_cycles = 1 << 20;
module_param(coalesce_cycles, uint, 0444);
MODULE_PARM_DESC(coalesce_cycles, "Cycles of the board after which fewer do (1 to 2^24 - 1)");
static_assert(GARNER_MOST(GARNER_REG_INTERRUPT_COALESCE_CYCLES) == (1U << 24) - 1);

/**
 * garner_board_reset() - function-level reset: ends all transactions, and the board erases all it
 * holds
 * @board: the function's; no jobs can be put in from now on
 *
 * Return: 0 when it has erased all; -ENODEV if it is gone, or another error if it does not answer.
 */
int garner_board_reset(struct garner_board *board)
{
	struct garner_ring *ring;
	u32 status;
	int err;

	garner_for_each_ring(ring, board) {
		spin_lock_bh(&ring->lock);
		ring->running = false;
		spin_unlock_bh(&ring->lock);
		ring->user->settle(ring);
	}
	if (!garner_ring_present(board->rings))
		return -ENODEV;
	board->resets++;
	pci_save_state(board->pdev);
	err = pcie_reset_flr(board->pdev, PCI_RESET_DO_RESET);
	pci_restore_state(board->pdev);
	garner_for_each_ring(ring, board) {
		err = err ?: read_poll_timeout(garner_read, status,
					       !(status & GARNER_REG_STATUS_ZEROISING_MASK) ||
						       status == ~0U,
					       1000, GARNER_ERASURE_MS * 1000ULL, false, ring,
					       GARNER_REG_STATUS);
	}
	if (!err && !garner_ring_present(board->rings))
		err = -ENODEV;
	return err;
}

/**
 * garner_ring_start() - sets up the rings of a board that was reset, with nothing under way
 * @ring: the board's
 */
void garner_ring_start(struct garner_ring *ring)
{
	dma_addr_t completions = ring->address + ring->completions;
	u32 count = clamp(coalesce_count, 1U, GARNER_MOST(GARNER_REG_INTERRUPT_COALESCE_COUNT)),
	    cycles = clamp(coalesce_cycles, 1U, GARNER_MOST(GARNER_REG_INTERRUPT_COALESCE_CYCLES));

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

/* What was under way is lost, and all keys are. */
static void garner_board_lose(struct garner_board *board)
{
	struct garner_ring *ring;

	garner_for_each_ring(ring, board) {
		garner_ring_lose(ring);
		ring->user->erased(ring);
	}
}

static void garner_board_start(struct garner_board *board)
{
	struct garner_ring *ring;

	garner_for_each_ring(ring, board) {
		garner_ring_start(ring);
	}
}

static void garner_board_changed(struct garner_board *board)
{
	struct garner_ring *ring;

	garner_for_each_ring(ring, board) {
		ring->user->changed(ring);
	}
}

/**
 * garner_board_give_up() - takes the board out of use for good; under the mutex
 * @board: the function's
 * @why: a string that stays
 */
void garner_board_give_up(struct garner_board *board, const char *why)
{
	if (board->retired)
		return;
	board->retired = why;
	pci_err(board->pdev, "out of use, software takes over: %s\n", why);
	/* What cannot be reset must not write to memory that will be another's. */
	if (garner_board_reset(board))
		pci_clear_master(board->pdev);
	garner_board_lose(board);
}

static void garner_board_recover(struct garner_board *board, const char *why)
{
	pci_warn(board->pdev, "reset: %s\n", why);
	if (garner_board_reset(board)) {
		garner_board_give_up(board, "it cannot be reset");
		return;
	}
	garner_board_lose(board);
	garner_board_start(board);
}

/*
 * Clears a ring's interrupt status until it reads as zero, and returns the errors there were.
 *
 * A vector may fire when a line rises and be silent while it is high, so no line may stay high
 * behind this: neither one that rises between the read and the clearing, nor one whose cause comes
 * in the cycle of its clearing. The last read is also what brings the clearing to the board before
 * completions are looked for: a write alone is on its way, and would clear what comes meanwhile.
 */
static u32 garner_ring_acknowledge(struct garner_ring *ring)
{
	u32 lines, error = 0;
	unsigned int tries;

	for (tries = 0; tries < 16; tries++) { /* or the watch goes on */
		lines = garner_read(ring, GARNER_REG_INTERRUPT_STATUS);
		if (!lines || lines == ~0U) /* gone: it reads as ones */
			break;
		garner_write(ring, GARNER_REG_INTERRUPT_STATUS, lines);
		if (lines & GARNER_REG_INTERRUPT_STATUS_ERROR_MASK) {
			u32 more = garner_read(ring, GARNER_REG_ERROR);

			garner_write(ring, GARNER_REG_ERROR, more);
			error |= more;
		}
	}
	return error;
}

/* Takes completions of rings whose interrupt came; false if one was lost. */
static bool garner_board_look(struct garner_board *board)
{
	const u32 lost = GARNER_REG_ERROR_COMPLETION_FAULT_MASK | GARNER_REG_ERROR_OVERRUN_MASK;
	struct garner_ring *ring;
	bool whole = true;

	garner_for_each_ring(ring, board) {
		u32 error;

		if (!test_and_clear_bit(0, &ring->pending))
			continue;
		error = garner_ring_acknowledge(ring);
		garner_ring_take(ring);
		if (board->retired)
			return true;
		whole &= !(error & lost);
	}
	return whole;
}

/* Behind an interrupt, or when the board is suspected: the work of garner_board. */
void garner_board_work(struct work_struct *work)
{
	struct garner_board *board = container_of(work, struct garner_board, work);
	const char *suspect = READ_ONCE(board->suspect);

	mutex_lock(&board->mutex);
	if (suspect && !board->stopped) /* or else garner_board_restart() sees it */
		garner_board_give_up(board, suspect);
	if (!board->retired && board->rings[0].running && !garner_board_look(board))
		garner_board_recover(board, "a completion was lost");
	mutex_unlock(&board->mutex);
	garner_board_changed(board);
}

/* Whether a job waits for longer than it may. */
static bool garner_ring_hangs(struct garner_ring *ring)
{
	unsigned long patience = msecs_to_jiffies(max(patience_ms, GARNER_LEAST_PATIENCE_MS));
	bool hangs = false;
	unsigned int i;

	spin_lock_bh(&ring->lock);
	for (i = 0; i < GARNER_DEPTH; i++)
		hangs |= ring->under_way[i].job && jiffies - ring->under_way[i].since > patience;
	spin_unlock_bh(&ring->lock);
	return hangs;
}

/* Resets a board with an engine that hangs; takes it out of use where that has not helped. */
static void garner_board_heal(struct garner_board *board)
{
	struct garner_ring *ring;

	garner_for_each_ring(ring, board) {
		if (!garner_ring_hangs(ring))
			continue;
		if (ring->hangs++ < GARNER_HANGS)
			garner_board_recover(board, "a job did not end");
		else
			garner_board_give_up(board, "its jobs never end");
		return;
	}
}

/*
 * Takes completions before an interrupt told of them. That interrupt may never come, so what it
 * would have had cleared is cleared as if it had.
 */
static void garner_board_find(struct garner_board *board)
{
	struct garner_ring *ring;

	garner_for_each_ring(ring, board)
		if (!board->retired && garner_ring_take(ring)) {
			ring->counters.found_without_interrupt++;
			set_bit(0, &ring->pending);
		}
}

static bool garner_board_works(struct garner_board *board)
{
	struct garner_ring *ring;
	bool works = false;

	garner_for_each_ring(ring, board) {
		spin_lock_bh(&ring->lock);
		works |= ring->running && ring->in_use;
		spin_unlock_bh(&ring->lock);
	}
	return works;
}

/* Now and then while jobs are under way: interrupts may be lost, boards hang or are pulled out. */
void garner_board_watch(struct work_struct *work)
{
	struct garner_board *board =
		container_of(to_delayed_work(work), struct garner_board, watch);

	mutex_lock(&board->mutex);
	/* What one engine has done says nothing of the others */
	if (!board->retired && board->rings[0].running)
		garner_board_find(board);
	if (!board->retired && board->rings[0].running) {
		if (!garner_ring_present(board->rings))
			garner_board_give_up(board, "it is gone: its registers read as ones");
		else if (!garner_board_look(board))
			garner_board_recover(board, "a completion was lost");
		else if (!board->retired)
			garner_board_heal(board);
	}
	mutex_unlock(&board->mutex);
	garner_board_changed(board);
	if (garner_board_works(board))
		queue_delayed_work(garner_workqueue, &board->watch,
				   msecs_to_jiffies(GARNER_WATCH_MS));
}

/**
 * garner_ring_interrupt() - one of the rings' vectors fired; in interrupt context
 * @ring: the board's
 */
void garner_ring_interrupt(struct garner_ring *ring)
{
	atomic_long_inc(&ring->interrupts);
	set_bit(0, &ring->pending);
	queue_work(garner_workqueue, &ring->board->work);
}

/**
 * garner_board_retire() - takes a board out of use that cannot be trusted; in any context
 * @board: the function's
 * @why: a string that stays
 */
void garner_board_retire(struct garner_board *board, const char *why)
{
	WRITE_ONCE(board->suspect, why);
	queue_work(garner_workqueue, &board->work);
}

/**
 * garner_board_stop() - ends what is under way and resets the board, which erases its keys; sleeps
 * @board: the function's; garner_board_restart() or garner_board_exit() comes next
 */
void garner_board_stop(struct garner_board *board)
{
	mutex_lock(&board->mutex);
	if (!board->retired && garner_board_reset(board))
		garner_board_give_up(board, "it cannot be reset");
	garner_board_lose(board);
	board->stopped = true;
	mutex_unlock(&board->mutex);
	garner_board_changed(board);
}

/**
 * garner_board_restart() - after garner_board_stop(), and whatever happened to the board in between
 * @board: the function's
 *
 * Return: 0, or why it is out of use.
 */
int garner_board_restart(struct garner_board *board)
{
	int err = 0;

	mutex_lock(&board->mutex);
	board->stopped = false;
	if (!board->retired) {
		err = garner_board_reset(board);
		if (err)
			garner_board_give_up(board, "it cannot be reset");
		else if (READ_ONCE(board->suspect))
			garner_board_give_up(board, board->suspect);
		else
			garner_board_start(board);
	}
	mutex_unlock(&board->mutex);
	garner_board_changed(board);
	return err;
}
