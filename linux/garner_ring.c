// SPDX-License-Identifier: GPL-2.0
/*
 * The rings of a board: descriptors in, completions out, and a place in coherent memory for each
 * job.
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
		place->job->done(place->job, GARNER_JOB_LOST, NULL, 0);
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
			garner_ring_give_up(ring, "it completed a job that was not under way");
			return taken;
		}
		ring->counters.jobs++;
		ring->counters.failed += status != GARNER_STATUS_OK;
		ring->counters.cycles += cycles;
		place->job->done(place->job, status,
				 garner_ring_place(ring, index) + ring->operands, cycles);
		garner_ring_free(ring, place);
		ring->head++;
		taken++;
	}
	if (taken)
		garner_write(ring, GARNER_REG_COMPLETION_HEAD, ring->head);
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
 * garner_ring_operands() - where the operands of the next job go, at most capability.operand_bytes
 * of them
 * @ring: one with room
 */
u8 *garner_ring_operands(struct garner_ring *ring)
{
	return garner_ring_place(ring, ring->tail);
}

/**
 * garner_ring_put() - puts a job into a ring with room; its operands are in place
 * @ring: the board's
 * @job: whose done() is called when it has ended
 * @word0: of the descriptor, without the tag
 * @word1: of the descriptor
 * @operand_bytes: a multiple of 4
 * @result_bytes: as the operation says
 */
void garner_ring_put(struct garner_ring *ring, struct garner_job *job, u32 word0, u32 word1,
		     u32 operand_bytes, u32 result_bytes)
{
	struct garner_rsa_descriptor *descriptor = ring->memory;
	struct garner_place *place;
	dma_addr_t at;

	spin_lock_bh(&ring->lock);
	place = &ring->under_way[ring->tail % GARNER_DEPTH];
	descriptor += ring->tail % GARNER_DEPTH;
	at = ring->address + (garner_ring_place(ring, ring->tail) - (u8 *)ring->memory);
	memset(descriptor, 0, sizeof(*descriptor));
	word0 |= GARNER_PUT(ring->tail % GARNER_DEPTH, GARNER_RSA_DESCRIPTOR_TAG);
	descriptor->word0 = cpu_to_le32(word0);
	descriptor->word1 = cpu_to_le32(word1);
	descriptor->operand_bytes = cpu_to_le32(operand_bytes);
	descriptor->result_bytes = cpu_to_le32(result_bytes);
	descriptor->operand_address = cpu_to_le64(operand_bytes ? at : 0);
	descriptor->result_address = cpu_to_le64(result_bytes ? at + ring->operands : 0);
	place->job = job;
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
		queue_delayed_work(garner_workqueue, &ring->watch,
				   msecs_to_jiffies(GARNER_WATCH_MS));
	}
	spin_unlock_bh(&ring->lock);
}

static int garner_ring_identify(struct garner_ring *ring)
{
	struct garner_capability *capability = &ring->capability;
	u32 major, cores, arithmetic, montgomery;

	if (!garner_ring_present(ring)) {
		pci_err(ring->pdev, "no Garner accelerator, or it is gone: identification %#x\n",
			garner_read(ring, GARNER_REG_ID));
		return -ENODEV;
	}
	major = GARNER_FIELD(garner_read(ring, GARNER_REG_VERSION), GARNER_REG_VERSION_MAJOR);
	if (major != GARNER_REG_VERSION_MAJOR_CONSTANT) {
		pci_err(ring->pdev, "register map version %u; version %u is known here\n", major,
			GARNER_REG_VERSION_MAJOR_CONSTANT);
		return -ENODEV;
	}
	cores = garner_read(ring, GARNER_REG_CAPABILITY_CORES);
	arithmetic = garner_read(ring, GARNER_REG_CAPABILITY_ARITHMETIC);
	montgomery = garner_read(ring, GARNER_REG_CAPABILITY_MONTGOMERY);
	capability->cores = GARNER_FIELD(cores, GARNER_REG_CAPABILITY_CORES_CORES);
	capability->key_slots = GARNER_FIELD(cores, GARNER_REG_CAPABILITY_CORES_KEY_SLOTS);
	capability->max_bits = GARNER_FIELD(arithmetic, GARNER_REG_CAPABILITY_ARITHMETIC_MAX_BITS);
	capability->operand_bytes =
		4 * GARNER_FIELD(montgomery, GARNER_REG_CAPABILITY_MONTGOMERY_OPERAND_WORDS);
	/* A key is n, of max_bits, five numbers of half as many, and 32 bits of e. */
	if (!capability->cores || !capability->key_slots ||
	    capability->max_bits > GARNER_RSA_MAX_BITS ||
	    capability->operand_bytes * 16 < 7 * capability->max_bits + 64) {
		pci_err(ring->pdev,
			"impossible: %u cores, %u slots, %u bits, %u bytes of operands\n",
			capability->cores, capability->key_slots, capability->max_bits,
			capability->operand_bytes);
		return -ENODEV;
	}
	return 0;
}

