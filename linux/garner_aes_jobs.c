// SPDX-License-Identifier: GPL-2.0
/*
 * AES's jobs on the board: which parts of which requests go into the rings of the two engines when.
 *
 *   queue -> pump -> [load] chunk, in the ring -> done, and the caller after the last
 *              |              ^
 *              +-> going on --+  as long as there is more of it
 *
 * A request goes chunk by chunk through places of the rings' own: copied out of its scatterlist,
 * whatever its fragments are, and back into it. So no fragment needs an alignment, nothing is
 * mapped, and nothing that a board writes late reaches the memory of a request. Its chunks are
 * fragments of one message of the engine, which carries the chain from each to the next: none
 * waits for the end of another. The message is the request's until its last chunk is in the ring.
 * Requests take turns, so that chunks of several messages lie side by side and fill the engine.
 *
 * With nothing of it under way, a request's next chunk begins a message anew, by the IV of software
 * (a ring that ran dry, a board that was reset). After a chunk that failed, software does the rest.
 *
 * Called by garner_aes with requests and by garner_aes_engine; calls garner_aes_slots and the ring.
 */
#include <crypto/scatterwalk.h>

#include "aes.h"

/* Of one chunk: loading the key, the chunk. */
#define GARNER_AES_JOBS 2

static void garner_aes_finish_later(struct garner_aes_request *request)
{
	INIT_WORK(&request->work, garner_aes_finish);
	queue_work(garner_workqueue, &request->work);
}

static unsigned int garner_aes_chunk(struct skcipher_request *req, unsigned int offset)
{
	return min_t(unsigned int, req->cryptlen - offset, GARNER_AES_CHUNK);
}

/* The oldest chunk that was under way goes to its place, and the IV is that of the next one. */
static void garner_aes_take(struct garner_aes_request *request, const u8 *result)
{
	struct skcipher_request *req = garner_aes_request(request);
	unsigned int chunk = garner_aes_chunk(req, request->offset);

	if (request->engine->decrypts) /* it may be about to be overwritten, in place */
		scatterwalk_map_and_copy(req->iv, req->src,
					 request->offset + chunk - AES_BLOCK_SIZE, AES_BLOCK_SIZE,
					 0);
	else
		memcpy(req->iv, result + chunk - AES_BLOCK_SIZE, AES_BLOCK_SIZE);
	scatterwalk_map_and_copy((void *)result, req->dst, request->offset, chunk, 1);
	request->offset += chunk;
}

/* Nothing more of the request is to be put into the ring; under the lock. */
static void garner_aes_leave(struct garner_aes_request *request)
{
	list_del_init(&request->list);
	request->engine->messages |= BIT(request->message);
}

/**
 * garner_aes_fail() - software does the rest of a request, once nothing of it is under way
 * @request: the request; under the lock
 */
void garner_aes_fail(struct garner_aes_request *request)
{
	if (!list_empty(&request->list))
		garner_aes_leave(request);
	request->failed = true;
	if (!request->under_way)
		garner_aes_finish_later(request);
}

/* A chunk has ended. The ring calls garner_aes_changed() afterwards. */
static void garner_aes_done(struct garner_job *job, u32 offset, int status, const u8 *result,
			    u32 cycles)
{
	struct garner_aes_request *request = container_of(job, struct garner_aes_request, job);
	struct skcipher_request *req = garner_aes_request(request);
	struct garner_aes_engine *engine = request->engine;
	unsigned int chunk = garner_aes_chunk(req, offset);
	bool good = status == GARNER_STATUS_OK, ended;

	if (good) /* or it was done with the key before, or before the chunk in front of it */
		good = READ_ONCE(request->slot->loaded) && offset == request->offset;
	if (good)
		garner_aes_take(request, result);
	spin_lock_bh(&engine->lock);
	request->slot->users--;
	request->under_way--;
	if (good)
		engine->counters.bytes += chunk;
	else if (status == GARNER_JOB_LOST)
		engine->counters.lost++;
	else
		engine->counters.refused++;
	if (!good && status != GARNER_JOB_LOST)
		request->slot->dirty = true; /* it is not relied upon any more */
	ended = good && !request->failed && request->offset == req->cryptlen;
	engine->counters.requests += ended;
	if (!good || request->failed)
		garner_aes_fail(request);
	spin_unlock_bh(&engine->lock);
	if (ended) {
		local_bh_disable();
		skcipher_request_complete(req, 0);
		local_bh_enable();
	}
}

