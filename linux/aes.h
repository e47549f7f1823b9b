/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the driver for AES know of each other; of no interest to others. */
#ifndef GARNER_INTERNAL_AES_H
#define GARNER_INTERNAL_AES_H

#include <crypto/aes.h>
#include <crypto/internal/skcipher.h>
#include <linux/list.h>

#include <garner_aes.h>

#include "garner.h"

/* What goes to the board in one piece: a place of the ring. */
#define GARNER_AES_CHUNK 8192
/* Slots of an engine that are used, at most. */
#define GARNER_AES_SLOTS 16

struct garner_aes_tfm {
	struct crypto_skcipher *software;
	u64 key_id; /* unlike any other key's; 0: none */
	unsigned int key_length;
	u8 key[GARNER_AES_LONG_KEY_BYTES];
};

/* A key slot of an engine. */
struct garner_aes_slot {
	struct garner_aes_engine *engine;
	u64 key_id;	    /* which is there, or will be when its load has ended; 0: none */
	bool loaded;	    /* it is there */
	bool dirty;	    /* perhaps something is left of a key that is not wanted any more */
	unsigned int refused; /* wipes, one behind the other */
	unsigned int users; /* jobs under way */
	unsigned long used; /* when, as a number of operations */
	struct garner_job load;
};

struct garner_aes_request {
	struct garner_job job; /* of each of its chunks */
	struct list_head list; /* of those that are to go on; empty: it is not one of them */
	struct work_struct work;
	struct garner_aes_engine *engine;
	struct garner_aes_slot *slot; /* while chunks are under way */
	unsigned int message;	      /* of the engine, while it is to go on */
	unsigned int put, offset;     /* bytes given to the board, and of these done */
	unsigned int under_way;	      /* chunks */
	bool failed;		      /* software is to do the rest */
	struct scatterlist from[2], to[2];
	struct skcipher_request software; /* the last: its context is behind it */
};

/* An engine of the board that serves, or of none, and who waits for it. */
struct garner_aes_engine {
	struct garner_ring_user user;
	bool decrypts;
	spinlock_t lock; /* of what follows */
	struct garner_ring *ring;
	struct crypto_queue queue;
	struct list_head going_on; /* requests of which a part is yet to be put into the ring */
	unsigned long messages;	   /* of the engine that none of these has, a bit each */
	unsigned int message_count, last_message;
	struct garner_aes_slot slots[GARNER_AES_SLOTS];
	unsigned int slot_count;
	unsigned long operations;
	bool pumping, pump_again; /* who does it is to look once more */

	struct {
		u64 requests, bytes, software, keys_loaded, slots_wiped, refused, lost;
	} counters;
};

static inline struct skcipher_request *garner_aes_request(struct garner_aes_request *request)
{
	return container_of((void *)request, struct skcipher_request, __ctx);
}

static inline struct garner_aes_tfm *garner_aes_tfm(struct skcipher_request *req)
{
	return crypto_skcipher_ctx(crypto_skcipher_reqtfm(req));
}

/* Bytes of the keys that an engine of AES was built for. */
static inline unsigned int garner_aes_key_bytes(const struct garner_ring *ring)
{
	return GARNER_AES_KEY_BYTES + ring->capability.operand_bytes;
}

struct garner_aes_engine *garner_aes_engine(bool decrypts);
void garner_aes_forget(u64 key_id);
void garner_aes_by_software(struct garner_aes_engine *engine);

int garner_aes_enqueue(struct garner_aes_engine *engine, struct skcipher_request *req);
void garner_aes_fail(struct garner_aes_request *request);
void garner_aes_pump(struct garner_aes_engine *engine);

void garner_aes_finish(struct work_struct *work);

struct garner_aes_slot *garner_aes_slots_find(struct garner_aes_engine *engine,
					      struct garner_aes_tfm *tfm);
void garner_aes_slots_sweep(struct garner_aes_engine *engine);
void garner_aes_slots_forget(struct garner_aes_engine *engine, u64 key_id);
void garner_aes_slots_erased(struct garner_aes_engine *engine);

#endif
