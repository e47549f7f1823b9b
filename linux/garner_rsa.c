// SPDX-License-Identifier: GPL-2.0
/*
 * akcipher "rsa" by a board: the kernel's interface, checks, and software for what the board does
 * not do.
 *
 *   caller -> submit -> garner_rsa_jobs ... garner_rsa_finish -> caller
 *               |                                   |
 *               +-> software                        +-> software, if the board did not do it
 *
 * Called by the kernel's crypto API and by garner_rsa_jobs; calls that and rsa-generic.
 * The algorithm outlives the boards: what is asked while there is none, software does. No memory is
 * allocated for a request: all of it lies in the request.
 *
 * A private result leaves only if s^e = m: the core has checked it, and so does this driver, in
 * software, as bits may turn over behind the core. Software answers what a board did not, and says
 * what is wrong with a request.
 */
#include <crypto/algapi.h>
#include <linux/module.h>

#include "garner.h"
#include "rsa.h"

static int priority = 300;
module_param(priority, int, 0444);
MODULE_PARM_DESC(priority,
		 "Of rsa-garner among the kernel's implementations of rsa; rsa-generic has 100");

static bool public_operations;
module_param(public_operations, bool, 0644);
MODULE_PARM_DESC(public_operations,
		 "Whether the board also does public operations, whose results nobody checks");

static bool check_results = true;
module_param(check_results, bool, 0644);
MODULE_PARM_DESC(check_results, "Whether private results are checked here as well as by the core");

/* By rsa-generic, which is synchronous and sleeps. */
static int garner_rsa_software(struct akcipher_request *req, bool private)
{
	struct garner_rsa_request *request = akcipher_request_ctx(req);
	struct akcipher_request *software = &request->software;
	int err;

	garner_rsa_by_software();
	akcipher_request_set_tfm(software, garner_rsa_tfm(req)->software);
	akcipher_request_set_callback(software, req->base.flags, NULL, NULL);
	akcipher_request_set_crypt(software, req->src, req->dst, req->src_len, req->dst_len);
	err = private ? crypto_akcipher_decrypt(software) : crypto_akcipher_encrypt(software);
	req->dst_len = software->dst_len;
	return err;
}

/*
 * Whether a value is 0, 1, or n - 1. rsa-generic refuses these since Linux 6.7, so they are
 * software's: their results are they themselves, which garner_rsa_check() could not check.
 */
static bool garner_rsa_is_trivial(const struct garner_rsa_key *key, const u8 *value,
				  unsigned int bytes)
{
	const u8 *low = value + bytes - 1; /* n is odd, and has its lowest byte first */
	unsigned int i;

	if (*low <= 1 && !memchr_inv(value, 0, bytes - 1))
		return true;
	for (i = 0; i < bytes; i++)
		if (low[-(int)i] != (i ? key->operands[i] : key->operands[0] - 1))
			return false;
	return true;
}

/* Whether result^e = value, by software: 0, -EBADMSG if not, or why that is not known. */
static int garner_rsa_check(struct akcipher_request *req, unsigned int bytes)
{
	struct garner_rsa_request *request = akcipher_request_ctx(req);
	struct akcipher_request *software = &request->software;
	int err;

	sg_init_one(&request->from, request->result, bytes);
	sg_init_one(&request->to, request->check, bytes);
	akcipher_request_set_tfm(software, garner_rsa_tfm(req)->software);
	akcipher_request_set_callback(software, req->base.flags, NULL, NULL);
	akcipher_request_set_crypt(software, &request->from, &request->to, bytes, bytes);
	err = crypto_akcipher_encrypt(software);
	if (err == -ENOMEM)
		return err;
	return err || crypto_memneq(request->check, request->value, bytes) ? -EBADMSG : 0;
}

/**
 * garner_rsa_finish() - what remains of a request after its job: the check, or software; then the
 * caller has its answer
 * @work: of the request
 */
void garner_rsa_finish(struct work_struct *work)
{
	struct garner_rsa_request *request = container_of(work, struct garner_rsa_request, work);
	struct akcipher_request *req = garner_rsa_request(request);
	bool private = request->private, good = request->status == GARNER_STATUS_OK;
	unsigned int bytes = request->bytes;
	int err = 0;

	if (good && private && check_results) {
		err = garner_rsa_check(req, bytes);
		good = !err;
		if (err == -EBADMSG)
			garner_rsa_was_wrong();
	}
	if (good) {
		sg_copy_from_buffer(req->dst, sg_nents(req->dst), request->result, bytes);
		req->dst_len = bytes;
	}
	memzero_explicit(request->value, bytes);
	memzero_explicit(request->result, bytes);
	memzero_explicit(request->check, bytes);
	if (!good)
		err = garner_rsa_software(req, private);
	local_bh_disable();
	akcipher_request_complete(req, err);
	local_bh_enable();
}

