/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys, encryption and PSS with Garner from C: a new key, written encrypted; a message encrypted with OAEP and decrypted;
 * a hundred ciphertexts decrypted in one batch; several keys made at once; a PSS signature.
 *
 *     cc -std=c11 -o encrypt encrypt.c $(pkg-config --cflags --libs garner)
 *     ./encrypt key.pem PASSWORD message ciphertext signature
 *     openssl pkeyutl -decrypt -inkey key.pem -passin pass:PASSWORD -in ciphertext \
 *         -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256
 */
#include <garner.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 100, KEYS = 4, MAX_SIZE = 1024 /* bytes of an 8,192-bit key */, MAX_FILE = 8192 };

/* Ends the program if a call failed. */
static void check(int status, const char *what)
{
    if (status == GARNER_OK)
        return;
    fprintf(stderr, "%s: %s (%s)\n", what, garner_last_error(), garner_error_string(status));
    exit(EXIT_FAILURE);
}

static void write_file(const char *path, const void *content, size_t length)
{
    FILE *file = fopen(path, "wb");

    if (file == NULL || fwrite(content, 1, length, file) != length || fclose(file) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

/* A new key, and its file. */
static garner_private_key *make_key(const char *path, const char *password)
{
    garner_private_key *key;
    char pem[MAX_FILE];
    size_t length = sizeof pem, bits;

    check(garner_private_key_generate(2048, NULL, &key), "garner_private_key_generate");
    check(garner_private_key_write_encrypted(key, GARNER_PEM, GARNER_AES_256_CBC, 0, password, strlen(password), pem,
                                             &length),
          "garner_private_key_write_encrypted");
    write_file(path, pem, length);
    check(garner_private_key_bits(key, &bits), "garner_private_key_bits");
    printf("a new key of %zu bits\n", bits);
    return key;
}

/* Several keys in one call: each for far less than one alone would cost. */
static void make_many_keys(void)
{
    garner_private_key *keys[KEYS];
    garner_keygen_options options = GARNER_KEYGEN_OPTIONS_INIT;
    const unsigned char exponent[] = { 1, 0, 0, 0, 0x0f }; /* 2^32 + 15 */

    options.exponent = exponent;
    options.exponent_length = sizeof exponent;
    check(garner_private_key_generate_many(2048, &options, keys, KEYS), "garner_private_key_generate_many");
    for (int i = 0; i < KEYS; i++)
        check(garner_private_key_free(keys[i]), "garner_private_key_free");
    printf("%d more at once\n", KEYS);
}

/* One message there and back. Returns the length of the ciphertext. */
static size_t encrypt_one(const garner_private_key *key, const garner_public_key *public_key, const char *message,
                          unsigned char *ciphertext)
{
    unsigned char opened[MAX_SIZE];
    size_t size = MAX_SIZE, length = sizeof opened;

    check(garner_encrypt_oaep(NULL, public_key, GARNER_SHA256, 0, NULL, 0, message, strlen(message), ciphertext, &size),
          "garner_encrypt_oaep");
    check(garner_decrypt_oaep(NULL, key, GARNER_SHA256, 0, NULL, 0, ciphertext, size, opened, &length),
          "garner_decrypt_oaep");
    if (length != strlen(message) || memcmp(opened, message, length) != 0) {
        fprintf(stderr, "the message came back as another\n");
        exit(EXIT_FAILURE);
    }
    printf("a message encrypted and decrypted\n");
    return size;
}

/* Many ciphertexts: one call decrypts them all, and says of each how it went. */
static void decrypt_many(const garner_private_key *key, const garner_public_key *public_key)
{
    static unsigned char ciphertexts[BATCH][MAX_SIZE], messages[BATCH][MAX_SIZE];
    static char texts[BATCH][32];
    garner_operation operations[BATCH];

    for (int i = 0; i < BATCH; i++) {
        int length = snprintf(texts[i], sizeof texts[i], "message %d", i);
        operations[i] = (garner_operation){
            .size = sizeof(garner_operation),
            .kind = GARNER_ENCRYPT_OAEP,
            .hash = GARNER_SHA256,
            .public_key = public_key,
            .label = "example",
            .label_length = 7,
            .input = texts[i],
            .input_length = (size_t)length,
            .output = ciphertexts[i],
            .output_length = sizeof ciphertexts[i],
        };
    }
    check(garner_run(NULL, operations, BATCH), "garner_run, encrypting");
    ciphertexts[7][20] ^= 1;
    for (int i = 0; i < BATCH; i++) {
        operations[i].kind = GARNER_DECRYPT_OAEP;
        operations[i].private_key = key;
        operations[i].input = ciphertexts[i];
        operations[i].input_length = operations[i].output_length;
        operations[i].output = messages[i];
        operations[i].output_length = sizeof messages[i];
    }
    if (garner_run(NULL, operations, BATCH) != GARNER_ERR_VERIFICATION) {
        fprintf(stderr, "a spoilt ciphertext was decrypted\n");
        exit(EXIT_FAILURE);
    }
    for (int i = 0; i < BATCH; i++) {
        int good = operations[i].status == GARNER_OK && operations[i].output_length == strlen(texts[i]) &&
                   memcmp(messages[i], texts[i], strlen(texts[i])) == 0;
        if (good != (i != 7)) {
            fprintf(stderr, "ciphertext %d: status %d\n", i, operations[i].status);
            exit(EXIT_FAILURE);
        }
    }
    printf("%d decrypted in a batch, the spoilt one refused\n", BATCH - 1);
}

int main(int argc, char **argv)
{
    garner_private_key *key;
    garner_public_key *public_key;
    unsigned char ciphertext[MAX_SIZE], signature[MAX_SIZE];
    size_t size;

    if (argc != 6) {
        fprintf(stderr, "usage: %s KEY PASSWORD MESSAGE CIPHERTEXT SIGNATURE\n", argv[0]);
        return 2;
    }
    key = make_key(argv[1], argv[2]);
    check(garner_private_key_public(key, &public_key), "garner_private_key_public");
    make_many_keys();

    size = encrypt_one(key, public_key, argv[3], ciphertext);
    write_file(argv[4], ciphertext, size);
    decrypt_many(key, public_key);

    size = sizeof signature;
    check(garner_sign_pss(NULL, key, GARNER_SHA256, 0, GARNER_SALT_DIGEST, argv[3], strlen(argv[3]), signature, &size),
          "garner_sign_pss");
    check(garner_verify_pss(NULL, public_key, GARNER_SHA256, 0, GARNER_SALT_ANY, argv[3], strlen(argv[3]), signature,
                            size),
          "garner_verify_pss");
    write_file(argv[5], signature, size);
    printf("a PSS signature made and verified\n");

    check(garner_private_key_free(key), "garner_private_key_free");
    check(garner_public_key_free(public_key), "garner_public_key_free");
    return EXIT_SUCCESS;
}
