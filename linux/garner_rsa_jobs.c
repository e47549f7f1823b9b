// SPDX-License-Identifier: GPL-2.0
/*
 * RSA's jobs on the board: which requests go into the ring when.
 *
 *   queue -> pump -> [wipe] [load] operation, in the ring -> done -> the work of garner_rsa
 *
 * Called by garner_rsa with requests and by the ring; calls garner_rsa_slots and the ring.
 */
#include <crypto/algapi.h>
#include <linux/module.h>

#include "garner.h"
#include "rsa.h"

/* Of one request: wiping a slot, loading the key, the operation. */
#define GARNER_RSA_JOBS 3

static unsigned int queue_length = 128;
module_param(queue_length, uint, 0444);
MODULE_PARM_DESC(queue_length, "Requests that wait for the ring; software does others, or they are kept back");

struct garner_rsa garner_rsa;

static void garner_rsa_finish_later(struct garner_rsa_request *request, int status)
{
	request->status = status;
	INIT_WORK(&request->work, garner_rsa_finish);
	/* Not on garner_workqueue: software allocates memory, which may wait for dm-crypt */
	queue_work(garner_software, &request->work);
}

/* The job of a request has ended. */
static void garner_rsa_done(struct garner_job *job, u32 part, int status, const u8 *result,
			    u32 cycles)
{
	struct garner_rsa_request *request = container_of(job, struct garner_rsa_request, job);

	if (status == GARNER_STATUS_OK && !READ_ONCE(request->slot->loaded))
		status = GARNER_RSA_NOT_DONE; /* it was done with the key before */
	if (status == GARNER_STATUS_OK)
		garner_reverse(request->result, result, request->bytes);
	spin_lock_bh(&garner_rsa.lock);
	request->slot->users--;
	switch (status) {
	case GARNER_STATUS_OK:
		if (request->private)
			garner_rsa.counters.private++;
		else
			garner_rsa.counters.public++;
		break;
	case GARNER_JOB_LOST:
		garner_rsa.counters.lost++;
		break;
	case GARNER_STATUS_BAD_OPERAND:
		garner_rsa.counters.refused++; /* the request's fault, as software will say */
		break;
	case GARNER_STATUS_CHECK_FAILED:
		garner_rsa.counters.checks_failed++;
		fallthrough;
	default:
		garner_rsa.counters.refused += status != GARNER_STATUS_CHECK_FAILED;
		request->slot->dirty = true; /* what is in the slot is not relied upon any more */
	}
	spin_unlock_bh(&garner_rsa.lock);
	garner_rsa_finish_later(request, status);
}

/**
 * garner_rsa_put() - puts a job into the ring, whose operands are in place
 * @ring: with room
 * @job: whose done() is called when it has ended
 * @word0: of the descriptor
 * @word1: of the descriptor
 * @operand_bytes: a multiple of 4
 * @result_bytes: as the operation says
 */
void garner_rsa_put(struct garner_ring *ring, struct garner_job *job, u32 word0, u32 word1,
		    u32 operand_bytes, u32 result_bytes)
{
	struct garner_rsa_descriptor descriptor = {
		.word0 = cpu_to_le32(word0),
		.word1 = cpu_to_le32(word1),
		.operand_bytes = cpu_to_le32(operand_bytes),
		.result_bytes = cpu_to_le32(result_bytes),
	};
	dma_addr_t at;

	garner_ring_operands(ring, &at);
	descriptor.operand_address = cpu_to_le64(operand_bytes ? at : 0);
	descriptor.result_address = cpu_to_le64(result_bytes ? at + ring->results : 0);
	garner_ring_put(ring, job, 0, &descriptor);
}

static void garner_rsa_put_request(struct garner_ring *ring, struct garner_rsa_request *request,
				   struct garner_rsa_key *key)
{
	u32 bytes = key->bits / 8, operand_bytes = bytes, word0, word1 = 0;
	u8 *operands = garner_ring_operands(ring, NULL);

	request->slot->users++;
	request->slot->used = garner_rsa.operations++;
	request->job.done = garner_rsa_done;
	garner_reverse(operands, request->value, bytes);
	if (request->private) {
		word0 = garner_slot_word0(request->slot, GARNER_RSA_OP_PRIVATE, 0);
	} else {
		__le64 exponent = cpu_to_le64(key->exponent);

		word0 = garner_slot_word0(request->slot, GARNER_RSA_OP_EXPONENTIATE,
					  GARNER_RSA_SCHEME_LEFT_TO_RIGHT);
		word1 = GARNER_PUT(key->exponent_bits, GARNER_RSA_DESCRIPTOR_EXPONENT_BITS);
		memcpy(operands + bytes, &exponent, sizeof(exponent));
		operand_bytes += DIV_ROUND_UP(key->exponent_bits, 32) * 4;
	}
	garner_rsa_put(ring, &request->job, word0, word1, operand_bytes, bytes);
}

