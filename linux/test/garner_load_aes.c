// SPDX-License-Identifier: GPL-2.0
/*
 * Load for AES, and its judge: many requests at once, of many lengths, in chained scatterlists of
 * odd fragments, in place and not; each result, and each IV that is carried on, is compared with
 * that of the kernel's software.
 *
 * Loading it does all of it; the log says what came out, and loading fails if a result was wrong or
 * an error. Of the test, and of no use otherwise.
 */
#define pr_fmt(format) "garner_load_aes: " format

#include <crypto/aes.h>
#include <crypto/skcipher.h>
#include <linux/completion.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/version.h>

static unsigned int count = 64;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "Requests, all of them under way at once");

static unsigned int rounds = 1;
module_param(rounds, uint, 0644);
MODULE_PARM_DESC(rounds, "How often, one after the other; fewer while it runs end it");

static unsigned int longest = 20000;
module_param(longest, uint, 0444);
MODULE_PARM_DESC(longest, "Bytes of a request, at most; but see very_long");

static unsigned int very_long = 2;
module_param(very_long, uint, 0444);
MODULE_PARM_DESC(very_long, "Requests among them that the ring of an engine does not hold at once");

static unsigned int key_bytes = AES_KEYSIZE_128;
module_param(key_bytes, uint, 0444);
MODULE_PARM_DESC(key_bytes, "Of the key that all of them have: 16, 24 or 32");

#define VERY_LONG (65 * 8192 + 16)
/* Entries of each of the two chained tables; one is the link. */
#define ENTRIES 8

struct garner_load {
	struct skcipher_request *request;
	struct scatterlist from[2][ENTRIES], to[2][ENTRIES];
	u8 *source, *target, *expected; /* source and target are one if it is in place */
	u8 iv[AES_BLOCK_SIZE], expected_iv[AES_BLOCK_SIZE];
	unsigned int length;
	int err;
	bool kept_back, went_on;
};

static atomic_t left;
static DECLARE_COMPLETION(all_done);

/* Of all rounds */
static unsigned int right, wrong, errors, kept_back, went_on;

static void garner_load_ended(struct garner_load *load, int err)
{
	load->err = err;
	if (atomic_dec_and_test(&left))
		complete(&all_done);
}

/* Kernels since 6.3 hand over what was given as data, those before it the request. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static void garner_load_done(struct crypto_async_request *request, int err)
{
	struct garner_load *load = request->data;
#else
static void garner_load_done(void *data, int err)
{
	struct garner_load *load = data;
#endif
	if (err == -EINPROGRESS)
		load->went_on = true;
	else
		garner_load_ended(load, err);
}

/* Chained tables of fragments whose lengths are no multiples of anything; the last has the rest. */
static void garner_load_fragments(struct scatterlist tables[2][ENTRIES], u8 *bytes,
				  unsigned int length)
{
	unsigned int i, at = 0, part;

	sg_init_table(tables[0], ENTRIES);
	sg_init_table(tables[1], ENTRIES);
	sg_chain(tables[0], ENTRIES, tables[1]);
	for (i = 0; i < 2 * ENTRIES - 1; i++) {
		struct scatterlist *entry = i < ENTRIES - 1 ? &tables[0][i] :
							      &tables[1][i - (ENTRIES - 1)];
		unsigned int entries_left = 2 * ENTRIES - 2 - i;

		part = length - at; /* at least 16 at first, so one for each entry is left */
		if (entries_left)
			part = 1 + get_random_u32() % (part - min(part - 1, entries_left));
		sg_set_buf(entry, bytes + at, part);
		at += part;
		if (at == length) {
			sg_mark_end(entry);
			return;
		}
	}
}

