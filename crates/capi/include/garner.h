/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Garner: RSA private-key operations and modular exponentiations, gathered into batches and run on the fastest
 * device present; signatures, encryption and key generation around them. The C API of libgarner; keys and moduli are
 * in garner_keys.h, which comes with it.
 *
 * A first program:
 *
 *     garner_private_key *key;
 *     unsigned char signature[1024];
 *     size_t length = sizeof signature;
 *
 *     if (garner_private_key_read(pem, pem_length, NULL, 0, &key) != GARNER_OK ||
 *         garner_sign(NULL, key, GARNER_SHA256, message, message_length, signature, &length) != GARNER_OK)
 *         fprintf(stderr, "%s\n", garner_last_error());
 *     garner_private_key_free(key);
 *
 * Build with `cc program.c $(pkg-config --cflags --libs garner)`.
 *
 * Results   Every function returns GARNER_OK (0), GARNER_PENDING (1, tickets only) or a negative error;
 *           garner_private_key_is_held 0, 1 or a negative error. The text of the last error of the calling thread is
 *           garner_last_error().
 *
 * Numbers   Big-endian bytes, as in PKCS#1. Inputs may be of any length, with or without leading zeros, as long as
 *           their value is below the modulus. Outputs are exactly as long as the modulus, with leading zeros.
 *
 * Outputs   `output` with `*length`: on entry the room in bytes, on return the bytes written. Where the room is too
 *           small nothing is written but the length needed, and the call returns GARNER_ERR_BUFFER; so a call with
 *           `*length` = 0 asks for the size. Room to spare is left as it was. On any other error nothing is written.
 *           Output and input may overlap. Nothing needs to be aligned.
 *
 * Handles   Keys, moduli, gatherers and tickets are handles: values the library gives out and looks up, never
 *           addresses. NULL gives GARNER_ERR_NULL (except where NULL has a meaning); anything else that is not a
 *           live handle of the right kind, such as one that was freed, gives GARNER_ERR_HANDLE. Freeing NULL does
 *           nothing. A handle may be freed while other threads or tickets use what it stands for: that lives as long
 *           as they need it.
 *
 * Memory    Every pointer must be NULL or valid for the length that comes with it for the duration of the call; the
 *           library keeps none. A NULL pointer with length 0 is an empty input.
 *
 * Threads   Every function may be called from any thread at any time, and in a child after fork: the child uses keys,
 *           moduli and gatherers of its parent as its own. Only tickets stay with the process that submitted them;
 *           in the child they give GARNER_ERR_FORKED. Handlers of pthread_atfork may call everything too, unless they
 *           were registered before the library was loaded by dlopen.
 *
 * End       The process may end (exit, the return of main) while threads use the library and tickets are out. exit waits
 *           for the tickets of the gatherer of the process, but not for those that were freed. libcrypto is cleaned up
 *           then: operations are computed without it. What needs it, as the hash of a message, is held back for at most
 *           a second. From then on garner_submit and garner_run give GARNER_ERR_SHUT_DOWN with that gatherer and keys of
 *           this process.
 *
 * Growth    Structures begin with their own size, set by the caller (the GARNER_*_INIT macros do), so that programs
 *           go on working with newer libraries whose structures have more members.
 */
#ifndef GARNER_H
#define GARNER_H

#include "garner_keys.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------- results and text */

