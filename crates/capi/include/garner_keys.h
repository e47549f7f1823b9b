/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Garner: keys and moduli, read, generated and written. Part of garner.h, which includes it; what that says of results,
 * handles, memory and structures holds here, too.
 */
#ifndef GARNER_KEYS_H
#define GARNER_KEYS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct garner_private_key garner_private_key;
typedef struct garner_public_key garner_public_key;

/* An odd modulus for exponentiation, prime or not. */
typedef struct garner_modulus garner_modulus;

/* Reads a private key from the content of a file: PEM or DER, PKCS#1 or PKCS#8, encrypted or not, 512 to 8,192 bits.
 * password may be NULL; it is not used if the key is not encrypted. Every part of the key is validated; its secrets
 * are wiped when it is no longer used.
 *
 * A stub, as `garner stub` writes it, gives the key that garnerd holds. Such a key is used as any other: the daemon
 * at the socket GARNER_SOCKET (/run/garnerd/socket) is asked at each operation, and the gatherer not. If the daemon
 * refuses, or does not answer in GARNER_PATIENCE seconds (10), the operation gives GARNER_ERR_DEVICE. A user who may do no
 * more in this second is asked for again in that time; batches and tickets longer, while others of this key are answered.
 * GARNER_ERR_ARGUMENT if it does not do this for its clients, as GARNER_DECRYPT_PKCS1_EXPLICIT. Up to 32 operations of batches and tickets are
 * asked for at a time.
 *
 * Whoever may choose the content of data can choose a stub, which anybody can make, and have this process use any key that
 * garnerd holds for its user. A program that reads keys of others, uploaded ones for example, refuses what
 * garner_private_key_is_held says is one. */
int garner_private_key_read(const void *data, size_t length, const void *password, size_t password_length,
                            garner_private_key **key);
/* The key that garnerd holds by this name, which ends with a zero byte. The daemon must answer. GARNER_ERR_ARGUMENT: no
 * name of a key; GARNER_ERR_DEVICE: there is no such key, or you may not use it. */
int garner_private_key_named(const char *name, garner_private_key **key);
/* 1 if garnerd holds the key, 0 if this process has it, or a negative error. */
int garner_private_key_is_held(const garner_private_key *key);
int garner_private_key_free(garner_private_key *key);
/* The public half, a handle of its own. */
int garner_private_key_public(const garner_private_key *key, garner_public_key **public_key);

/* Reads a public key from the content of a file: PEM or DER, SubjectPublicKeyInfo or PKCS#1; or the public half of
 * a private key, as garner_private_key_read does; of one without primes only n and e are looked at. */
int garner_public_key_read(const void *data, size_t length, const void *password, size_t password_length,
                           garner_public_key **key);
int garner_public_key_free(garner_public_key *key);

/* How a key file is written. PEM text has no zero byte at its end. */
enum garner_key_format {
    GARNER_PEM = 1,        /* PKCS#8 PrivateKeyInfo, or SubjectPublicKeyInfo, in PEM */
    GARNER_DER = 2,        /* the same in DER */
    GARNER_PKCS1_PEM = 3,  /* PKCS#1 RSAPrivateKey in PEM: private keys only */
    GARNER_PKCS1_DER = 4   /* the same in DER */
};

/* Writes a key to memory; 8,192-bit keys take less than 8,192 bytes. Wipe what you no longer need. GARNER_ERR_KEY for a
 * private key that garnerd holds. */
int garner_private_key_write(const garner_private_key *key, int format, void *output, size_t *output_length);
int garner_public_key_write(const garner_public_key *key, int format, void *output, size_t *output_length);

enum garner_cipher {
    GARNER_AES_128_CBC = 1,
    GARNER_AES_192_CBC = 2,
    GARNER_AES_256_CBC = 3
};

/* Writes a private key encrypted: PKCS#8 EncryptedPrivateKeyInfo with PBES2, PBKDF2 with HMAC-SHA-256 and a random
 * salt. format is GARNER_PEM or GARNER_DER; iterations are 1 to 10,000,000, or 0 for 600,000, which take some tenths
 * of a second, in a call that asks for the size too. An empty password is refused. */
int garner_private_key_write_encrypted(const garner_private_key *key, int format, int cipher, unsigned int iterations,
                                       const void *password, size_t password_length, void *output,
                                       size_t *output_length);

/* What is asked of new keys beside their length. */
typedef struct garner_keygen_options {
    size_t size;
    const void *exponent;    /* public exponent, big-endian: odd, from 65,537, below 2^256; NULL for 65,537 */
    size_t exponent_length;
    int below_fips;          /* not 0: also what FIPS 186-5 forbids, lengths from 512 bits and exponents from 3 */
} garner_keygen_options;

#define GARNER_KEYGEN_OPTIONS_INIT { sizeof(garner_keygen_options), NULL, 0, 0 }

/* Generates a key of 2,048 to 8,192 bits, a multiple of 128, after FIPS 186-5. It has made and verified a trial
 * signature. options may be NULL. GARNER_ERR_ARGUMENT names what is out of range. */
int garner_private_key_generate(size_t bits, const garner_keygen_options *options, garner_private_key **key);

/* Generates count keys, all or none, in far less time than one after the other. The calling thread does the work: call
 * it from several threads to use several processors. */
int garner_private_key_generate_many(size_t bits, const garner_keygen_options *options, garner_private_key **keys,
                                     size_t count);

/* Length of the modulus in bits. Inputs and outputs have (bits + 7) / 8 bytes. */
int garner_private_key_bits(const garner_private_key *key, size_t *bits);
int garner_public_key_bits(const garner_public_key *key, size_t *bits);

/* An odd modulus, 3 or more, of up to 8,192 bits. It may be secret: it is wiped when it is no longer used. */
int garner_modulus_new(const void *modulus, size_t length, garner_modulus **handle);
int garner_modulus_bits(const garner_modulus *modulus, size_t *bits);
int garner_modulus_free(garner_modulus *modulus);

#ifdef __cplusplus
}
#endif

#endif
