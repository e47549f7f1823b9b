/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: read, made, written; handles of the wrong kind or used twice. */
#include "misuse.h"

void keys(void)
{
    garner_private_key *other = NULL;
    garner_public_key *public_other = NULL;
    garner_modulus *handle = NULL;
    unsigned char even[] = { 6 }, one[] = { 0, 0, 1 }, zeros[3000] = { 0 };
    static unsigned char odd[1025];
    size_t bits;

    EXPECT(GARNER_ERR_NULL, garner_private_key_read(pem, pem_length, NULL, 0, NULL));
    EXPECT(GARNER_ERR_NULL, garner_private_key_read(NULL, pem_length, NULL, 0, &other));
    EXPECT(GARNER_ERR_NULL, garner_private_key_read(pem, pem_length, NULL, 1, &other));
    EXPECT(GARNER_ERR_ENCODING, garner_private_key_read(NULL, 0, NULL, 0, &other));
    EXPECT(GARNER_ERR_ENCODING, garner_private_key_read(pem, 0, NULL, 0, &other));
    EXPECT(GARNER_ERR_ENCODING, garner_private_key_read(pem, pem_length / 2, NULL, 0, &other));
    EXPECT(GARNER_ERR_ENCODING, garner_private_key_read(zeros, sizeof zeros, NULL, 0, &other));
    EXPECT(GARNER_ERR_ARGUMENT, garner_private_key_read(pem, SIZE_MAX, NULL, 0, &other));
    EXPECT_TRUE(other == NULL);

    EXPECT(GARNER_ERR_NULL, garner_private_key_public(NULL, &public_other));
    EXPECT(GARNER_ERR_NULL, garner_private_key_public(key, NULL));
    EXPECT(GARNER_ERR_HANDLE, garner_private_key_public((garner_private_key *)public_key, &public_other));
    EXPECT(GARNER_ERR_HANDLE, garner_private_key_public(wild(), &public_other));
    EXPECT(GARNER_ERR_NULL, garner_private_key_bits(key, NULL));
    EXPECT(GARNER_ERR_NULL, garner_private_key_bits(NULL, &bits));
    EXPECT(GARNER_ERR_HANDLE, garner_private_key_bits((garner_private_key *)modulus, &bits));

    EXPECT(GARNER_ERR_NULL, garner_public_key_read(pem, pem_length, NULL, 0, NULL));
    EXPECT(GARNER_ERR_NULL, garner_public_key_read(NULL, 7, NULL, 0, &public_other));
    EXPECT(GARNER_ERR_ENCODING, garner_public_key_read(NULL, 0, NULL, 0, &public_other));
    EXPECT(GARNER_ERR_NULL, garner_public_key_bits(NULL, &bits));
    EXPECT(GARNER_ERR_HANDLE, garner_public_key_bits((garner_public_key *)key, &bits));
    EXPECT_TRUE(public_other == NULL);

    odd[0] = odd[1024] = 1;
    EXPECT(GARNER_ERR_NULL, garner_modulus_new(one, sizeof one, NULL));
    EXPECT(GARNER_ERR_NULL, garner_modulus_new(NULL, 1, &handle));
    EXPECT(GARNER_ERR_ARGUMENT, garner_modulus_new(NULL, 0, &handle));
    EXPECT(GARNER_ERR_ARGUMENT, garner_modulus_new(even, sizeof even, &handle));
    EXPECT(GARNER_ERR_ARGUMENT, garner_modulus_new(one, sizeof one, &handle));
    EXPECT(GARNER_ERR_ARGUMENT, garner_modulus_new(zeros, sizeof zeros, &handle));
    EXPECT(GARNER_ERR_ARGUMENT, garner_modulus_new(odd, sizeof odd, &handle));
    EXPECT(GARNER_ERR_ARGUMENT, garner_modulus_new(odd, SIZE_MAX, &handle));
    EXPECT(GARNER_ERR_NULL, garner_modulus_bits(NULL, &bits));
    EXPECT(GARNER_ERR_NULL, garner_modulus_bits(modulus, NULL));
    EXPECT_TRUE(handle == NULL);

    /* Twice, and with the wrong function. */
    EXPECT(GARNER_OK, garner_private_key_read(pem, pem_length, NULL, 0, &other));
    EXPECT(GARNER_ERR_HANDLE, garner_public_key_free((garner_public_key *)other));
    EXPECT(GARNER_ERR_HANDLE, garner_modulus_free((garner_modulus *)other));
    EXPECT(GARNER_ERR_HANDLE, garner_ticket_free((garner_ticket *)other));
    EXPECT(GARNER_OK, garner_private_key_free(other));
    EXPECT(GARNER_ERR_HANDLE, garner_private_key_free(other));
    EXPECT(GARNER_ERR_HANDLE, garner_private_key_bits(other, &bits));
    EXPECT(GARNER_ERR_HANDLE, garner_private_key_free(wild()));
    EXPECT(GARNER_OK, garner_private_key_free(NULL));
    EXPECT(GARNER_OK, garner_public_key_free(NULL));
    EXPECT(GARNER_OK, garner_modulus_free(NULL));
    EXPECT(GARNER_OK, garner_ticket_free(NULL));
}