static int garner_rsa_submit(struct akcipher_request *req, bool private)
{
	struct garner_rsa_request *request = akcipher_request_ctx(req);
	struct garner_rsa_key *key = garner_rsa_tfm(req)->key;
	unsigned int bytes;
	int from, err;

	if (!key || (private && !key->private) || key->bits > garner_rsa_max_bits() ||
	    (!private && !READ_ONCE(public_operations)))
		return garner_rsa_software(req, private);
	bytes = key->bits / 8;
	from = sg_nents_for_len(req->src, req->src_len);
	if (req->src_len > bytes || req->dst_len < bytes || from < 0 ||
	    sg_nents_for_len(req->dst, bytes) < 0)
		return garner_rsa_software(req, private);
	request->private = private;
	request->bytes = bytes;
	memset(request->value, 0, bytes - req->src_len);
	sg_copy_to_buffer(req->src, from, request->value + bytes - req->src_len, req->src_len);

	if (!garner_rsa_is_trivial(key, request->value, bytes)) {
		err = garner_rsa_enqueue(req);
		if (err == -EINPROGRESS || err == -EBUSY)
			return err;
	}
	/* Also where the queue is full, and its caller does not want to wait. */
	memzero_explicit(request->value, bytes);
	return garner_rsa_software(req, private);
}

static int garner_rsa_encrypt(struct akcipher_request *req)
{
	return garner_rsa_submit(req, false);
}

static int garner_rsa_decrypt(struct akcipher_request *req)
{
	return garner_rsa_submit(req, true);
}

static void garner_rsa_drop_key(struct garner_rsa_tfm *tfm)
{
	struct garner_rsa_key *key = tfm->key;

	tfm->key = NULL;
	if (key)
		garner_rsa_forget(key);
}

static int garner_rsa_set_key(struct crypto_akcipher *akcipher, const void *raw,
			      unsigned int length, bool private)
{
	struct garner_rsa_tfm *tfm = akcipher_tfm_ctx(akcipher);
	struct garner_rsa_key *key;
	int err;

	garner_rsa_drop_key(tfm);
	err = private ? crypto_akcipher_set_priv_key(tfm->software, raw, length) :
			crypto_akcipher_set_pub_key(tfm->software, raw, length);
	if (err)
		return err;
	key = garner_rsa_key_read(raw, length, private);
	if (key) /* or else by software */
		tfm->key = garner_rsa_share(key);
	return 0;
}

static int garner_rsa_set_pub_key(struct crypto_akcipher *akcipher, const void *key,
				  unsigned int length)
{
	return garner_rsa_set_key(akcipher, key, length, false);
}

static int garner_rsa_set_priv_key(struct crypto_akcipher *akcipher, const void *key,
				   unsigned int length)
{
	return garner_rsa_set_key(akcipher, key, length, true);
}

static unsigned int garner_rsa_max_size(struct crypto_akcipher *akcipher)
{
	struct garner_rsa_tfm *tfm = akcipher_tfm_ctx(akcipher);

	return crypto_akcipher_maxsize(tfm->software);
}

static int garner_rsa_init(struct crypto_akcipher *akcipher)
{
	struct garner_rsa_tfm *tfm = akcipher_tfm_ctx(akcipher);

	tfm->software = crypto_alloc_akcipher("rsa-generic", 0, 0);
	if (IS_ERR(tfm->software))
		return PTR_ERR(tfm->software);
	akcipher_set_reqsize(akcipher, sizeof(struct garner_rsa_request) +
					       crypto_akcipher_reqsize(tfm->software));
	return 0;
}

static void garner_rsa_exit(struct crypto_akcipher *akcipher)
{
	struct garner_rsa_tfm *tfm = akcipher_tfm_ctx(akcipher);

	garner_rsa_drop_key(tfm);
	crypto_free_akcipher(tfm->software);
}

/* Signing and verifying are templates' over these: pkcs1pad, since 6.13 rsassa-pkcs1 too. */
static struct akcipher_alg garner_rsa_algorithm = {
	.encrypt = garner_rsa_encrypt,
	.decrypt = garner_rsa_decrypt,
	.set_pub_key = garner_rsa_set_pub_key,
	.set_priv_key = garner_rsa_set_priv_key,
	.max_size = garner_rsa_max_size,
	.init = garner_rsa_init,
	.exit = garner_rsa_exit,
	.base = {
		.cra_name = "rsa",
		.cra_driver_name = "rsa-garner",
		.cra_flags = CRYPTO_ALG_ASYNC | CRYPTO_ALG_NEED_FALLBACK,
		.cra_module = THIS_MODULE,
		.cra_ctxsize = sizeof(struct garner_rsa_tfm),
	},
};

/**
 * garner_rsa_register() - registers the algorithm, which the kernel tests now
 *
 * Return: 0, or an error of the crypto API.
 */
int garner_rsa_register(void)
{
	garner_rsa_algorithm.base.cra_priority = priority;
	return crypto_register_akcipher(&garner_rsa_algorithm);
}

/**
 * garner_rsa_unregister() - no board is left, and no transformation: the module is not used
 */
void garner_rsa_unregister(void)
{
	crypto_unregister_akcipher(&garner_rsa_algorithm);
}
