/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES-CBC by a board's engines: encrypts a file and decrypts it again.
 *
 *     cc -std=c11 -o aes aes.c $(pkg-config --cflags --libs garner)
 *     ./aes BOARD KEY IV FILE CIPHERTEXT
 *
 * KEY: hexadecimal digits, as many as the board's keys have, which are 32 of 128 bits; IV: 32; FILE: a multiple of 16 bytes.
 * `openssl enc -d -aes-128-cbc -nopad -K KEY -iv IV -in CIPHERTEXT` gives the file back, too.
 */
#include <garner_aes_board.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int status, const char *what)
{
    if (status != GARNER_OK) {
        fprintf(stderr, "%s: %s\n", what, garner_last_error());
        exit(1);
    }
}

static void hexadecimal(const char *digits, unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned byte;
        if (sscanf(digits + 2 * i, "%2x", &byte) != 1) {
            fprintf(stderr, "%s: not %zu hexadecimal digits\n", digits, 2 * count);
            exit(2);
        }
        bytes[i] = (unsigned char)byte;
    }
}

int main(int argc, char **argv)
{
    if (argc != 6 || strlen(argv[2]) > 64 || strlen(argv[2]) % 2 != 0 || strlen(argv[3]) != 32) {
        fprintf(stderr, "usage: %s BOARD KEY IV FILE CIPHERTEXT\n", argv[0]);
        return 2;
    }
    garner_aes *aes;
    uint32_t key;
    unsigned char secret[32], iv[16];
    size_t key_length = strlen(argv[2]) / 2, wanted;
    hexadecimal(argv[2], secret, key_length);
    hexadecimal(argv[3], iv, sizeof iv);

    FILE *file = fopen(argv[4], "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(argv[4]);
        return 1;
    }
    size_t length = (size_t)ftell(file);
    unsigned char *text = malloc(length + 1), *again = malloc(length + 1);
    rewind(file);
    if (!text || !again || fread(text, 1, length, file) != length) {
        perror(argv[4]);
        return 1;
    }
    fclose(file);

    must(garner_aes_open(argv[1], &aes), argv[1]);
    must(garner_aes_key_bytes(aes, &wanted), argv[1]);
    if (key_length != wanted) {
        fprintf(stderr, "%s takes keys of %zu bytes\n", argv[1], wanted);
        garner_aes_close(aes);
        return 2;
    }
    must(garner_aes_load_key(aes, secret, key_length, &key), "the key");
    garner_aes_message message = GARNER_AES_MESSAGE_INIT;
    message.key = key;
    memcpy(message.iv, iv, sizeof iv);
    message.source = text;
    message.destination = again; /* might be the text itself */
    message.length = length;
    must(garner_aes_encrypt(aes, &message, 1), "encryption");
    printf("%zu bytes encrypted in %llu cycles of the board\n", length, (unsigned long long)message.cycles);
    file = fopen(argv[5], "wb");
    if (!file || fwrite(again, 1, length, file) != length || fclose(file) != 0) {
        perror(argv[5]);
        return 1;
    }

    message.source = message.destination = again;
    must(garner_aes_decrypt(aes, &message, 1), "decryption");
    if (memcmp(text, again, length) != 0) {
        fprintf(stderr, "decryption gives another text\n");
        return 1;
    }
    printf("and decrypted in %llu\n", (unsigned long long)message.cycles);
    must(garner_aes_unload_key(aes, key), "the key");
    must(garner_aes_close(aes), argv[1]);
    free(text);
    free(again);
    return 0;
}
