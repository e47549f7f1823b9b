// SPDX-License-Identifier: GPL-2.0
/*
 * Load for the driver, and its judge: many private operations at once, each result compared with
 * rsa-generic's.
 *
 * Loading it does all of it; the log says what came out, and loading fails if a result was wrong or
 * an error. Of the test, and of no use otherwise.
 */
#define pr_fmt(format) "garner_load: " format

#include <crypto/akcipher.h>
#include <linux/completion.h>
#include <linux/kernel_read_file.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <linux/vmalloc.h>

static char *key = "/load.der";
module_param(key, charp, 0444);
MODULE_PARM_DESC(key, "An RSAPrivateKey in DER");

static unsigned int count = 64;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "Operations, all of them under way at once");

static char *driver = "rsa-garner";
module_param(driver, charp, 0444);
MODULE_PARM_DESC(driver, "Whose");

struct garner_load {
	struct akcipher_request *request;
	struct scatterlist from[2], to[2];
	u8 *value, *result, *expected;
	int err;
	bool kept_back, went_on;
};

static atomic_t left;
static DECLARE_COMPLETION(all_done);

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

/* Of odd fragments: a byte, and the rest. */
static void garner_load_fragments(struct scatterlist *list, u8 *bytes, unsigned int length)
{
	sg_init_table(list, 2);
	sg_set_buf(&list[0], bytes, 1);
	sg_set_buf(&list[1], bytes + 1, length - 1);
}

static int garner_load_prepare(struct garner_load *load, struct crypto_akcipher *tfm,
			       struct crypto_akcipher *software, unsigned int bytes)
{
	DECLARE_CRYPTO_WAIT(wait);
	struct akcipher_request *request;
	struct scatterlist from, to;
	int err;

	load->value = kmalloc(3 * bytes, GFP_KERNEL);
	load->request = akcipher_request_alloc(tfm, GFP_KERNEL);
	request = akcipher_request_alloc(software, GFP_KERNEL);
	if (!load->value || !load->request || !request) {
		akcipher_request_free(request);
		return -ENOMEM;
	}
	load->result = load->value + bytes;
	load->expected = load->result + bytes;
	get_random_bytes(load->value, bytes);
	load->value[0] &= 0x7f; /* below the modulus, whose top bit is set */
	sg_init_one(&from, load->value, bytes);
	sg_init_one(&to, load->expected, bytes);
	akcipher_request_set_callback(request, CRYPTO_TFM_REQ_MAY_SLEEP, crypto_req_done, &wait);
	akcipher_request_set_crypt(request, &from, &to, bytes, bytes);
	err = crypto_wait_req(crypto_akcipher_decrypt(request), &wait);
	akcipher_request_free(request);

	garner_load_fragments(load->from, load->value, bytes);
	garner_load_fragments(load->to, load->result, bytes);
	akcipher_request_set_callback(load->request, CRYPTO_TFM_REQ_MAY_BACKLOG, garner_load_done,
				      load);
	akcipher_request_set_crypt(load->request, load->from, load->to, bytes, bytes);
	return err;
}

static void garner_load_start(struct garner_load *load)
{
	int err = crypto_akcipher_decrypt(load->request);

	if (err == -EBUSY)
		load->kept_back = true;
	else if (err != -EINPROGRESS)
		garner_load_ended(load, err);
}

static int garner_load_run(struct garner_load *loads, struct crypto_akcipher *tfm,
			   struct crypto_akcipher *software)
{
	unsigned int i, right = 0, wrong = 0, errors = 0, kept_back = 0, went_on = 0;
	unsigned int bytes = crypto_akcipher_maxsize(tfm);

	for (i = 0; i < count; i++) {
		int err = garner_load_prepare(&loads[i], tfm, software, bytes);

		if (err)
			return err;
	}
	atomic_set(&left, count);
	for (i = 0; i < count; i++)
		garner_load_start(&loads[i]);
	wait_for_completion(&all_done);
	for (i = 0; i < count; i++) {
		kept_back += loads[i].kept_back;
		went_on += loads[i].kept_back && loads[i].went_on;
		if (loads[i].err)
			errors++;
		else if (loads[i].request->dst_len == bytes &&
			 !memcmp(loads[i].result, loads[i].expected, bytes))
			right++;
		else
			wrong++;
	}
	pr_info("%u right, %u wrong, %u errors, %u kept back, %u of these went on\n", right, wrong,
		errors, kept_back, went_on);
	return right == count && went_on == kept_back ? 0 : -EIO;
}

static int __init garner_load_init(void)
{
	struct crypto_akcipher *tfm, *software;
	struct garner_load *loads;
	void *der = NULL;
	ssize_t length;
	unsigned int i;
	int err;

	length = kernel_read_file_from_path(key, 0, &der, INT_MAX, NULL, READING_POLICY);
	if (length < 0)
		return length;
	tfm = crypto_alloc_akcipher(driver, 0, 0);
	software = crypto_alloc_akcipher("rsa-generic", 0, 0);
	loads = kcalloc(count, sizeof(*loads), GFP_KERNEL);
	err = IS_ERR(tfm)      ? PTR_ERR(tfm) :
	      IS_ERR(software) ? PTR_ERR(software) :
	      loads	       ? 0 :
				 -ENOMEM;
	if (!err)
		err = crypto_akcipher_set_priv_key(tfm, der, length);
	if (!err)
		err = crypto_akcipher_set_priv_key(software, der, length);
	if (!err)
		err = garner_load_run(loads, tfm, software);
	for (i = 0; loads && i < count; i++) {
		akcipher_request_free(loads[i].request);
		kfree(loads[i].value);
	}
	kfree(loads);
	if (!IS_ERR(software))
		crypto_free_akcipher(software);
	if (!IS_ERR(tfm))
		crypto_free_akcipher(tfm);
	vfree(der);
	return err;
}

static void __exit garner_load_exit(void)
{
}

module_init(garner_load_init);
module_exit(garner_load_exit);

MODULE_DESCRIPTION("Load for the driver of the Garner accelerator");
MODULE_LICENSE("GPL");
