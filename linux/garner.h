/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The driver's parts and what they know of each other.
 *
 *   garner_rsa       akcipher "rsa": requests, checks, software where the board does not serve
 *   garner_rsa_jobs  its jobs on the board
 *   garner_rsa_slots the board's key slots
 *   garner_rsa_key   keys as the board takes them
 *   garner_ring      descriptors in, completions out; knows nothing of what jobs carry
 *   garner_recovery  interrupts, time-outs, resets
 *   garner_pci       the PCI function: probe, vectors, power
 *
 * Locks, in the order in which they are taken: ring->mutex (completions and resets, sleeps), the
 * lock of garner_rsa_jobs, ring->lock. Neither spinlock is held when a request is completed.
 */
#ifndef GARNER_H
#define GARNER_H

#include <linux/debugfs.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <garner_regs.h>
#include <garner_rsa.h>

/* Places of either ring, and jobs under way at most. */
#define GARNER_DEPTH_LOG2 6
#define GARNER_DEPTH BIT(GARNER_DEPTH_LOG2)

/* Beside the status codes of the hardware: the board was reset or is gone. */
#define GARNER_JOB_LOST (-1)

#define GARNER_FIELD(value, name) (((value) & name##_MASK) >> name##_SHIFT)
#define GARNER_PUT(value, name) (((u32)(value) << name##_SHIFT) & name##_MASK)

/* What the capability registers say. */
struct garner_capability {
	u32 cores;
	u32 key_slots;
	u32 max_bits;
	u32 operand_bytes;
};

/* A job under way, in memory of who submits it until done() is called: once, in a process. */
struct garner_job {
	/* status: GARNER_JOB_LOST or the hardware's; result: valid if OK, during the call */
	void (*done)(struct garner_job *job, int status, const u8 *result, u32 cycles);
};

/* What is at a place of the submission ring. */
struct garner_place {
	struct garner_job *job; /* none: the place is free */
	u16 index;		/* of the descriptor */
	unsigned long number;	/* how many jobs were submitted before it */
	unsigned long since;	/* in jiffies: see garner_ring_renew() */
};

struct garner_ring_counters {
	u64 jobs, failed, lost, resets, found_without_interrupt, cycles;
};

struct garner_ring;

/* Whose jobs are in a ring. */
struct garner_ring_user {
	/* There is room again, or none will be: in process context, without locks. */
	void (*changed)(void);
	/* Returns when nobody is still putting jobs in who saw room before. Under ring->mutex. */
	void (*settle)(void);
	/* The board was reset and holds nothing; nothing is under way. Under ring->mutex. */
	void (*erased)(struct garner_ring *ring);
};

struct garner_ring {
	struct pci_dev *pdev;
	u8 __iomem *registers;
	struct garner_capability capability;

	/* Memory of the board: descriptors, completions, operands and results of each place */
	void *memory;
	dma_addr_t address;
	size_t bytes, operands, place, completions, places;

	/* Who takes completions out or resets the board. */
	struct mutex mutex;

	spinlock_t lock; /* of what follows, in any context */
	struct garner_place under_way[GARNER_DEPTH];
	unsigned int in_use;
	unsigned long submitted;
	u16 tail, told; /* descriptors written, and how many of them the board knows of */
	bool running;	/* jobs may be put in */

	u16 head;	     /* completions taken; under the mutex */
	const char *retired; /* why the board is out of use; under the mutex */
	const char *suspect; /* why it is to be; written once */
	bool error;	     /* the error interrupt came */

	struct work_struct work;
	struct delayed_work watch;
	const struct garner_ring_user *user;
	struct garner_ring_counters counters;
	atomic_long_t interrupts;
};

/* The PCI function. */
struct garner {
	struct garner_ring ring;
	struct dentry *debugfs;
};

/* Completions, and what requests do after theirs. */
extern struct workqueue_struct *garner_workqueue;

int garner_ring_init(struct garner_ring *ring, struct pci_dev *pdev, u8 __iomem *registers,
		     const struct garner_ring_user *user);
int garner_ring_restart(struct garner_ring *ring);
void garner_ring_stop(struct garner_ring *ring);
void garner_ring_exit(struct garner_ring *ring);
void garner_ring_show(struct garner_ring *ring, struct seq_file *file);
void garner_ring_interrupt(struct garner_ring *ring, bool error);
void garner_ring_retire(struct garner_ring *ring, const char *why);
unsigned int garner_ring_room(struct garner_ring *ring);
u8 *garner_ring_operands(struct garner_ring *ring);
void garner_ring_put(struct garner_ring *ring, struct garner_job *job, u32 word0, u32 word1,
		     u32 operand_bytes, u32 result_bytes);
void garner_ring_doorbell(struct garner_ring *ring);

extern const struct garner_ring_user garner_rsa_ring_user;
int garner_rsa_attach(struct garner_ring *ring);
void garner_rsa_detach(struct garner_ring *ring);
void garner_rsa_prepare(struct dentry *debugfs);
int garner_rsa_register(void);
void garner_rsa_unregister(void);

#endif
