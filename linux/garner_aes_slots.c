// SPDX-License-Identifier: GPL-2.0
/*
 * The key slots of an AES engine: which key is where.
 *
 * A key rests in a slot until it is dropped or the slot is needed: of the slots without jobs under
 * way the one goes that was not used for longest. There is no job that empties a slot: one whose
 * key was dropped is overwritten with zeros.
 *
 * Called by garner_aes_jobs, under the engine's lock; puts jobs into the ring.
 */
#include "aes.h"

static void garner_aes_key_loaded(struct garner_job *job, u32 part, int status, const u8 *result,
				  u32 cycles)
{
	struct garner_aes_slot *slot = container_of(job, struct garner_aes_slot, load);
	struct garner_aes_engine *engine = slot->engine;

	spin_lock_bh(&engine->lock);
	slot->users--;
	if (status == GARNER_STATUS_OK) {
		slot->loaded = true;
		slot->refused = 0;
		if (slot->key_id)
			engine->counters.keys_loaded++;
		else
			engine->counters.slots_wiped++;
	} else {
		slot->dirty = true; /* the slot is empty, but the key before it not overwritten */
		if (status != GARNER_JOB_LOST && !slot->key_id &&
		    ++slot->refused == GARNER_WIPES && engine->ring)
			garner_board_retire(engine->ring->board, GARNER_NOT_WIPED);
	}
	spin_unlock_bh(&engine->lock);
}

/* A key, or zeros over one that was dropped. */
static void garner_aes_load(struct garner_aes_engine *engine, struct garner_aes_slot *slot,
			    u64 key_id, const u8 *key)
{
	u32 word0 = GARNER_PUT(1, GARNER_AES_DESCRIPTOR_LOAD_KEY) |
		    GARNER_PUT(slot - engine->slots, GARNER_AES_DESCRIPTOR_SLOT);
	unsigned int key_bytes = garner_aes_key_bytes(engine->ring), length;
	struct garner_aes_descriptor descriptor = {
		.word0 = cpu_to_le32(word0),
	};
	dma_addr_t at;
	u8 *operands = garner_ring_operands(engine->ring, &at);

	length = key_bytes == GARNER_AES_KEY_BYTES ? key_bytes : GARNER_AES_LONG_KEY_BYTES;
	memset(operands, 0, length);
	if (key)
		memcpy(operands, key, key_bytes);
	descriptor.length = cpu_to_le32(length);
	descriptor.source_address = cpu_to_le64(at);
	slot->engine = engine;
	slot->key_id = key_id;
	slot->loaded = false;
	slot->dirty = false;
	slot->users++;
	slot->load.done = garner_aes_key_loaded;
	garner_ring_put(engine->ring, &slot->load, 0, &descriptor);
}

/**
 * garner_aes_slots_find() - the slot of a key, which is loaded if it is nowhere
 * @engine: with room for a job in its ring, locked
 * @tfm: whose key
 *
 * Return: NULL if all slots are in use for others.
 */
struct garner_aes_slot *garner_aes_slots_find(struct garner_aes_engine *engine,
					      struct garner_aes_tfm *tfm)
{
	struct garner_aes_slot *slot, *best = NULL;

	for (slot = engine->slots; slot < engine->slots + engine->slot_count; slot++) {
		if (slot->key_id == tfm->key_id && !slot->dirty)
			return slot;
		if (slot->users || (best && !best->key_id))
			continue;
		/* A free one, or else the one that was not used for longest. */
		if (!best || !slot->key_id || (long)(slot->used - best->used) < 0)
			best = slot;
	}
	if (best)
		garner_aes_load(engine, best, tfm->key_id, tfm->key);
	return best;
}

/**
 * garner_aes_slots_sweep() - overwrites slots in which something of a dropped key may be, while
 * there is room in the ring
 * @engine: locked
 */
void garner_aes_slots_sweep(struct garner_aes_engine *engine)
{
	struct garner_aes_slot *slot;

	for (slot = engine->slots; slot < engine->slots + engine->slot_count; slot++)
		if (slot->dirty && !slot->users && garner_ring_room(engine->ring))
			garner_aes_load(engine, slot, 0, NULL);
}

/**
 * garner_aes_slots_forget() - nobody uses a key any more: its slot is to be overwritten
 * @engine: locked
 * @key_id: the key's
 */
void garner_aes_slots_forget(struct garner_aes_engine *engine, u64 key_id)
{
	struct garner_aes_slot *slot;

	for (slot = engine->slots; slot < engine->slots + engine->slot_count; slot++)
		slot->dirty |= slot->key_id == key_id;
}

/**
 * garner_aes_slots_erased() - the board has erased all slots
 * @engine: locked, without jobs
 */
void garner_aes_slots_erased(struct garner_aes_engine *engine)
{
	struct garner_aes_slot *slot;

	for (slot = engine->slots; slot < engine->slots + engine->slot_count; slot++) {
		WARN_ON(slot->users);
		slot->key_id = 0;
		slot->loaded = false;
		slot->dirty = false;
	}
}
