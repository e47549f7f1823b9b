/* SPDX-License-Identifier: GPL-2.0 */
/* What garner_rsa and garner_rsa_{jobs,key,slots} know of each other; of no interest to others.
 */
#ifndef GARNER_INTERNAL_RSA_H
#define GARNER_INTERNAL_RSA_H

#include <crypto/algapi.h>
#include <crypto/internal/akcipher.h>
#include <linux/list.h>
#include <linux/scatterlist.h>

#include <garner_rsa.h>

#include "garner.h"

#define GARNER_RSA_MAX_BYTES (GARNER_RSA_MAX_BITS / 8)

/*
 * A key as the board takes it: the operands that load it. Transformations with the same key share
 * one, so that it is in one slot whoever uses it.
 */
struct garner_rsa_key {
	struct list_head list;
	unsigned int users;
	bool private; /* has p, q and the rest, for OpPrivate */
	u32 bits;     /* of n */
	u32 exponent_bits;
	u64 exponent; /* the public one */
	u32 operand_bytes;
	u8 operands[]; /* of OpLoadKey, or of OpLoadModulus; secret */
};

struct garner_rsa_tfm {
	struct crypto_akcipher *software;
	struct garner_rsa_key *key; /* NULL: none, or none for a board */
};

struct garner_rsa_request {
	struct garner_job job;
	struct work_struct work;
	struct garner_slot *slot;
	int status;
	unsigned int bytes; /* of n */
	bool private;
	struct scatterlist from, to;
	u8 value[GARNER_RSA_MAX_BYTES]; /* m or the base; the highest byte first, as all three */
	u8 result[GARNER_RSA_MAX_BYTES];
	u8 check[GARNER_RSA_MAX_BYTES];
	struct akcipher_request software; /* the last: its context is behind it */
};

/* Of the status of a request: no slot was free, or there was no board any more. */
#define GARNER_RSA_NOT_DONE (-2)

struct garner_rsa_key *garner_rsa_key_read(const void *key, unsigned int length, bool private);
struct garner_rsa_key *garner_rsa_key_share(struct list_head *keys, struct garner_rsa_key *key);
void garner_rsa_key_free(struct garner_rsa_key *key);

static inline struct akcipher_request *garner_rsa_request(struct garner_rsa_request *request)
{
	return container_of((void *)request, struct akcipher_request, __ctx);
}

static inline struct garner_rsa_tfm *garner_rsa_tfm(struct akcipher_request *req)
{
	return akcipher_tfm_ctx(crypto_akcipher_reqtfm(req));
}

/* As many slots as a descriptor can name. */
#define GARNER_RSA_SLOTS (GARNER_MOST(GARNER_RSA_DESCRIPTOR_SLOT) + 1)

/* A key slot of the board, of all its cores. */
struct garner_slot {
	struct garner_rsa_key *key; /* which is there, or will be when its load has ended */
	bool loaded; /* it is there */
	bool dirty; /* perhaps something is left there of a key that is not wanted any more */
	unsigned int refused; /* wipes, one behind the other */
	unsigned int users; /* jobs under way */
	unsigned long used; /* when, as a number of operations */
	struct garner_job load, wipe;
};

/* What there is one of: the board that serves, and who waits for it. */
struct garner_rsa {
	spinlock_t lock;	  /* of all of this */
	struct garner_ring *ring; /* the board that serves, or NULL */
	struct crypto_queue queue;
	struct list_head keys;
	struct garner_slot slots[GARNER_RSA_SLOTS];
	unsigned int slot_count;
	u32 max_bits;
	unsigned long operations;
	bool pumping, pump_again; /* who does it is to look once more */

	struct {
		u64 private, public, software, keys_loaded, slots_wiped, no_slot, refused,
			checks_failed, wrong, lost;
	} counters;
};

extern struct garner_rsa garner_rsa; /* of garner_rsa_jobs and garner_rsa_slots alone */

u32 garner_slot_word0(struct garner_slot *slot, u32 operation, u32 scheme);
void garner_rsa_put(struct garner_ring *ring, struct garner_job *job, u32 word0, u32 word1,
		    u32 operand_bytes, u32 result_bytes);
struct garner_slot *garner_slots_find(struct garner_ring *ring, struct garner_rsa_key *key);
void garner_slots_sweep(struct garner_ring *ring);
void garner_slots_forget(struct garner_rsa_key *key);
void garner_slots_erased(void);

int garner_rsa_enqueue(struct akcipher_request *req);
u32 garner_rsa_max_bits(void);
struct garner_rsa_key *garner_rsa_share(struct garner_rsa_key *key);
void garner_rsa_forget(struct garner_rsa_key *key);
void garner_rsa_was_wrong(void);
void garner_rsa_by_software(void);
void garner_rsa_finish(struct work_struct *work);

/* Numbers of the kernel's interface have the highest byte first, those of the board the lowest. */
static inline void garner_reverse(u8 *to, const u8 *from, size_t bytes)
{
	while (bytes--)
		*to++ = from[bytes];
}

#endif
