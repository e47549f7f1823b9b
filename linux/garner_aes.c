// SPDX-License-Identifier: GPL-2.0
/*
 * skcipher "cbc(aes)" by a board: the kernel's interface, and software for what the board does not
 * do.
 *
 *   caller -> submit -> garner_aes_jobs ... caller
 *               |             |
 *               +-> software  +-> garner_aes_finish: software, for the rest of a request
 *
 * Called by the kernel's crypto API and by garner_aes_jobs; calls that and the kernel's software.
 * The algorithm outlives the boards. No memory is allocated for a request: all of it lies in the
 * request, so dm-crypt may use it. Keys of another length than the board's are software's.
 */
#include <crypto/scatterwalk.h>
#include <linux/module.h>

#include "aes.h"

/* Above cbc(aes-generic)'s 100, below AES-NI's 400: a processor with it is faster than a bus. */
static int aes_priority = 150;
module_param(aes_priority, int, 0444);
MODULE_PARM_DESC(aes_priority, "Of cbc-aes-garner; cbc(aes-generic) has 100, cbc-aes-aesni 400");

static atomic64_t garner_aes_keys;

/* What is left of a request, at once; flags: whether memory may be waited for. */
static int garner_aes_software(struct garner_aes_engine *engine, struct skcipher_request *req,
			       u32 flags)
{
	struct garner_aes_request *request = skcipher_request_ctx(req);
	struct skcipher_request *software = &request->software;
	struct scatterlist *from = req->src, *to = req->dst;

	garner_aes_by_software(engine);
	if (request->offset) {
		from = scatterwalk_ffwd(request->from, req->src, request->offset);
		to = req->src == req->dst ?
			     from :
			     scatterwalk_ffwd(request->to, req->dst, request->offset);
	}
	skcipher_request_set_tfm(software, garner_aes_tfm(req)->software);
	skcipher_request_set_callback(software, flags, NULL, NULL);
	skcipher_request_set_crypt(software, from, to, req->cryptlen - request->offset, req->iv);
	return engine->decrypts ? crypto_skcipher_decrypt(software) :
				  crypto_skcipher_encrypt(software);
}

/**
 * garner_aes_finish() - what the board did not do of a request is done by software; then the caller
 * has its answer
 * @work: of the request
 */
void garner_aes_finish(struct work_struct *work)
{
	struct garner_aes_request *request = container_of(work, struct garner_aes_request, work);
	struct skcipher_request *req = garner_aes_request(request);
	/* On garner_workqueue, for which dm-crypt may wait: whatever its caller may, this must not. */
	int err = garner_aes_software(request->engine, req, 0);

	local_bh_disable();
	skcipher_request_complete(req, err);
	local_bh_enable();
}

static int garner_aes_submit(struct skcipher_request *req, bool decrypts)
{
	struct garner_aes_request *request = skcipher_request_ctx(req);
	struct garner_aes_engine *engine = garner_aes_engine(decrypts);
	int err;

	if (req->cryptlen % AES_BLOCK_SIZE)
		return -EINVAL;
	if (!req->cryptlen)
		return 0;
	request->engine = engine;
	request->put = 0;
	request->offset = 0;
	request->under_way = 0;
	request->failed = false;
	INIT_LIST_HEAD(&request->list);
	err = garner_aes_enqueue(engine, req);
	if (err != -ENODEV && err != -ENOSPC)
		return err;
	return garner_aes_software(engine, req, req->base.flags & CRYPTO_TFM_REQ_MAY_SLEEP);
}

static int garner_aes_encrypt(struct skcipher_request *req)
{
	return garner_aes_submit(req, false);
}

static int garner_aes_decrypt(struct skcipher_request *req)
{
	return garner_aes_submit(req, true);
}

static void garner_aes_drop_key(struct garner_aes_tfm *tfm)
{
	if (tfm->key_id)
		garner_aes_forget(tfm->key_id);
	tfm->key_id = 0;
	memzero_explicit(tfm->key, sizeof(tfm->key));
}

static int garner_aes_set_key(struct crypto_skcipher *skcipher, const u8 *key, unsigned int length)
{
	struct garner_aes_tfm *tfm = crypto_skcipher_ctx(skcipher);
	int err;

	garner_aes_drop_key(tfm);
	crypto_skcipher_clear_flags(tfm->software, CRYPTO_TFM_REQ_MASK);
	crypto_skcipher_set_flags(tfm->software,
				  crypto_skcipher_get_flags(skcipher) & CRYPTO_TFM_REQ_MASK);
	err = crypto_skcipher_setkey(tfm->software, key, length);
	if (err)
		return err;
	memcpy(tfm->key, key, length);
	tfm->key_length = length;
	tfm->key_id = atomic64_inc_return(&garner_aes_keys);
	return 0;
}

static int garner_aes_init(struct crypto_skcipher *skcipher)
{
	struct garner_aes_tfm *tfm = crypto_skcipher_ctx(skcipher);

	tfm->software = crypto_alloc_skcipher("cbc(aes)", 0,
					      CRYPTO_ALG_ASYNC | CRYPTO_ALG_NEED_FALLBACK |
						      CRYPTO_ALG_ALLOCATES_MEMORY);
	if (IS_ERR(tfm->software))
		return PTR_ERR(tfm->software);
	crypto_skcipher_set_reqsize(skcipher, sizeof(struct garner_aes_request) +
						      crypto_skcipher_reqsize(tfm->software));
	return 0;
}

static void garner_aes_exit(struct crypto_skcipher *skcipher)
{
	struct garner_aes_tfm *tfm = crypto_skcipher_ctx(skcipher);

	garner_aes_drop_key(tfm);
	crypto_free_skcipher(tfm->software);
}

static struct skcipher_alg garner_aes_algorithm = {
	.min_keysize = AES_MIN_KEY_SIZE,
	.max_keysize = AES_MAX_KEY_SIZE,
	.ivsize = AES_BLOCK_SIZE,
	.setkey = garner_aes_set_key,
	.encrypt = garner_aes_encrypt,
	.decrypt = garner_aes_decrypt,
	.init = garner_aes_init,
	.exit = garner_aes_exit,
	.base = {
		.cra_name = "cbc(aes)",
		.cra_driver_name = "cbc-aes-garner",
		.cra_flags = CRYPTO_ALG_ASYNC | CRYPTO_ALG_NEED_FALLBACK |
			     CRYPTO_ALG_KERN_DRIVER_ONLY,
		.cra_blocksize = AES_BLOCK_SIZE,
		.cra_module = THIS_MODULE,
		.cra_ctxsize = sizeof(struct garner_aes_tfm),
	},
};

/**
 * garner_aes_register() - registers the algorithm, which the kernel tests now
 *
 * Return: 0, or an error of the crypto API.
 */
int garner_aes_register(void)
{
	garner_aes_algorithm.base.cra_priority = aes_priority;
	return crypto_register_skcipher(&garner_aes_algorithm);
}

/**
 * garner_aes_unregister() - no board is left, and no transformation: the module is not used
 */
void garner_aes_unregister(void)
{
	crypto_unregister_skcipher(&garner_aes_algorithm);
}
