// SPDX-License-Identifier: GPL-2.0
/*
 * The key slots of the board: which key is where.
 *
 * A key rests in a slot until it is dropped or the slot is needed: of the slots without jobs under
 * way the one goes that was not used for longest. What was in it is wiped before another key comes,
 * and soon after its key was dropped.
 *
 * Called by garner_rsa_jobs, under its lock; puts jobs into the ring.
 */
#include "garner.h"
#include "rsa.h"

static void garner_slot_loaded(struct garner_job *job, u32 part, int status, const u8 *result,
			       u32 cycles)
{
	struct garner_slot *slot = container_of(job, struct garner_slot, load);

	spin_lock_bh(&garner_rsa.lock);
	slot->users--;
	slot->loaded = status == GARNER_STATUS_OK;
	if (slot->loaded)
		garner_rsa.counters.keys_loaded++;
	else
		slot->dirty = true;
	spin_unlock_bh(&garner_rsa.lock);
}

static void garner_slot_wiped(struct garner_job *job, u32 part, int status, const u8 *result,
			      u32 cycles)
{
	struct garner_slot *slot = container_of(job, struct garner_slot, wipe);

	spin_lock_bh(&garner_rsa.lock);
	slot->users--;
	if (status == GARNER_STATUS_OK) {
		garner_rsa.counters.slots_wiped++;
		slot->refused = 0;
	} else {
		slot->dirty = true;
		if (status != GARNER_JOB_LOST && ++slot->refused == GARNER_WIPES && garner_rsa.ring)
			garner_board_retire(garner_rsa.ring->board, GARNER_NOT_WIPED);
	}
	spin_unlock_bh(&garner_rsa.lock);
}

/**
 * garner_slot_word0() - the first word of a descriptor
 * @slot: of the key
 * @operation: of garner_rsa.h
 * @scheme: of an exponentiation; else 0
 */
u32 garner_slot_word0(struct garner_slot *slot, u32 operation, u32 scheme)
{
	return GARNER_PUT(operation, GARNER_RSA_DESCRIPTOR_OP) |
	       GARNER_PUT(scheme, GARNER_RSA_DESCRIPTOR_SCHEME) |
	       GARNER_PUT(slot - garner_rsa.slots, GARNER_RSA_DESCRIPTOR_SLOT);
}

static void garner_slot_wipe(struct garner_ring *ring, struct garner_slot *slot)
{
	slot->key = NULL;
	slot->loaded = false;
	slot->dirty = false;
	slot->users++;
	slot->wipe.done = garner_slot_wiped;
	garner_rsa_put(ring, &slot->wipe, garner_slot_word0(slot, GARNER_RSA_OP_ZEROISE, 0), 0, 0,
		       0);
}

static void garner_slot_load(struct garner_ring *ring, struct garner_slot *slot,
			     struct garner_rsa_key *key)
{
	u32 operation = key->private ? GARNER_RSA_OP_LOAD_KEY : GARNER_RSA_OP_LOAD_MODULUS;

	slot->key = key;
	slot->loaded = false;
	slot->users++;
	slot->load.done = garner_slot_loaded;
	memcpy(garner_ring_operands(ring, NULL), key->operands, key->operand_bytes);
	garner_rsa_put(ring, &slot->load, garner_slot_word0(slot, operation, 0),
		       GARNER_PUT(key->bits, GARNER_RSA_DESCRIPTOR_BITS), key->operand_bytes, 0);
}

/**
 * garner_slots_find() - the slot of a key, which is loaded if it is nowhere
 * @ring: with room for two jobs
 * @key: that the board takes
 *
 * Return: the slot; NULL if jobs of other keys are under way in all of them.
 */
struct garner_slot *garner_slots_find(struct garner_ring *ring, struct garner_rsa_key *key)
{
	struct garner_slot *slot, *best = NULL;

	for (slot = garner_rsa.slots; slot < garner_rsa.slots + garner_rsa.slot_count; slot++) {
		if (slot->key == key && !slot->dirty)
			return slot;
		/* A free one, or else the one that was not used for longest. */
		if (!slot->users &&
		    (!best || (best->key && (!slot->key || (long)(slot->used - best->used) < 0))))
			best = slot;
	}
	if (!best)
		return NULL;
	if (best->key || best->dirty)
		garner_slot_wipe(ring, best);
	garner_slot_load(ring, best, key);
	return best;
}

/**
 * garner_slots_sweep() - wipes slots in which something of a dropped key may be, while there is
 * room
 * @ring: the board's
 */
void garner_slots_sweep(struct garner_ring *ring)
{
	struct garner_slot *slot;

	for (slot = garner_rsa.slots; slot < garner_rsa.slots + garner_rsa.slot_count; slot++)
		if (slot->dirty && !slot->users && garner_ring_room(ring))
			garner_slot_wipe(ring, slot);
}

/**
 * garner_slots_forget() - nobody uses a key any more: its slots are to be wiped
 * @key: which is freed soon
 */
void garner_slots_forget(struct garner_rsa_key *key)
{
	struct garner_slot *slot;

	for (slot = garner_rsa.slots; slot < garner_rsa.slots + garner_rsa.slot_count; slot++) {
		if (slot->key == key) {
			slot->key = NULL;
			slot->dirty = true;
		}
	}
}

/**
 * garner_slots_erased() - the board was reset: nothing is in any slot, and no job is under way
 */
void garner_slots_erased(void)
{
	struct garner_slot *slot;

	for (slot = garner_rsa.slots; slot < garner_rsa.slots + garner_rsa.slot_count; slot++) {
		WARN_ON(slot->users);
		slot->key = NULL;
		slot->loaded = false;
		slot->dirty = false;
	}
}