enum garner_status {
    GARNER_OK = 0,
    GARNER_PENDING = 1,            /* the answer of a ticket is not there yet */
    GARNER_ERR_NULL = -1,          /* a pointer or handle is NULL that must not be */
    GARNER_ERR_HANDLE = -2,        /* not a live handle, or one of another kind */
    GARNER_ERR_ARGUMENT = -3,      /* an argument is outside its documented range */
    GARNER_ERR_BUFFER = -4,        /* the output is too small; its length now says what is needed */
    GARNER_ERR_KEY = -5,           /* the key was decoded and refused; the text names the field */
    GARNER_ERR_ENCODING = -6,      /* no key could be decoded, or its password is missing or wrong */
    GARNER_ERR_VERIFICATION = -7,  /* the signature does not match or the ciphertext not decrypt, for whatever reason */
    GARNER_ERR_FAULT = -8,         /* wrong results on every path tried; nothing was released */
    GARNER_ERR_DEVICE = -9,        /* no device could run the operation */
    GARNER_ERR_RANDOM = -10,       /* the random source failed */
    GARNER_ERR_SHUT_DOWN = -11,    /* the gatherer was shut down before the operation ran */
    GARNER_ERR_FORKED = -12,       /* the ticket belongs to the parent process */
    GARNER_ERR_FULL = -13,         /* the queue is full; the operation was not taken, try again later */
    GARNER_ERR_INTERNAL = -14,     /* a defect of the library; please report it */
    GARNER_ERR_MEMORY = -15        /* there is no memory for the call; nothing was done, or freed: try again later */
};

/* What a status means, in a few words; never NULL, valid for ever. */
const char *garner_error_string(int status);

/* The last error of the calling thread in full, such as "input: is not below the modulus"; "" before the first.
 * Never key material, never NULL; valid until the next failing call in this thread. */
const char *garner_last_error(void);

/* The version of the library, such as "0.1.0". */
const char *garner_version(void);

/* ------------------------------------------------------------------------------------------------------ gatherers */

/* Where operations become batches. NULL, wherever one is wanted, is the one of the process: all devices, one batch at
 * a time per processor. Another one is for a device of your choice or limits of your own. */
typedef struct garner garner;

typedef struct garner_config {
    size_t size;         /* sizeof(garner_config) */
    const char *device;  /* names from garner_device_get, addresses of boards, as "vfio-user:/tmp/board0" or
                          * "0000:03:00.0", or "garnerd", which is lent the keys; commas between; NULL for the best
                          * there is */
    size_t slots;        /* batches that run at the same time, 0 for one per processor; brief public operations run
                          * beside them */
    size_t queue_limit;  /* operations that may wait, 0 for 65,536 */
} garner_config;

#define GARNER_CONFIG_INIT { sizeof(garner_config), NULL, 0, 0 }

/* A new gatherer; config may be NULL. GARNER_ERR_ARGUMENT: unknown device, more than 4,096 slots. */
int garner_new(const garner_config *config, garner **gatherer);

/* Shuts the gatherer down and frees it. Operations that wait get GARNER_ERR_SHUT_DOWN, those in a batch their answer;
 * returns when none is left. The gatherer of the process (NULL) goes on. */
int garner_free(garner *gatherer);

typedef struct garner_device {
    size_t size;             /* sizeof(garner_device) */
    char name[64];           /* "cpu", "libcrypto", ...; ends with a zero byte */
    size_t min_bits;         /* shortest modulus of one exponentiation, in bits */
    size_t max_bits;         /* longest modulus of one exponentiation, in bits */
    size_t preferred_batch;  /* exponentiations that run at once at its best; a private operation is two */
} garner_device;

#define GARNER_DEVICE_INIT { sizeof(garner_device), { 0 }, 0, 0, 0 }

/* How many devices this machine has; at least 1. */
int garner_device_count(size_t *count);
/* The device of that index, the preferred one first. GARNER_ERR_ARGUMENT: there is none. */
int garner_device_get(size_t index, garner_device *device);

