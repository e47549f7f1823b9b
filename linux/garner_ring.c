// SPDX-License-Identifier: GPL-2.0
/*
 * The rings of a board's engines: descriptors in, completions out, and a place in coherent memory
 * for each job.
 *
 * Called by its user with jobs and by garner_recovery when there may be completions. Knows nothing
 * of what jobs carry. Operands and results lie in places of the rings' own, so that nothing a board
 * writes late reaches the memory of a request.
 *
 * A place of the submission ring is also the job's place in memory. It is free again when its
 * completion was taken, so the rings never hold more than they have room for, and a completion
 * finds its job by the descriptor's index.
 */
#include <linux/dma-mapping.h>

#include "garner.h"
#include "ring.h"

#define GARNER_DESCRIPTOR_BYTES (4 * GARNER_RING_DESCRIPTOR_WORDS)

static u8 *garner_ring_place(struct garner_ring *ring, u16 index)
{
	return ring->memory + ring->places + index % GARNER_DEPTH * ring->place;
}

/* Whether there is a completion to take; what follows its phase is read later. */
static bool garner_ring_has_next(struct garner_ring *ring)
{
	struct garner_completion *next = ring->memory + ring->completions;
	u32 word = le32_to_cpu(READ_ONCE(next[ring->head % GARNER_DEPTH].word3));

	return GARNER_FIELD(word, GARNER_COMPLETION_PHASE) == !(ring->head / GARNER_DEPTH % 2);
}

/*
 * The job of this number has just ended. A board gives jobs to cores in the order of the ring, so
 * one behind it may have waited for its core, and its time begins now. That of a job before it goes
 * on: it had a core already. So every job has all of patience_ms for its own run, however long the
 * queue.
 */
static void garner_ring_renew(struct garner_ring *ring, unsigned long number)
{
	unsigned int i;

	for (i = 0; i < GARNER_DEPTH; i++)
		if (ring->under_way[i].job && (long)(ring->under_way[i].number - number) > 0)
			ring->under_way[i].since = jiffies;
}

static void garner_ring_free(struct garner_ring *ring, struct garner_place *place)
{
	memzero_explicit(garner_ring_place(ring, place->index), ring->place);
	spin_lock_bh(&ring->lock);
	garner_ring_renew(ring, place->number);
	place->job = NULL;
	ring->in_use--;
	spin_unlock_bh(&ring->lock);
}

/**
 * garner_ring_lose() - nothing will be heard any more of what is under way; under the mutex
 * @ring: of a board that was reset, or that cannot write to memory any more
 *
 * The oldest job first.
 */
void garner_ring_lose(struct garner_ring *ring)
{
	unsigned int i;

	for (i = 0; i < GARNER_DEPTH; i++) {
		struct garner_place *place = &ring->under_way[(ring->tail + i) % GARNER_DEPTH];

		if (!place->job)
			continue;
		ring->counters.lost++;
		place->job->done(place->job, place->part, GARNER_JOB_LOST, NULL, 0);
		garner_ring_free(ring, place);
	}
}

/**
 * garner_ring_take() - takes all completions there are; under the mutex
 * @ring: the board's
 *
 * Return: how many.
 */
unsigned int garner_ring_take(struct garner_ring *ring)
{
	struct garner_completion *completions = ring->memory + ring->completions;
	unsigned int taken = 0;

	while (taken < GARNER_DEPTH && garner_ring_has_next(ring)) {
		struct garner_completion *next = &completions[ring->head % GARNER_DEPTH];
		struct garner_place *place;
		u32 word0, word2, cycles, status;
		u16 index;

		dma_rmb(); /* the phase is written last */
		word0 = le32_to_cpu(READ_ONCE(next->word0));
		word2 = le32_to_cpu(READ_ONCE(next->word2));
		cycles = le32_to_cpu(READ_ONCE(next->cycles));
		index = GARNER_FIELD(word2, GARNER_COMPLETION_INDEX);
		status = GARNER_FIELD(word0, GARNER_COMPLETION_STATUS);
		place = &ring->under_way[index % GARNER_DEPTH];
		if (!place->job || place->index != index) {
			garner_board_give_up(ring->board,
					     "it completed a job that was not under way");
			return taken;
		}
		ring->counters.jobs++;
		ring->counters.failed += status != GARNER_STATUS_OK;
		ring->counters.cycles += cycles;
		place->job->done(place->job, place->part, status,
				 garner_ring_place(ring, index) + ring->results, cycles);
		garner_ring_free(ring, place);
		ring->head++;
		taken++;
	}
	if (taken) {
		ring->hangs = 0;
		garner_write(ring, GARNER_REG_COMPLETION_HEAD, ring->head);
	}
	return taken;
}