/* Takes the next request from the queue; false if there is none, or no room in the ring. */
static bool garner_rsa_pump_one(struct garner_ring *ring)
{
	struct garner_rsa_request *request;
	struct crypto_async_request *next;
	struct akcipher_request *req;
	struct garner_rsa_key *key;

	if (ring && READ_ONCE(ring->board->retired))
		ring = NULL;
	if (ring && garner_ring_room(ring) < GARNER_RSA_JOBS)
		return false;
	next = crypto_dequeue_request(&garner_rsa.queue);
	if (!next)
		return false;
	req = container_of(next, struct akcipher_request, base);
	request = akcipher_request_ctx(req);
	key = garner_rsa_tfm(req)->key;
	request->slot = NULL;
	/* It may have come while another board served, which took longer ones */
	if (ring && key && key->bits == 8 * request->bytes &&
	    key->bits <= ring->capability.max_bits)
		request->slot = garner_slots_find(ring, key);
	if (request->slot) {
		garner_rsa_put_request(ring, request, key);
	} else {
		garner_rsa.counters.no_slot += !!ring;
		garner_rsa_finish_later(request, GARNER_RSA_NOT_DONE);
	}
	return true;
}

/* A request that was kept back is in the queue now. */
static void garner_rsa_goes_on(struct crypto_async_request *kept_back)
{
	struct akcipher_request *req = container_of(kept_back, struct akcipher_request, base);

	local_bh_disable();
	akcipher_request_complete(req, -EINPROGRESS);
	local_bh_enable();
}

/*
 * Moves requests from the queue while that is possible. One caller at a time does so, or a request
 * that was kept back could end before its caller was told that it is in the queue now.
 */
static void garner_rsa_pump(void)
{
	spin_lock_bh(&garner_rsa.lock);
	garner_rsa.pump_again = true;
	if (garner_rsa.pumping) {
		spin_unlock_bh(&garner_rsa.lock);
		return;
	}
	garner_rsa.pumping = true;
	while (garner_rsa.pump_again) {
		struct crypto_async_request *kept_back = crypto_get_backlog(&garner_rsa.queue);

		garner_rsa.pump_again = garner_rsa_pump_one(garner_rsa.ring);
		if (garner_rsa.pump_again && kept_back) {
			spin_unlock_bh(&garner_rsa.lock);
			garner_rsa_goes_on(kept_back);
			spin_lock_bh(&garner_rsa.lock);
		}
		if (!garner_rsa.pump_again && garner_rsa.ring) {
			garner_slots_sweep(garner_rsa.ring);
			garner_ring_doorbell(garner_rsa.ring);
		}
	}
	garner_rsa.pumping = false;
	spin_unlock_bh(&garner_rsa.lock);
}

/**
 * garner_rsa_enqueue() - takes a request in whose value is filled in
 * @req: whose key a board takes
 *
 * Return: -EINPROGRESS, or -EBUSY if it is kept back until there is room in the queue; -ENOSPC if
 * there is none and its caller does not want to wait; -ENODEV if no board serves.
 */
int garner_rsa_enqueue(struct akcipher_request *req)
{
	int err;

	spin_lock_bh(&garner_rsa.lock);
	err = garner_rsa.ring ? crypto_enqueue_request(&garner_rsa.queue, &req->base) : -ENODEV;
	spin_unlock_bh(&garner_rsa.lock);
	if (err == -EINPROGRESS || err == -EBUSY)
		garner_rsa_pump();
	return err;
}

/**
 * garner_rsa_max_bits() - the longest modulus that the board takes, or took that served last; 0 if
 * there was none
 */
u32 garner_rsa_max_bits(void)
{
	return READ_ONCE(garner_rsa.max_bits);
}

/**
 * garner_rsa_share() - makes a key known
 * @key: a new one; it may be freed
 *
 * Return: the key to be used in its place, until garner_rsa_forget().
 */
struct garner_rsa_key *garner_rsa_share(struct garner_rsa_key *key)
{
	struct garner_rsa_key *shared;

	spin_lock_bh(&garner_rsa.lock);
	shared = garner_rsa_key_share(&garner_rsa.keys, key);
	spin_unlock_bh(&garner_rsa.lock);
	if (shared != key)
		garner_rsa_key_free(key);
	return shared;
}

/**
 * garner_rsa_forget() - one who used a key uses it no more; after the last one it is wiped, on the
 * board too
 * @key: of garner_rsa_share()
 */
void garner_rsa_forget(struct garner_rsa_key *key)
{
	spin_lock_bh(&garner_rsa.lock);
	if (--key->users) {
		spin_unlock_bh(&garner_rsa.lock);
		return;
	}
	list_del(&key->list);
	garner_slots_forget(key);
	spin_unlock_bh(&garner_rsa.lock);
	garner_rsa_key_free(key);
	garner_rsa_pump();
}