typedef struct garner_statistics {
    size_t size;                   /* sizeof(garner_statistics); on return, the bytes this library knows */
    uint64_t private_operations;   /* private operations answered */
    uint64_t public_operations;    /* public operations answered */
    uint64_t exponentiations;      /* exponentiations answered */
    uint64_t batches;              /* batches of private operations or exponentiations */
    uint64_t lanes_used;           /* exponentiations in those batches: two for a private operation */
    uint64_t lanes_offered;        /* room in those batches */
    uint64_t public_batches;       /* batches of public operations */
    uint64_t device_ns;            /* time spent in batches, added up, in nanoseconds */
    uint64_t running_ns;           /* time since the first operation, in nanoseconds */
    uint64_t slots;                /* as in garner_config */
    uint64_t faults;               /* results that failed the check s^e = m; none was released */
    uint64_t retries;              /* operations run again on another path */
    uint64_t device_failures;      /* batches that failed as a whole */
    uint64_t out_of_service;       /* devices taken out of service */
    uint64_t queue;                /* operations waiting now */
    uint64_t queue_high_water;     /* most operations that ever waited */
    double mean_fill;              /* operations per batch */
    double load;                   /* part of the slots in use since then, 0 to 1: 1 as many batches as slots all the time */
} garner_statistics;

#define GARNER_STATISTICS_INIT { sizeof(garner_statistics), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0 }

/* The figures of a gatherer since it was made in this process. gatherer may be NULL. */
int garner_statistics_get(garner *gatherer, garner_statistics *statistics);

/* ----------------------------------------------------------------------------------------------- single operations */

/* These wait for the answer. Calls from several threads share batches. gatherer may be NULL in all of them. */

/* output = input^d mod n. Blinded, and checked by output^e = input before it is released. */
int garner_rsa_private(garner *gatherer, const garner_private_key *key, const void *input, size_t input_length,
                       void *output, size_t *output_length);

/* output = input^e mod n. */
int garner_rsa_public(garner *gatherer, const garner_public_key *key, const void *input, size_t input_length,
                      void *output, size_t *output_length);

/* output = base^exponent mod modulus. base is below the modulus, exponent is 1 to 1,024 bytes long. Both may be
 * secret: the time depends on their lengths, never on their values. Nothing checks the result. */
int garner_mod_exp(garner *gatherer, const garner_modulus *modulus, const void *base, size_t base_length,
                   const void *exponent, size_t exponent_length, void *output, size_t *output_length);

enum garner_hash {
    GARNER_SHA1 = 1,  /* signing with it gives GARNER_ERR_ARGUMENT; for verification, OAEP and as a mgf1_hash */
    GARNER_SHA224 = 2,
    GARNER_SHA256 = 3,
    GARNER_SHA384 = 4,
    GARNER_SHA512 = 5,
    GARNER_SHA512_224 = 6,
    GARNER_SHA512_256 = 7,
    GARNER_SHA3_224 = 8,
    GARNER_SHA3_256 = 9,
    GARNER_SHA3_384 = 10,
    GARNER_SHA3_512 = 11
};

/* Signs a message (of any length, 0 too) or its digest with PKCS#1 v1.5. */
int garner_sign(garner *gatherer, const garner_private_key *key, int hash, const void *message, size_t message_length,
                void *signature, size_t *signature_length);
int garner_sign_digest(garner *gatherer, const garner_private_key *key, int hash, const void *digest,
                       size_t digest_length, void *signature, size_t *signature_length);

/* Verifies a PKCS#1 v1.5 signature: GARNER_OK, or GARNER_ERR_VERIFICATION if anything about it is wrong. */
int garner_verify(garner *gatherer, const garner_public_key *key, int hash, const void *message, size_t message_length,
                  const void *signature, size_t signature_length);
int garner_verify_digest(garner *gatherer, const garner_public_key *key, int hash, const void *digest,
                         size_t digest_length, const void *signature, size_t signature_length);

/* The length of a PSS salt in bytes, if it is above 0, or one of these. */
enum garner_salt {
    GARNER_SALT_DIGEST = 0,    /* as long as a digest: what RFC 8017 recommends and TLS 1.3 requires */
    GARNER_SALT_NONE = -1,     /* none: signatures are then deterministic */
    GARNER_SALT_LONGEST = -2,  /* as long as the modulus has room for */
    GARNER_SALT_ANY = -3       /* in verification whatever the signature has; in signing the longest */
};