/**
 * garner_ring_room() - how many jobs may be put in now
 * @ring: the board's
 *
 * They stay as many, at least, while the only one who puts jobs in holds its lock.
 */
unsigned int garner_ring_room(struct garner_ring *ring)
{
	unsigned int room = 0;

	spin_lock_bh(&ring->lock);
	while (ring->running && room < GARNER_DEPTH &&
	       !ring->under_way[(ring->tail + room) % GARNER_DEPTH].job)
		room++;
	spin_unlock_bh(&ring->lock);
	return room;
}

/**
 * garner_ring_operands() - where the operands of the next job go, at most operand_room of them
 * @ring: one with room
 * @at: their address for the board, or NULL; results are behind operand_room, or in their place
 */
u8 *garner_ring_operands(struct garner_ring *ring, dma_addr_t *at)
{
	u8 *operands = garner_ring_place(ring, ring->tail);

	if (at)
		*at = ring->address + (operands - (u8 *)ring->memory);
	return operands;
}

/**
 * garner_ring_put() - puts a job into a ring with room; its operands are in place
 * @ring: the board's
 * @job: whose done() is called when it has ended
 * @part: given to done()
 * @descriptor: of 64 bytes; nobody looks at its tag
 */
void garner_ring_put(struct garner_ring *ring, struct garner_job *job, u32 part,
		     const void *descriptor)
{
	struct garner_place *place;

	spin_lock_bh(&ring->lock);
	place = &ring->under_way[ring->tail % GARNER_DEPTH];
	memcpy(ring->memory + ring->tail % GARNER_DEPTH * GARNER_DESCRIPTOR_BYTES, descriptor,
	       GARNER_DESCRIPTOR_BYTES);
	place->job = job;
	place->part = part;
	place->index = ring->tail;
	place->number = ring->submitted++;
	place->since = jiffies;
	ring->in_use++;
	ring->tail++;
	spin_unlock_bh(&ring->lock);
}

/**
 * garner_ring_doorbell() - tells the board of all jobs that were put in
 * @ring: the board's
 */
void garner_ring_doorbell(struct garner_ring *ring)
{
	spin_lock_bh(&ring->lock);
	if (ring->running && ring->told != ring->tail) {
		ring->told = ring->tail;
		garner_write(ring, GARNER_REG_SUBMISSION_TAIL,
			     ring->tail); /* behind the descriptors */
		queue_delayed_work(garner_workqueue, &ring->board->watch,
				   msecs_to_jiffies(GARNER_WATCH_MS));
	}
	spin_unlock_bh(&ring->lock);
}

static int garner_ring_identify(struct garner_ring *ring)
{
	struct garner_capability *capability = &ring->capability;
	struct pci_dev *pdev = ring->board->pdev;
	u32 major, cores, arithmetic, montgomery;

	if (!garner_ring_present(ring)) {
		pci_err(pdev, "no Garner accelerator, or it is gone: identification %#x\n",
			garner_read(ring, GARNER_REG_ID));
		return -ENODEV;
	}
	major = GARNER_FIELD(garner_read(ring, GARNER_REG_VERSION), GARNER_REG_VERSION_MAJOR);
	if (major != GARNER_REG_VERSION_MAJOR_CONSTANT) {
		pci_err(pdev, "register map version %u; version %u is known here\n", major,
			GARNER_REG_VERSION_MAJOR_CONSTANT);
		return -ENODEV;
	}
	cores = garner_read(ring, GARNER_REG_CAPABILITY_CORES);
	arithmetic = garner_read(ring, GARNER_REG_CAPABILITY_ARITHMETIC);
	montgomery = garner_read(ring, GARNER_REG_CAPABILITY_MONTGOMERY);
	capability->cores = GARNER_FIELD(cores, GARNER_REG_CAPABILITY_CORES_CORES);
	capability->key_slots = GARNER_FIELD(cores, GARNER_REG_CAPABILITY_CORES_KEY_SLOTS);
	capability->max_bits = GARNER_FIELD(arithmetic, GARNER_REG_CAPABILITY_ARITHMETIC_MAX_BITS);
	capability->r_step = GARNER_FIELD(montgomery, GARNER_REG_CAPABILITY_MONTGOMERY_R_STEP);
	capability->operand_bytes =
		4 * GARNER_FIELD(montgomery, GARNER_REG_CAPABILITY_MONTGOMERY_OPERAND_WORDS);
	if (!capability->cores || !capability->key_slots || !ring->user->fits(ring)) {
		pci_err(pdev, "impossible %s: %u cores, %u slots, %u bits, %u bytes of operands\n",
			ring->user->name, capability->cores, capability->key_slots,
			capability->max_bits, capability->operand_bytes);
		return -ENODEV;
	}
	return 0;
}