void new_keys(void)
{
    garner_keygen_options options = GARNER_KEYGEN_OPTIONS_INIT;
    garner_private_key *made = NULL, *many[3] = { NULL, NULL, NULL };
    const unsigned char even[] = { 1, 0, 0 }, three[] = { 3 };
    unsigned char file[8192], small[10] = { 7 };
    size_t bits, size;
    int formats[] = { 0, 5, -1, 0x7fffffff };

    EXPECT(GARNER_ERR_NULL, garner_private_key_generate(2048, NULL, NULL));
    EXPECT(GARNER_ERR_ARGUMENT, garner_private_key_generate(0, NULL, &made));
    EXPECT(GARNER_ERR_ARGUMENT, garner_private_key_generate(1024, NULL, &made));
    EXPECT(GARNER_ERR_ARGUMENT, garner_private_key_generate(2049, NULL, &made));
    EXPECT(GARNER_ERR_ARGUMENT, garner_private_key_generate(SIZE_MAX, NULL, &made));
    options.exponent = even;
    options.exponent_length = sizeof even;
    EXPECT(GARNER_ERR_ARGUMENT, garner_private_key_generate(2048, &options, &made));
    options.exponent_length = 0;
    EXPECT(GARNER_ERR_ARGUMENT, garner_private_key_generate(2048, &options, &made));
    options.exponent = three;
    options.exponent_length = sizeof three;
    EXPECT(GARNER_ERR_ARGUMENT, garner_private_key_generate(2048, &options, &made));
    options.size--;
    EXPECT(GARNER_ERR_ARGUMENT, garner_private_key_generate(2048, &options, &made));
    options.size++;
    EXPECT(GARNER_ERR_NULL, garner_private_key_generate_many(2048, NULL, NULL, 1));
    EXPECT(GARNER_ERR_ARGUMENT, garner_private_key_generate_many(2048, NULL, many, SIZE_MAX));
    EXPECT(GARNER_ERR_ARGUMENT, garner_private_key_generate_many(2000, NULL, many, 3));
    EXPECT(GARNER_OK, garner_private_key_generate_many(2048, NULL, NULL, 0));
    EXPECT_TRUE(made == NULL && many[0] == NULL);
    options.below_fips = 1;
    EXPECT(GARNER_OK, garner_private_key_generate_many(512, &options, many, 3));
    for (int i = 0; i < 3; i++) {
        EXPECT(GARNER_OK, garner_private_key_bits(many[i], &bits));
        EXPECT_TRUE(bits == 512);
        EXPECT(GARNER_OK, garner_private_key_free(many[i]));
    }

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size = sizeof file;
        EXPECT(GARNER_ERR_ARGUMENT, garner_private_key_write(key, formats[i], file, &size));
        EXPECT(GARNER_ERR_ARGUMENT, garner_public_key_write(public_key, formats[i], file, &size));
        EXPECT(GARNER_ERR_ARGUMENT,
               garner_private_key_write_encrypted(key, formats[i], GARNER_AES_128_CBC, 1, "p", 1, file, &size));
        EXPECT(GARNER_ERR_ARGUMENT,
               garner_private_key_write_encrypted(key, GARNER_PEM, formats[i], 1, "p", 1, file, &size));
    }
    EXPECT(GARNER_ERR_ARGUMENT, garner_public_key_write(public_key, GARNER_PKCS1_PEM, file, &size));
    EXPECT(GARNER_ERR_NULL, garner_private_key_write(NULL, GARNER_PEM, file, &size));
    EXPECT(GARNER_ERR_HANDLE, garner_private_key_write(wild(), GARNER_PEM, file, &size));
    EXPECT(GARNER_ERR_NULL, garner_private_key_write(key, GARNER_PEM, file, NULL));
    EXPECT(GARNER_ERR_ARGUMENT,
           garner_private_key_write_encrypted(key, GARNER_PEM, GARNER_AES_128_CBC, 1, NULL, 0, file, &size));
    EXPECT(GARNER_ERR_NULL,
           garner_private_key_write_encrypted(key, GARNER_PEM, GARNER_AES_128_CBC, 1, NULL, 1, file, &size));
    EXPECT(GARNER_ERR_ARGUMENT,
           garner_private_key_write_encrypted(key, GARNER_PEM, GARNER_AES_128_CBC, 10000001, "p", 1, file, &size));
    size = sizeof small;
    EXPECT(GARNER_ERR_BUFFER, garner_private_key_write(key, GARNER_DER, small, &size));
    EXPECT_TRUE(size > 1000 && size < sizeof file && small[0] == 7);
    EXPECT(GARNER_OK, garner_private_key_write(key, GARNER_DER, file, &size));
    EXPECT(GARNER_OK, garner_private_key_read(file, size, NULL, 0, &made));
    EXPECT(GARNER_OK, garner_private_key_free(made));
}