/* The same with PSS and MGF1. mgf1_hash is that of the mask, 0 for the same as hash; salt_length is a length in bytes or
 * one of enum garner_salt. GARNER_ERR_ARGUMENT where the modulus is too short for hash and salt. */
int garner_sign_pss(garner *gatherer, const garner_private_key *key, int hash, int mgf1_hash, int salt_length,
                    const void *message, size_t message_length, void *signature, size_t *signature_length);
int garner_sign_digest_pss(garner *gatherer, const garner_private_key *key, int hash, int mgf1_hash, int salt_length,
                           const void *digest, size_t digest_length, void *signature, size_t *signature_length);
int garner_verify_pss(garner *gatherer, const garner_public_key *key, int hash, int mgf1_hash, int salt_length,
                      const void *message, size_t message_length, const void *signature, size_t signature_length);
int garner_verify_digest_pss(garner *gatherer, const garner_public_key *key, int hash, int mgf1_hash, int salt_length,
                             const void *digest, size_t digest_length, const void *signature,
                             size_t signature_length);

/* Encrypts a message with OAEP: up to (bits + 7) / 8 - 2 * (bytes of a digest) - 2 bytes. hash is that of the label,
 * SHA-1 too; mgf1_hash that of the mask, 0 for the same. The label is often empty (NULL, 0). */
int garner_encrypt_oaep(garner *gatherer, const garner_public_key *key, int hash, int mgf1_hash, const void *label,
                        size_t label_length, const void *message, size_t message_length, void *ciphertext,
                        size_t *ciphertext_length);

/* Decrypts. The room must be that of the longest message a ciphertext of this key can hold, whatever this one holds;
 * *message_length then tells. GARNER_ERR_VERIFICATION for whatever is wrong with the ciphertext. */
int garner_decrypt_oaep(garner *gatherer, const garner_private_key *key, int hash, int mgf1_hash, const void *label,
                        size_t label_length, const void *ciphertext, size_t ciphertext_length, void *message,
                        size_t *message_length);

/* Encrypts a message with PKCS#1 v1.5: up to (bits + 7) / 8 - 11 bytes. */
int garner_encrypt_pkcs1(garner *gatherer, const garner_public_key *key, const void *message, size_t message_length,
                         void *ciphertext, size_t *ciphertext_length);

/* Decrypts with implicit rejection: a badly padded ciphertext gives a message that nobody can foresee, the same each
 * time, and OpenSSL's (3.2 and later). The room as above. */
int garner_decrypt_pkcs1(garner *gatherer, const garner_private_key *key, const void *ciphertext,
                         size_t ciphertext_length, void *message, size_t *message_length);

/* Decrypts, and gives GARNER_ERR_VERIFICATION for bad padding. Whoever gets to see that, by an error or by time, can
 * decrypt any ciphertext: only for callers that show neither. */
int garner_decrypt_pkcs1_explicit(garner *gatherer, const garner_private_key *key, const void *ciphertext,
                                  size_t ciphertext_length, void *message, size_t *message_length);

/* ------------------------------------------------------------------------------------------------ many operations */

enum garner_operation_kind {
                                        /* handle       input       second     output     */
    GARNER_PRIVATE = 1,                 /* private_key  number                 number     */
    GARNER_PUBLIC = 2,                  /* public_key   number                 number     */
    GARNER_MOD_EXP = 3,                 /* modulus      base        exponent   number     */
    GARNER_SIGN = 4,                    /* private_key  message                signature  */
    GARNER_SIGN_DIGEST = 5,             /* private_key  digest                 signature  */
    GARNER_VERIFY = 6,                  /* public_key   message     signature  (nothing)  */
    GARNER_VERIFY_DIGEST = 7,           /* public_key   digest      signature  (nothing)  */
    GARNER_SIGN_PSS = 8,                /* private_key  message                signature  */
    GARNER_SIGN_DIGEST_PSS = 9,         /* private_key  digest                 signature  */
    GARNER_VERIFY_PSS = 10,             /* public_key   message     signature  (nothing)  */
    GARNER_VERIFY_DIGEST_PSS = 11,      /* public_key   digest      signature  (nothing)  */
    GARNER_ENCRYPT_OAEP = 12,           /* public_key   message                ciphertext */
    GARNER_DECRYPT_OAEP = 13,           /* private_key  ciphertext             message    */
    GARNER_ENCRYPT_PKCS1 = 14,          /* public_key   message                ciphertext */
    GARNER_DECRYPT_PKCS1 = 15,          /* private_key  ciphertext             message    */
    GARNER_DECRYPT_PKCS1_EXPLICIT = 16  /* private_key  ciphertext             message    */
};