static int garner_ring_allocate(struct garner_ring *ring)
{
	ring->completions = GARNER_DEPTH * GARNER_DESCRIPTOR_BYTES;
	ring->places = ALIGN(ring->completions + GARNER_DEPTH * GARNER_COMPLETION_BYTES, PAGE_SIZE);
	ring->results = ring->result_room ? ALIGN(ring->operand_room, 64) : 0;
	ring->place = ALIGN(ring->operand_room, 64) + ALIGN(ring->result_room, 64);
	ring->bytes = ring->places + GARNER_DEPTH * ring->place;
	ring->memory = dma_alloc_coherent(&ring->board->pdev->dev, ring->bytes, &ring->address,
					  GFP_KERNEL);
	return ring->memory ? 0 : -ENOMEM;
}

static void garner_rings_free(struct garner_board *board)
{
	struct garner_ring *ring;

	garner_for_each_ring(ring, board) {
		if (!ring->memory)
			continue;
		memzero_explicit(ring->memory, ring->bytes);
		dma_free_coherent(&board->pdev->dev, ring->bytes, ring->memory, ring->address);
	}
}

/**
 * garner_board_init() - takes a board over: reset, rings set up
 * @board: with its function, enabled, bus master, with its vectors; its engines counted, and their
 *         users known
 * @registers: the first page
 *
 * Return: 0, or why it is no board for us.
 */
int garner_board_init(struct garner_board *board, u8 __iomem *registers)
{
	struct garner_ring *ring;
	int err = 0;

	mutex_init(&board->mutex);
	INIT_WORK(&board->work, garner_board_work);
	INIT_DELAYED_WORK(&board->watch, garner_board_watch);
	garner_for_each_ring(ring, board) {
		ring->board = board;
		ring->registers = registers + (ring - board->rings) * GARNER_BOARD_PAGE_BYTES;
		spin_lock_init(&ring->lock);
	}
	garner_for_each_ring(ring, board) {
		err = err ?: garner_ring_identify(ring);
	}
	err = err ?: garner_board_reset(board);
	garner_for_each_ring(ring, board) {
		err = err ?: garner_ring_allocate(ring);
	}
	if (err) {
		garner_rings_free(board);
		return err;
	}
	garner_for_each_ring(ring, board) {
		garner_ring_start(ring);
	}
	return 0;
}

/**
 * garner_board_exit() - frees a board that was stopped and whose interrupts are freed
 * @board: the function's
 */
void garner_board_exit(struct garner_board *board)
{
	cancel_work_sync(&board->work);
	cancel_delayed_work_sync(&board->watch);
	garner_rings_free(board);
}

/**
 * garner_board_show() - writes the counters, a line each; those of AES below its engines' names
 * @board: the function's
 * @file: of debugfs
 */
void garner_board_show(struct garner_board *board, struct seq_file *file)
{
	struct garner_ring *ring;

	mutex_lock(&board->mutex);
	seq_printf(file, "state %s\n",
		   board->retired ?: board->rings[0].running ? "running" : "stopped");
	seq_printf(file, "resets %llu\n", board->resets);
	garner_for_each_ring(ring, board) {
		const char *name = ring == board->rings ? "" : ring->user->name,
			   *joint = ring == board->rings ? "" : "_";

		seq_printf(file, "%s%scores %u\n", name, joint, ring->capability.cores);
		seq_printf(file, "%s%skey_slots %u\n", name, joint, ring->capability.key_slots);
		if (ring->capability.max_bits)
			seq_printf(file, "max_bits %u\n", ring->capability.max_bits);
		seq_printf(file, "%s%sjobs %llu\n", name, joint, ring->counters.jobs);
		seq_printf(file, "%s%sjobs_failed %llu\n", name, joint, ring->counters.failed);
		seq_printf(file, "%s%sjobs_lost %llu\n", name, joint, ring->counters.lost);
		seq_printf(file, "%s%score_cycles %llu\n", name, joint, ring->counters.cycles);
		seq_printf(file, "%s%sinterrupts %ld\n", name, joint,
			   atomic_long_read(&ring->interrupts));
		seq_printf(file, "%s%sfound_without_interrupt %llu\n", name, joint,
			   ring->counters.found_without_interrupt);
	}
	mutex_unlock(&board->mutex);
}
