/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Garner: AES-CBC by the engines of an accelerator board, from user space and without a driver in the kernel: one
 * engine encrypts, one decrypts. Part of libgarner where it was built with boards, which is the default. What garner.h
 * says of results, handles, memory and structures holds here, too.
 *
 *     garner_aes *aes;
 *     uint32_t key;
 *     garner_aes_message message = GARNER_AES_MESSAGE_INIT;
 *
 *     if (garner_aes_open("0000:03:00.0", &aes) != GARNER_OK ||
 *         garner_aes_load_key(aes, secret, sizeof secret, &key) != GARNER_OK)
 *         ...
 *     message.key = key;
 *     memcpy(message.iv, iv, 16);
 *     message.source = text;
 *     message.destination = text;
 *     message.length = 4096;
 *     if (garner_aes_encrypt(aes, &message, 1) != GARNER_OK)
 *         fprintf(stderr, "%s\n", garner_last_error());
 *     garner_aes_close(aes);
 *
 * Nothing is checked: CBC has no authentication, and to check a result would be to compute it again.
 *
 * Threads   Calls with one handle wait for each other. A child after fork does not have its parent's boards: its calls
 *           give GARNER_ERR_FORKED, but for garner_aes_close, which leaves the board alone.
 */
#ifndef GARNER_AES_BOARD_H
#define GARNER_AES_BOARD_H

#include "garner.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The AES engines of a board. */
typedef struct garner_aes garner_aes;

/* One message of a batch. */
typedef struct garner_aes_message {
    size_t size;            /* sizeof(garner_aes_message) */
    uint32_t key;           /* from garner_aes_load_key */
    int status;             /* out: GARNER_OK, or GARNER_ERR_DEVICE: nothing was written to the destination */
    uint8_t iv[16];
    const void *source;
    void *destination;      /* as long as the source; may be the source */
    size_t length;          /* bytes, a multiple of 16 and not 0 */
    uint64_t cycles;        /* out: what the engine took, in cycles of the board's clock */
} garner_aes_message;

#define GARNER_AES_MESSAGE_INIT { sizeof(garner_aes_message), 0, 0, { 0 }, NULL, NULL, 0, 0 }

/* Opens the board at a PCI address as "0000:03:00.0", or simulated as "vfio-user:/tmp/board0", and resets it. Nobody else
 * can have the board meanwhile, for RSA neither. GARNER_ERR_ARGUMENT: nothing is there, or no board with AES engines. */
int garner_aes_open(const char *address, garner_aes **aes);

/* Has both engines erase all they hold, keys and what is left of them, and gives the board back. */
int garner_aes_close(garner_aes *aes);

/* How long the keys are that the engines were built for: 16 bytes, 24 or 32. */
int garner_aes_key_bytes(garner_aes *aes, size_t *bytes);

/* Loads a key of so many bytes into both engines, under a number. GARNER_ERR_ARGUMENT: another length, or all slots of the
 * board have keys. */
int garner_aes_load_key(garner_aes *aes, const void *key, size_t length, uint32_t *number);

/* Overwrites a key in its slot of both engines; its number is used for no other. What the key left on its way there, in the
 * engines' FIFOs and registers, stays until later blocks overwrite it, or until garner_aes_close. */
int garner_aes_unload_key(garner_aes *aes, uint32_t number);

/* Encrypts or decrypts a batch, of one message or many. Where an argument is wrong nothing is done. GARNER_ERR_DEVICE: see
 * the status of each message; if the board does not answer, it is out of use until it is opened again. */
int garner_aes_encrypt(garner_aes *aes, garner_aes_message *messages, size_t count);
int garner_aes_decrypt(garner_aes *aes, garner_aes_message *messages, size_t count);

#ifdef __cplusplus
}
#endif

#endif