/* One operation of a batch. Members that its kind does not use are ignored. */
typedef struct garner_operation {
    size_t size;                            /* sizeof(garner_operation), the same in all of an array */
    int kind;                               /* an enum garner_operation_kind */
    int hash;                               /* an enum garner_hash: to sign, to verify, of OAEP */
    int mgf1_hash;                          /* of PSS and OAEP; 0 for the same as hash */
    int salt_length;                        /* of PSS: bytes, or an enum garner_salt; 0 for those of a digest */
    const garner_private_key *private_key;
    const garner_public_key *public_key;
    const garner_modulus *modulus;
    const void *input;
    size_t input_length;
    const void *second;                     /* the exponent or the signature */
    size_t second_length;
    const void *label;                      /* of OAEP */
    size_t label_length;
    void *output;                           /* not used by garner_submit */
    size_t output_length;                   /* on entry the room, on return the bytes written or needed */
    int status;                             /* on return, what became of this operation */
} garner_operation;

#define GARNER_OPERATION_INIT { sizeof(garner_operation), 0, 0, 0, 0, NULL, NULL, NULL, NULL, 0, NULL, 0, NULL, 0, NULL, 0, 0 }

/* Runs any mix of operations, keys and sizes, and waits for all of them. Each operation gets its own status.
 * Returns GARNER_OK if all are, otherwise the status of the first that is not, whose index garner_last_error() names.
 * GARNER_ERR_NULL for the array itself and GARNER_ERR_ARGUMENT for a wrong size of its elements leave it untouched; any
 * other failure that is not of one operation is the status of all of them.
 * Inputs and outputs of different operations may overlap too: all inputs are read before an output is written. */
int garner_run(garner *gatherer, garner_operation *operations, size_t count);

/* ------------------------------------------------------------------------------------------ without waiting: tickets */

/* The receipt for an operation that was submitted. */
typedef struct garner_ticket garner_ticket;

/* Queues an operation and returns at once; its inputs are copied. The answer comes through the ticket.
 * GARNER_ERR_FULL: the queue is at its limit. Wrong operands are refused here, not later. */
int garner_submit(garner *gatherer, const garner_operation *operation, garner_ticket **ticket);

/* A descriptor for poll(2), select(2) or epoll(7): readable once the answer is there, and it stays so. It belongs to
 * the ticket: do not read from it, do not close it, do not use it after garner_ticket_free. */
int garner_ticket_fd(const garner_ticket *ticket, int *descriptor);

/* The answer: GARNER_PENDING if it is not there yet, otherwise the status of the operation and, if that is GARNER_OK,
 * its output (nothing for verifications, whose output and length may be NULL). An answer can be taken once, then
 * GARNER_ERR_ARGUMENT; too small an output takes nothing. The ticket is still to be freed. */
int garner_ticket_take(garner_ticket *ticket, void *output, size_t *output_length);

/* The same, but waits. */
int garner_ticket_wait(garner_ticket *ticket, void *output, size_t *output_length);

/* Frees the ticket. Its operation is taken out of the queue, or, with a key of garnerd's, not asked for; of one that has begun
 * the answer is thrown away. */
int garner_ticket_free(garner_ticket *ticket);

#ifdef __cplusplus
}
#endif

#endif