static int garner_load_prepare(struct garner_load *load, struct crypto_skcipher *tfm,
			       struct crypto_sync_skcipher *software, bool decrypts,
			       bool in_place, bool long_one)
{
	SYNC_SKCIPHER_REQUEST_ON_STACK(request, software);
	struct scatterlist whole;

	load->length = long_one ? VERY_LONG :
				  AES_BLOCK_SIZE *
					  (1 + get_random_u32() % (longest / AES_BLOCK_SIZE));
	load->source = kmalloc(load->length + 64, GFP_KERNEL);
	load->target = in_place ? load->source : kmalloc(load->length + 64, GFP_KERNEL);
	load->expected = kmalloc(load->length, GFP_KERNEL);
	load->request = skcipher_request_alloc(tfm, GFP_KERNEL);
	if (!load->source || !load->target || !load->expected || !load->request)
		return -ENOMEM;
	get_random_bytes(load->source, load->length + 3);
	get_random_bytes(load->iv, sizeof(load->iv));
	memcpy(load->expected_iv, load->iv, sizeof(load->iv));
	memcpy(load->expected, load->source + 3, load->length);
	sg_init_one(&whole, load->expected, load->length);
	skcipher_request_set_sync_tfm(request, software);
	skcipher_request_set_callback(request, 0, NULL, NULL);
	skcipher_request_set_crypt(request, &whole, &whole, load->length, load->expected_iv);
	load->err = decrypts ? crypto_skcipher_decrypt(request) : crypto_skcipher_encrypt(request);
	if (load->err)
		return load->err;

	garner_load_fragments(load->from, load->source + 3, load->length);
	garner_load_fragments(load->to, load->target + 3, load->length);
	skcipher_request_set_callback(load->request, CRYPTO_TFM_REQ_MAY_BACKLOG, garner_load_done,
				      load);
	skcipher_request_set_crypt(load->request, load->from[0],
				   in_place ? load->from[0] : load->to[0], load->length, load->iv);
	return 0;
}

static void garner_load_start(struct garner_load *load, bool decrypts)
{
	int err = decrypts ? crypto_skcipher_decrypt(load->request) :
			     crypto_skcipher_encrypt(load->request);

	if (err == -EBUSY)
		load->kept_back = true;
	else if (err != -EINPROGRESS)
		garner_load_ended(load, err);
}

static int garner_load_run(struct garner_load *loads, struct crypto_skcipher *tfm,
			   struct crypto_sync_skcipher *software)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		int err = garner_load_prepare(&loads[i], tfm, software, i & 1, i & 2,
					      i < very_long);

		if (err)
			return err;
	}
	atomic_set(&left, count);
	reinit_completion(&all_done);
	for (i = 0; i < count; i++)
		garner_load_start(&loads[i], i & 1);
	wait_for_completion(&all_done);
	for (i = 0; i < count; i++) {
		kept_back += loads[i].kept_back;
		went_on += loads[i].kept_back && loads[i].went_on;
		if (loads[i].err)
			errors++;
		else if (!memcmp(loads[i].target + 3, loads[i].expected, loads[i].length) &&
			 !memcmp(loads[i].iv, loads[i].expected_iv, AES_BLOCK_SIZE))
			right++;
		else
			wrong++;
	}
	return 0;
}

static void garner_load_free(struct garner_load *loads)
{
	unsigned int i;

	for (i = 0; loads && i < count; i++) {
		if (loads[i].target != loads[i].source)
			kfree(loads[i].target);
		kfree(loads[i].source);
		kfree(loads[i].expected);
		skcipher_request_free(loads[i].request);
	}
	kvfree(loads);
}

static int __init garner_load_init(void)
{
	struct crypto_sync_skcipher *software;
	struct crypto_skcipher *tfm;
	u8 key[AES_MAX_KEY_SIZE];
	unsigned int round;
	int err;

	if (key_bytes > sizeof(key))
		return -EINVAL;
	tfm = crypto_alloc_skcipher("cbc-aes-garner", 0, 0);
	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	software = crypto_alloc_sync_skcipher("cbc(aes)", 0, 0);
	if (IS_ERR(software)) {
		crypto_free_skcipher(tfm);
		return PTR_ERR(software);
	}
	get_random_bytes(key, sizeof(key));
	err = crypto_skcipher_setkey(tfm, key, key_bytes) ?:
		      crypto_sync_skcipher_setkey(software, key, key_bytes);
	for (round = 0; !err && round < READ_ONCE(rounds); round++) {
		struct garner_load *loads = kvcalloc(count, sizeof(*loads), GFP_KERNEL);

		err = loads ? garner_load_run(loads, tfm, software) : -ENOMEM;
		garner_load_free(loads);
	}
	crypto_free_sync_skcipher(software);
	crypto_free_skcipher(tfm);
	pr_info("%u requests: %u right, %u wrong, %u errors, %u were kept back\n", count * round,
		right, wrong, errors, kept_back);
	return err ?: right == count * round && went_on == kept_back ? 0 : -EIO;
}

static void __exit garner_load_exit(void)
{
}

module_init(garner_load_init);
module_exit(garner_load_exit);

MODULE_DESCRIPTION("Load for the Garner driver: AES");
MODULE_LICENSE("GPL");
