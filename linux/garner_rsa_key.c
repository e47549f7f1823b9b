// SPDX-License-Identifier: GPL-2.0
/*
 * Keys: from the kernel's parser of RSA keys to the operands of OpLoadKey and OpLoadModulus.
 *
 * Only keys that the board takes become one: lengths in its steps, primes of half of them, a public
 * exponent of a word. That they belong together is not looked at here: what the board makes of a
 * wrong key, its own check refuses.
 */
#include <crypto/algapi.h>
#include <crypto/internal/rsa.h>
#include <linux/slab.h>

#include "garner.h"
#include "rsa.h"

/* A number without its leading zeros. */
struct garner_number {
	const u8 *bytes;
	size_t length;
};

static struct garner_number garner_number(const u8 *bytes, size_t length)
{
	while (length && !*bytes) {
		bytes++;
		length--;
	}
	return (struct garner_number){ bytes, length };
}

/* Writes a number that fits, the lowest byte first; returns what is behind it. */
static u8 *garner_number_put(u8 *to, struct garner_number number, size_t bytes)
{
	garner_reverse(to, number.bytes, number.length);
	memset(to + number.length, 0, bytes - number.length);
	return to + bytes;
}

/**
 * garner_rsa_key_read() - reads a key that the kernel's software has accepted
 * @key: RSAPrivateKey or RSAPublicKey, in DER
 * @length: its bytes
 * @private: which of them it is
 *
 * Return: the key; NULL if it is none for a board, or there is no memory.
 */
struct garner_rsa_key *garner_rsa_key_read(const void *key, unsigned int length, bool private)
{
	struct garner_number n, e, parts[5];
	struct garner_rsa_key *made = NULL;
	struct rsa_key raw = {};
	unsigned int bits, i;
	u64 exponent = 0;
	u8 *to;

	if (private ? rsa_parse_priv_key(&raw, key, length) : rsa_parse_pub_key(&raw, key, length))
		goto out;
	n = garner_number(raw.n, raw.n_sz);
	e = garner_number(raw.e, raw.e_sz);
	bits = 8 * n.length;
	if (bits < GARNER_RSA_MIN_BITS || bits > GARNER_RSA_MAX_BITS ||
	    bits % GARNER_RSA_STEP_BITS || !(n.bytes[0] & 0x80) || !(n.bytes[n.length - 1] & 1) ||
	    !e.length || e.length > sizeof(exponent))
		goto out;
	for (i = 0; i < e.length; i++)
		exponent = exponent << 8 | e.bytes[i];

	parts[0] = garner_number(raw.p, raw.p_sz);
	parts[1] = garner_number(raw.q, raw.q_sz);
	parts[2] = garner_number(raw.dp, raw.dp_sz);
	parts[3] = garner_number(raw.dq, raw.dq_sz);
	parts[4] = garner_number(raw.qinv, raw.qinv_sz);
	/* The core takes an exponent of one word, and primes of half the length. */
	private = private && !(exponent >> 32);
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		private = private && parts[i].length && parts[i].length <= bits / 16;
	private = private && parts[0].length == bits / 16 && parts[1].length == bits / 16;

	made = kzalloc(struct_size(made, operands, bits / 8 + (private ? 4 + 5 * bits / 16 : 0)),
		       GFP_KERNEL);
	if (!made)
		goto out;
	made->users = 1;
	made->private = private;
	made->bits = bits;
	made->exponent = exponent;
	made->exponent_bits = fls64(exponent);
	to = garner_number_put(made->operands, n, bits / 8);
	if (private) {
		to = garner_number_put(to, e, 4);
		for (i = 0; i < ARRAY_SIZE(parts); i++)
			to = garner_number_put(to, parts[i], bits / 16);
	}
	made->operand_bytes = to - made->operands;
out:
	memzero_explicit(&raw, sizeof(raw));
	return made;
}

/**
 * garner_rsa_key_share() - puts a key among the others
 * @keys: the others
 * @key: a new one
 *
 * Return: the equal one that is there already, with one more user, or else the new one.
 */
struct garner_rsa_key *garner_rsa_key_share(struct list_head *keys, struct garner_rsa_key *key)
{
	struct garner_rsa_key *other;

	list_for_each_entry(other, keys, list) {
		if (other->private == key->private && other->bits == key->bits &&
		    other->exponent == key->exponent &&
		    other->operand_bytes == key->operand_bytes &&
		    !crypto_memneq(other->operands, key->operands, key->operand_bytes)) {
			other->users++;
			return other;
		}
	}
	list_add(&key->list, keys);
	return key;
}

/**
 * garner_rsa_key_free() - overwrites and frees a key that is on no list
 * @key: may be NULL
 */
void garner_rsa_key_free(struct garner_rsa_key *key)
{
	kfree_sensitive(key);
}