static void garner_aes_put(struct garner_aes_engine *engine, struct garner_aes_request *request)
{
	struct skcipher_request *req = garner_aes_request(request);
	struct garner_aes_slot *slot = request->slot;
	unsigned int chunk = garner_aes_chunk(req, request->put);
	bool first = !request->under_way, last = request->put + chunk == req->cryptlen;
	u32 word0 = GARNER_PUT(first, GARNER_AES_DESCRIPTOR_FIRST) |
		    GARNER_PUT(last, GARNER_AES_DESCRIPTOR_LAST) |
		    GARNER_PUT(request->message, GARNER_AES_DESCRIPTOR_MESSAGE) |
		    GARNER_PUT(slot - engine->slots, GARNER_AES_DESCRIPTOR_SLOT);
	struct garner_aes_descriptor descriptor = {
		.word0 = cpu_to_le32(word0),
		.length = cpu_to_le32(chunk),
	};
	dma_addr_t at;
	u8 *operands = garner_ring_operands(engine->ring, &at);

	scatterwalk_map_and_copy(operands, req->src, request->put, chunk, 0);
	descriptor.source_address = cpu_to_le64(at);
	descriptor.destination_address = cpu_to_le64(at);
	if (first) {
		memcpy(&descriptor.iv_low, req->iv, 8);
		memcpy(&descriptor.iv_high, req->iv + 8, 8);
	}
	slot->users++;
	slot->used = engine->operations++;
	request->job.done = garner_aes_done;
	garner_ring_put(engine->ring, &request->job, request->put, &descriptor);
	request->under_way++;
	request->put += chunk;
	if (last)
		garner_aes_leave(request);
}

/* A request out of the queue, or NULL. *kept_back: whose turn it is to be in the queue. */
static struct garner_aes_request *garner_aes_begin(struct garner_aes_engine *engine,
						   struct crypto_async_request **kept_back)
{
	struct garner_aes_request *request;
	struct crypto_async_request *next;

	*kept_back = crypto_get_backlog(&engine->queue);
	next = crypto_dequeue_request(&engine->queue);
	if (!next)
		return NULL;
	request = skcipher_request_ctx(container_of(next, struct skcipher_request, base));
	if (engine->messages) {
		do
			engine->last_message = (engine->last_message + 1) % engine->message_count;
		while (!(engine->messages & BIT(engine->last_message)));
		request->message = engine->last_message;
		engine->messages &= ~BIT(request->message);
		list_add(&request->list, &engine->going_on);
	}
	return request;
}

/* Whether the board that serves takes a key of this length; under the lock, with a ring. */
static bool garner_aes_takes(struct garner_aes_engine *engine, struct skcipher_request *req)
{
	struct garner_aes_tfm *tfm = garner_aes_tfm(req);

	return tfm->key_id && tfm->key_length == garner_aes_key_bytes(engine->ring);
}

/*
 * Puts in the next chunk; false if there is none, no room in the ring, or no slot. Requests that
 * begin and those that go on take turns.
 */
static bool garner_aes_pump_one(struct garner_aes_engine *engine,
				struct crypto_async_request **kept_back)
{
	struct garner_ring *ring = engine->ring;
	struct garner_aes_request *request = NULL;

	*kept_back = NULL;
	if (ring && READ_ONCE(ring->board->retired))
		ring = NULL;
	if (ring && garner_ring_room(ring) < GARNER_AES_JOBS)
		return false;
	if (!ring || (engine->messages &&
		      (list_empty(&engine->going_on) || engine->operations % 2)))
		request = garner_aes_begin(engine, kept_back);
	if (!request)
		request = list_first_entry_or_null(&engine->going_on, struct garner_aes_request,
						   list);
	if (!request)
		return false;
	if (!ring || !garner_aes_takes(engine, garner_aes_request(request))) {
		garner_aes_fail(request);
		return true;
	}
	if (!request->under_way)
		request->slot = garner_aes_slots_find(engine,
						      garner_aes_tfm(garner_aes_request(request)));
	if (!request->slot) /* the end of one of the jobs that use them comes back here */
		return false;
	list_move_tail(&request->list, &engine->going_on);
	garner_aes_put(engine, request);
	return true;
}

/**
 * garner_aes_pump() - moves requests on while that is possible
 * @engine: whose; one caller at a time does it, as in garner_rsa_jobs
 */
void garner_aes_pump(struct garner_aes_engine *engine)
{
	spin_lock_bh(&engine->lock);
	engine->pump_again = true;
	if (engine->pumping) {
		spin_unlock_bh(&engine->lock);
		return;
	}
	engine->pumping = true;
	while (engine->pump_again) {
		struct crypto_async_request *kept_back;

		engine->pump_again = garner_aes_pump_one(engine, &kept_back);
		if (kept_back) {
			struct skcipher_request *req = container_of(kept_back,
								    struct skcipher_request, base);

			spin_unlock_bh(&engine->lock);
			local_bh_disable();
			skcipher_request_complete(req, -EINPROGRESS);
			local_bh_enable();
			spin_lock_bh(&engine->lock);
		}
		if (!engine->pump_again && engine->ring) {
			garner_aes_slots_sweep(engine);
			garner_ring_doorbell(engine->ring);
		}
	}
	engine->pumping = false;
	spin_unlock_bh(&engine->lock);
}

/**
 * garner_aes_enqueue() - takes a request in
 * @engine: which is to do it
 * @req: the request
 *
 * Return: as garner_rsa_enqueue(); -ENODEV, too, if the board takes no key of this length.
 */
int garner_aes_enqueue(struct garner_aes_engine *engine, struct skcipher_request *req)
{
	int err;

	spin_lock_bh(&engine->lock);
	err = engine->ring && garner_aes_takes(engine, req) ?
		      crypto_enqueue_request(&engine->queue, &req->base) :
		      -ENODEV;
	spin_unlock_bh(&engine->lock);
	if (err == -EINPROGRESS || err == -EBUSY)
		garner_aes_pump(engine);
	return err;
}
