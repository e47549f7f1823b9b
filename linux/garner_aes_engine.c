// SPDX-License-Identifier: GPL-2.0
/*
 * AES's two engines, one that encrypts and one that decrypts: which ring serves each, and counters.
 *
 *   ring -> fits? -> attach ... changed, erased ... detach -> software, until another ring attaches
 *
 * Called by garner_aes and by the ring; calls garner_aes_jobs and garner_aes_slots.
 */
#include <linux/module.h>

#include "aes.h"

static unsigned int aes_queue_length = 128;
module_param(aes_queue_length, uint, 0444);
MODULE_PARM_DESC(aes_queue_length,
		 "Requests that wait for an AES engine; software does others, or they are kept back");

static struct garner_aes_engine garner_aes_engines[2];

/**
 * garner_aes_engine() - the one that encrypts or decrypts
 * @decrypts: which
 */
struct garner_aes_engine *garner_aes_engine(bool decrypts)
{
	return &garner_aes_engines[decrypts];
}

static struct garner_aes_engine *garner_aes_engine_of(struct garner_ring *ring)
{
	return container_of(ring->user, struct garner_aes_engine, user);
}

/**
 * garner_aes_forget() - nobody uses a key any more: it is overwritten on the board
 * @key_id: the key's
 */
void garner_aes_forget(u64 key_id)
{
	struct garner_aes_engine *engine;

	for (engine = garner_aes_engines; engine < garner_aes_engines + 2; engine++) {
		spin_lock_bh(&engine->lock);
		garner_aes_slots_forget(engine, key_id);
		spin_unlock_bh(&engine->lock);
		garner_aes_pump(engine);
	}
}

/**
 * garner_aes_by_software() - counts a request that software ends
 * @engine: which would have done it
 */
void garner_aes_by_software(struct garner_aes_engine *engine)
{
	spin_lock_bh(&engine->lock);
	engine->counters.software++;
	spin_unlock_bh(&engine->lock);
}

static bool garner_aes_fits(struct garner_ring *ring)
{
	unsigned int key_bytes = garner_aes_key_bytes(ring);

	ring->operand_room = GARNER_AES_CHUNK;
	ring->result_room = 0;
	return !ring->capability.max_bits &&
	       (key_bytes == AES_KEYSIZE_128 || key_bytes == AES_KEYSIZE_192 ||
		key_bytes == AES_KEYSIZE_256) &&
	       ring->capability.r_step == garner_aes_engine_of(ring)->decrypts;
}

static void garner_aes_changed(struct garner_ring *ring)
{
	garner_aes_pump(garner_aes_engine_of(ring));
}

/* Jobs are put in under the lock that also covers the look for room. */
static void garner_aes_settle(struct garner_ring *ring)
{
	struct garner_aes_engine *engine = garner_aes_engine_of(ring);

	spin_lock_bh(&engine->lock);
	spin_unlock_bh(&engine->lock);
}

static void garner_aes_erased(struct garner_ring *ring)
{
	struct garner_aes_engine *engine = garner_aes_engine_of(ring);

	spin_lock_bh(&engine->lock);
	if (ring == engine->ring)
		garner_aes_slots_erased(engine);
	spin_unlock_bh(&engine->lock);
}

static int garner_aes_attach(struct garner_ring *ring)
{
	struct garner_aes_engine *engine = garner_aes_engine_of(ring);
	int err = -EBUSY;

	spin_lock_bh(&engine->lock);
	if (!engine->ring) {
		engine->ring = ring;
		engine->slot_count = min_t(u32, ring->capability.key_slots, GARNER_AES_SLOTS);
		engine->message_count =
			min_t(u32, ring->capability.cores,
			      GARNER_MOST(GARNER_AES_DESCRIPTOR_MESSAGE) + 1);
		engine->messages = GENMASK(engine->message_count - 1, 0);
		engine->last_message = 0;
		memset(engine->slots, 0, sizeof(engine->slots));
		err = 0;
	}
	spin_unlock_bh(&engine->lock);
	return err;
}

static void garner_aes_detach(struct garner_ring *ring)
{
	struct garner_aes_engine *engine = garner_aes_engine_of(ring);
	struct garner_aes_request *request, *next;

	spin_lock_bh(&engine->lock);
	if (engine->ring == ring) {
		engine->ring = NULL;
		engine->slot_count = 0;
		list_for_each_entry_safe(request, next, &engine->going_on, list)
			garner_aes_fail(request);
		engine->messages = 0;
	}
	spin_unlock_bh(&engine->lock);
	garner_aes_pump(engine);
}

static struct garner_aes_engine garner_aes_engines[2] = {
	{
		.user = {
			.name = "aes_encryption",
			.fits = garner_aes_fits,
			.attach = garner_aes_attach,
			.detach = garner_aes_detach,
			.changed = garner_aes_changed,
			.settle = garner_aes_settle,
			.erased = garner_aes_erased,
		},
		.lock = __SPIN_LOCK_UNLOCKED(garner_aes_engines[0].lock),
	},
	{
		.user = {
			.name = "aes_decryption",
			.fits = garner_aes_fits,
			.attach = garner_aes_attach,
			.detach = garner_aes_detach,
			.changed = garner_aes_changed,
			.settle = garner_aes_settle,
			.erased = garner_aes_erased,
		},
		.decrypts = true,
		.lock = __SPIN_LOCK_UNLOCKED(garner_aes_engines[1].lock),
	},
};

const struct garner_ring_user *const garner_aes_ring_users[2] = {
	&garner_aes_engines[0].user,
	&garner_aes_engines[1].user,
};

static int garner_aes_show(struct seq_file *file, void *unused)
{
	struct garner_aes_engine *engine;

	for (engine = garner_aes_engines; engine < garner_aes_engines + 2; engine++) {
		const char *name = engine->decrypts ? "decryption" : "encryption";

		spin_lock_bh(&engine->lock);
		seq_printf(file, "%s_key_bits %u\n", name,
			   engine->ring ? 8 * garner_aes_key_bytes(engine->ring) : 0);
		seq_printf(file, "%s_requests %llu\n", name, engine->counters.requests);
		seq_printf(file, "%s_bytes %llu\n", name, engine->counters.bytes);
		seq_printf(file, "%s_software %llu\n", name, engine->counters.software);
		seq_printf(file, "%s_keys_loaded %llu\n", name, engine->counters.keys_loaded);
		seq_printf(file, "%s_slots_wiped %llu\n", name, engine->counters.slots_wiped);
		seq_printf(file, "%s_refused %llu\n", name, engine->counters.refused);
		seq_printf(file, "%s_lost %llu\n", name, engine->counters.lost);
		spin_unlock_bh(&engine->lock);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(garner_aes);

/**
 * garner_aes_prepare() - before the first board comes
 * @debugfs: where the counters go
 */
void garner_aes_prepare(struct dentry *debugfs)
{
	struct garner_aes_engine *engine;

	for (engine = garner_aes_engines; engine < garner_aes_engines + 2; engine++) {
		crypto_init_queue(&engine->queue, max(aes_queue_length, 1U));
		INIT_LIST_HEAD(&engine->going_on);
	}
	debugfs_create_file("aes", 0444, debugfs, NULL, &garner_aes_fops);
}