/**
 * garner_rsa_was_wrong() - a result of the board's was wrong though its core found it right: the
 * board is retired
 */
void garner_rsa_was_wrong(void)
{
	spin_lock_bh(&garner_rsa.lock);
	garner_rsa.counters.wrong++;
	/* Whose result it was matters little: it is the one that serves, or it is gone. */
	if (garner_rsa.ring)
		garner_board_retire(garner_rsa.ring->board, "a result was wrong");
	spin_unlock_bh(&garner_rsa.lock);
}

/**
 * garner_rsa_by_software() - counts an operation that software does
 */
void garner_rsa_by_software(void)
{
	spin_lock_bh(&garner_rsa.lock);
	garner_rsa.counters.software++;
	spin_unlock_bh(&garner_rsa.lock);
}

/* Jobs are put in under the lock that also covers the look for room. */
static void garner_rsa_settle(struct garner_ring *ring)
{
	spin_lock_bh(&garner_rsa.lock);
	spin_unlock_bh(&garner_rsa.lock);
}

/* The board holds nothing, and nothing is under way. */
static void garner_rsa_erased(struct garner_ring *ring)
{
	spin_lock_bh(&garner_rsa.lock);
	if (ring == garner_rsa.ring)
		garner_slots_erased();
	spin_unlock_bh(&garner_rsa.lock);
}

static void garner_rsa_changed(struct garner_ring *ring)
{
	garner_rsa_pump();
}

/* A key is n, of max_bits, five numbers of half as many, and 32 bits of e. */
static bool garner_rsa_fits(struct garner_ring *ring)
{
	struct garner_capability *capability = &ring->capability;

	ring->operand_room = capability->operand_bytes;
	ring->result_room = capability->max_bits / 8;
	return capability->max_bits && capability->max_bits <= GARNER_RSA_MAX_BITS &&
	       capability->operand_bytes * 16 >= 7 * capability->max_bits + 64;
}

static int garner_rsa_attach(struct garner_ring *ring)
{
	int err = -EBUSY;

	spin_lock_bh(&garner_rsa.lock);
	if (!garner_rsa.ring) {
		garner_rsa.ring = ring;
		garner_rsa.slot_count = min_t(u32, ring->capability.key_slots, GARNER_RSA_SLOTS);
		WRITE_ONCE(garner_rsa.max_bits, ring->capability.max_bits);
		memset(garner_rsa.slots, 0, sizeof(garner_rsa.slots));
		err = 0;
	}
	spin_unlock_bh(&garner_rsa.lock);
	return err;
}

static void garner_rsa_detach(struct garner_ring *ring)
{
	spin_lock_bh(&garner_rsa.lock);
	if (garner_rsa.ring == ring) {
		garner_rsa.ring = NULL;
		garner_rsa.slot_count = 0;
	}
	spin_unlock_bh(&garner_rsa.lock);
	garner_rsa_pump();
}

const struct garner_ring_user garner_rsa_ring_user = {
	.name = "rsa",
	.fits = garner_rsa_fits,
	.attach = garner_rsa_attach,
	.detach = garner_rsa_detach,
	.changed = garner_rsa_changed,
	.settle = garner_rsa_settle,
	.erased = garner_rsa_erased,
};

static int garner_rsa_show(struct seq_file *file, void *unused)
{
	spin_lock_bh(&garner_rsa.lock);
	seq_printf(file, "board %s\n",
		   garner_rsa.ring ? pci_name(garner_rsa.ring->board->pdev) : "none");
	seq_printf(file, "private %llu\n", garner_rsa.counters.private);
	seq_printf(file, "public %llu\n", garner_rsa.counters.public);
	seq_printf(file, "software %llu\n", garner_rsa.counters.software);
	seq_printf(file, "keys_loaded %llu\n", garner_rsa.counters.keys_loaded);
	seq_printf(file, "slots_wiped %llu\n", garner_rsa.counters.slots_wiped);
	seq_printf(file, "no_slot %llu\n", garner_rsa.counters.no_slot);
	seq_printf(file, "refused %llu\n", garner_rsa.counters.refused);
	seq_printf(file, "checks_failed %llu\n", garner_rsa.counters.checks_failed);
	seq_printf(file, "wrong %llu\n", garner_rsa.counters.wrong);
	seq_printf(file, "lost %llu\n", garner_rsa.counters.lost);
	spin_unlock_bh(&garner_rsa.lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(garner_rsa);

/**
 * garner_rsa_prepare() - before the first board comes
 * @debugfs: where the counters go
 */
void garner_rsa_prepare(struct dentry *debugfs)
{
	spin_lock_init(&garner_rsa.lock);
	crypto_init_queue(&garner_rsa.queue, max(queue_length, 1U));
	INIT_LIST_HEAD(&garner_rsa.keys);
	debugfs_create_file("rsa", 0444, debugfs, NULL, &garner_rsa_fops);
}
