// SPDX-License-Identifier: GPL-2.0
/*
 * Load while devices are suspended: a thread that nothing freezes, as those of dm-crypt, and its
 * requests of AES, one after the other. Unloading it ends them; the log says how many there were,
 * and how long the slowest took. Of the test, and of no use otherwise.
 */
#define pr_fmt(format) "garner_load_asleep: " format

#include <crypto/aes.h>
#include <crypto/skcipher.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/scatterlist.h>

static struct crypto_skcipher *tfm;
static struct skcipher_request *request;
static struct task_struct *thread;
static u8 key[AES_KEYSIZE_128], iv[AES_BLOCK_SIZE], *text;
static unsigned int requests, errors;
static s64 slowest;

static int garner_load_thread(void *unused)
{
	struct scatterlist list;

	sg_init_one(&list, text, AES_BLOCK_SIZE);
	while (!kthread_should_stop()) {
		DECLARE_CRYPTO_WAIT(wait);
		ktime_t start = ktime_get();

		skcipher_request_set_callback(request, CRYPTO_TFM_REQ_MAY_SLEEP, crypto_req_done,
					      &wait);
		skcipher_request_set_crypt(request, &list, &list, AES_BLOCK_SIZE, iv);
		errors += !!crypto_wait_req(crypto_skcipher_encrypt(request), &wait);
		requests++;
		slowest = max(slowest, ktime_ms_delta(ktime_get(), start));
		msleep(20);
	}
	return 0;
}

static int __init garner_load_init(void)
{
	int err;

	tfm = crypto_alloc_skcipher("cbc-aes-garner", 0, 0);
	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	err = crypto_skcipher_setkey(tfm, key, sizeof(key));
	request = skcipher_request_alloc(tfm, GFP_KERNEL);
	text = kzalloc(AES_BLOCK_SIZE, GFP_KERNEL);
	if (!err && (!request || !text))
		err = -ENOMEM;
	if (!err) {
		thread = kthread_run(garner_load_thread, NULL, "garner_load");
		err = PTR_ERR_OR_ZERO(thread);
	}
	if (!err)
		return 0;
	kfree(text);
	skcipher_request_free(request);
	crypto_free_skcipher(tfm);
	return err;
}

static void __exit garner_load_exit(void)
{
	kthread_stop(thread);
	pr_info("%u requests, %u errors, the slowest took %lld ms\n", requests, errors, slowest);
	kfree(text);
	skcipher_request_free(request);
	crypto_free_skcipher(tfm);
}

module_init(garner_load_init);
module_exit(garner_load_exit);

MODULE_DESCRIPTION("Load for the Garner driver: AES while devices are suspended");
MODULE_LICENSE("GPL");
