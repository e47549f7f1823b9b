/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The driver's parts and what they know of each other.
 *
 *   garner_rsa       akcipher "rsa": requests, checks, software where the board does not serve
 *   garner_rsa_jobs  its jobs on the board
 *   garner_rsa_slots the board's key slots
 *   garner_rsa_key   keys as the board takes them
 *   garner_aes       skcipher "cbc(aes)": requests, software where the board does not serve
 *   garner_aes_engine its two engines: which ring serves each
 *   garner_aes_jobs  its jobs on these engines
 *   garner_aes_slots the key slots of these engines
 *   garner_ring      descriptors in, completions out; knows nothing of what jobs carry
 *   garner_recovery  interrupts, time-outs, resets
 *   garner_pci       the PCI function: probe, vectors, power
 *
 * Locks, in the order in which they are taken: board->mutex (completions and resets, sleeps), the
 * lock of garner_rsa_jobs or of an AES engine, ring->lock. No spinlock is held when
 * a request is completed.
 */
#ifndef GARNER_H
#define GARNER_H

#include <linux/debugfs.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <garner_board.h>
#include <garner_regs.h>
#include <garner_ring.h>

/* Places of either ring, and jobs under way at most. */
#define GARNER_DEPTH_LOG2 6
#define GARNER_DEPTH BIT(GARNER_DEPTH_LOG2)

/* Beside the status codes of the hardware: the board was reset or is gone. */
#define GARNER_JOB_LOST (-1)

#define GARNER_FIELD(value, name) (((value) & name##_MASK) >> name##_SHIFT)
#define GARNER_PUT(value, name) (((u32)(value) << name##_SHIFT) & name##_MASK)
/* The highest value that a field holds. */
#define GARNER_MOST(name) (name##_MASK >> name##_SHIFT)

/* What the capability registers say. */
struct garner_capability {
	u32 cores;
	u32 key_slots;
	u32 max_bits;
	u32 r_step;
	u32 operand_bytes;
};

/*
 * A job under way, in memory of who submits it until done() is called, in a process: once for each
 * time that it was put in.
 */
struct garner_job {
	/* part: as it was put in; status: GARNER_JOB_LOST or the hardware's; result: valid if OK,
	 * during the call
	 */
	void (*done)(struct garner_job *job, u32 part, int status, const u8 *result, u32 cycles);
};

/* What is at a place of the submission ring. */
struct garner_place {
	struct garner_job *job; /* none: the place is free */
	u32 part;		/* of the job: its user's */
	u16 index;		/* of the descriptor */
	unsigned long number;	/* how many jobs were submitted before it */
	unsigned long since;	/* in jiffies: see garner_ring_renew() */
};

struct garner_ring_counters {
	u64 jobs, failed, lost, found_without_interrupt, cycles;
};

struct garner_ring;

/* Whose jobs are in a ring. */
struct garner_ring_user {
	const char *name;
	/* Whether the capability registers tell of an engine for this user; sets operand_room and
	 * result_room.
	 */
	bool (*fits)(struct garner_ring *ring);
	/* Gives requests to this ring, which runs, from now on; -EBUSY if another has them. */
	int (*attach)(struct garner_ring *ring);
	/* Gives them to software from now on, those that wait too; the ring is stopped. */
	void (*detach)(struct garner_ring *ring);
	/* There is room again, or none will be: in process context, without locks. */
	void (*changed)(struct garner_ring *ring);
	/* Returns when nobody is still putting jobs in who saw room before. Under board->mutex. */
	void (*settle)(struct garner_ring *ring);
	/* The board was reset and holds nothing; nothing is under way. Under board->mutex. */
	void (*erased)(struct garner_ring *ring);
};

/* An engine of the board: its page of registers and its rings. */
struct garner_ring {
	struct garner_board *board;
	u8 __iomem *registers;
	struct garner_capability capability;

	/* Memory of the board: descriptors, completions, operands and results of each place */
	void *memory;
	dma_addr_t address;
	size_t operand_room, result_room; /* of a place; none for results: they replace operands */
	size_t bytes, results, place, completions, places;

	spinlock_t lock; /* of what follows, in any context */
	struct garner_place under_way[GARNER_DEPTH];
	unsigned int in_use;
	unsigned long submitted;
	u16 tail, told; /* descriptors written, and how many of them the board knows of */
	bool running;	/* jobs may be put in */

	u16 head;		/* completions taken; under the mutex */
	unsigned int hangs;	/* since its last job that ended; under the mutex */
	unsigned long pending;	/* bit 0: an interrupt came that was not looked at yet */

	const struct garner_ring_user *user;
	bool serves; /* has its user's requests, or will when the board is resumed; of garner_pci */
	struct garner_ring_counters counters;
	atomic_long_t interrupts;
};

/* The PCI function. */
struct garner_board {
	struct pci_dev *pdev;
	struct garner_ring rings[GARNER_BOARD_ENGINES];
	unsigned int engines; /* RSA alone, or all */

	/* Who takes completions out or resets the board. */
	struct mutex mutex;
	const char *retired; /* why the board is out of use; under the mutex */
	const char *suspect; /* why it is to be; written once */
	bool stopped;	     /* its registers are not to be touched; under the mutex */
	u64 resets;

	struct work_struct work;
	struct delayed_work watch;
	struct dentry *debugfs;
};

#define garner_for_each_ring(ring, board) \
	for ((ring) = (board)->rings; (ring) < (board)->rings + (board)->engines; (ring)++)

/* Completions and resets, on which dm-crypt may wait for memory: nothing here allocates any. */
extern struct workqueue_struct *garner_workqueue;
/* What requests of RSA do after their completions. */
extern struct workqueue_struct *garner_software;

/* A slot that refuses so often in a row to be emptied puts its board out of use. */
#define GARNER_WIPES 3
#define GARNER_NOT_WIPED "a key slot cannot be emptied"

int garner_board_init(struct garner_board *board, u8 __iomem *registers);
int garner_board_restart(struct garner_board *board);
void garner_board_stop(struct garner_board *board);
void garner_board_exit(struct garner_board *board);
void garner_board_show(struct garner_board *board, struct seq_file *file);
void garner_board_retire(struct garner_board *board, const char *why);

void garner_ring_interrupt(struct garner_ring *ring);
unsigned int garner_ring_room(struct garner_ring *ring);
u8 *garner_ring_operands(struct garner_ring *ring, dma_addr_t *at);
void garner_ring_put(struct garner_ring *ring, struct garner_job *job, u32 part,
		     const void *descriptor);
void garner_ring_doorbell(struct garner_ring *ring);

extern const struct garner_ring_user garner_rsa_ring_user;
void garner_rsa_prepare(struct dentry *debugfs);
int garner_rsa_register(void);
void garner_rsa_unregister(void);

extern const struct garner_ring_user *const garner_aes_ring_users[2];
void garner_aes_prepare(struct dentry *debugfs);
int garner_aes_register(void);
void garner_aes_unregister(void);

#endif