/**
 * garner_ring_init() - takes a board over: reset, rings set up
 * @ring: to be filled in
 * @pdev: the function, enabled, bus master, with its vectors
 * @registers: its page
 * @user: whose jobs they will be
 *
 * Return: 0, or why it is no board for us.
 */
int garner_ring_init(struct garner_ring *ring, struct pci_dev *pdev, u8 __iomem *registers,
		     const struct garner_ring_user *user)
{
	int err;

	ring->pdev = pdev;
	ring->registers = registers;
	ring->user = user;
	mutex_init(&ring->mutex);
	spin_lock_init(&ring->lock);
	INIT_WORK(&ring->work, garner_ring_work);
	INIT_DELAYED_WORK(&ring->watch, garner_ring_watch);
	err = garner_ring_identify(ring);
	if (!err)
		err = garner_ring_reset(ring);
	if (err)
		return err;

	ring->completions = GARNER_DEPTH * GARNER_RSA_DESCRIPTOR_BYTES;
	ring->places = ALIGN(ring->completions + GARNER_DEPTH * GARNER_COMPLETION_BYTES, PAGE_SIZE);
	ring->operands = ALIGN(ring->capability.operand_bytes, 64);
	ring->place = ring->operands + ALIGN(ring->capability.max_bits / 8, 64);
	ring->bytes = ring->places + GARNER_DEPTH * ring->place;
	ring->memory = dma_alloc_coherent(&pdev->dev, ring->bytes, &ring->address, GFP_KERNEL);
	if (!ring->memory)
		return -ENOMEM;
	garner_ring_start(ring);
	return 0;
}

/**
 * garner_ring_exit() - frees a ring that was stopped and whose interrupts are freed
 * @ring: the board's
 */
void garner_ring_exit(struct garner_ring *ring)
{
	cancel_work_sync(&ring->work);
	cancel_delayed_work_sync(&ring->watch);
	memzero_explicit(ring->memory, ring->bytes);
	dma_free_coherent(&ring->pdev->dev, ring->bytes, ring->memory, ring->address);
}

/**
 * garner_ring_show() - writes the counters, a line each
 * @ring: the board's
 * @file: of debugfs
 */
void garner_ring_show(struct garner_ring *ring, struct seq_file *file)
{
	mutex_lock(&ring->mutex);
	seq_printf(file, "state %s\n", ring->retired ?: ring->running ? "running" : "stopped");
	seq_printf(file, "cores %u\n", ring->capability.cores);
	seq_printf(file, "key_slots %u\n", ring->capability.key_slots);
	seq_printf(file, "max_bits %u\n", ring->capability.max_bits);
	seq_printf(file, "jobs %llu\n", ring->counters.jobs);
	seq_printf(file, "jobs_failed %llu\n", ring->counters.failed);
	seq_printf(file, "jobs_lost %llu\n", ring->counters.lost);
	seq_printf(file, "core_cycles %llu\n", ring->counters.cycles);
	seq_printf(file, "interrupts %ld\n", atomic_long_read(&ring->interrupts));
	seq_printf(file, "found_without_interrupt %llu\n", ring->counters.found_without_interrupt);
	seq_printf(file, "resets %llu\n", ring->counters.resets);
	mutex_unlock(&ring->mutex);
}
