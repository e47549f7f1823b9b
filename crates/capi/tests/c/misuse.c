/* Every misuse that garner.h gives a status for. Usage: misuse KEY, a PEM file with an RSA-2048 key. */
#include <garner.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int failures;

static void expect(int line, const char *call, int expected, int status)
{
    if (status == expected)
        return;
    printf("%d: %s gave %d (%s: %s), not %d\n", line, call, status, garner_error_string(status), garner_last_error(),
           expected);
    failures++;
}
#define EXPECT(expected, call) expect(__LINE__, #call, expected, call)
#define EXPECT_TRUE(truth) expect(__LINE__, #truth, 1, (truth) ? 1 : 0)

enum { SIZE = 256 };

static garner_private_key *key;
static garner_public_key *public_key;
static garner_modulus *modulus;
static unsigned char pem[8192];
static size_t pem_length;

static const unsigned char message[] = "what is signed";
static unsigned char signature[SIZE];

/* Something that is neither NULL nor a handle. */
static void *wild(void)
{
    static int something;
    return &something;
}

static void gatherers(void)
{
    garner_config config = GARNER_CONFIG_INIT;
    struct {
        garner_config known;
        size_t later;
    } newer = { GARNER_CONFIG_INIT, 0 };
    garner *gatherer = NULL;

    EXPECT(GARNER_ERR_NULL, garner_new(NULL, NULL));
    config.size = sizeof config - 1;
    EXPECT(GARNER_ERR_ARGUMENT, garner_new(&config, &gatherer));
    config.size = 0;
    EXPECT(GARNER_ERR_ARGUMENT, garner_new(&config, &gatherer));
    config.size = SIZE_MAX;
    EXPECT(GARNER_ERR_ARGUMENT, garner_new(&config, &gatherer));
    config.size = sizeof config;
    config.device = "no such device";
    EXPECT(GARNER_ERR_ARGUMENT, garner_new(&config, &gatherer));
    EXPECT_TRUE(strstr(garner_last_error(), "no such device") != NULL);
    config.device = "vfio-user:/no/board";
    EXPECT(GARNER_ERR_ARGUMENT, garner_new(&config, &gatherer));
    EXPECT_TRUE(strstr(garner_last_error(), "/no/board") != NULL);
    config.device = "";
    EXPECT(GARNER_ERR_ARGUMENT, garner_new(&config, &gatherer));
    config.device = NULL;
    config.slots = SIZE_MAX;
    EXPECT(GARNER_ERR_ARGUMENT, garner_new(&config, &gatherer));
    EXPECT_TRUE(gatherer == NULL);

    newer.known.size = sizeof newer;
    newer.later = 1;
    EXPECT(GARNER_ERR_ARGUMENT, garner_new(&newer.known, &gatherer));
    newer.later = 0;
    EXPECT(GARNER_OK, garner_new(&newer.known, &gatherer));
    EXPECT(GARNER_OK, garner_free(gatherer));
    EXPECT(GARNER_ERR_HANDLE, garner_free(gatherer));
    EXPECT(GARNER_ERR_HANDLE, garner_free((garner *)key));
    EXPECT(GARNER_ERR_HANDLE, garner_free(wild()));
    EXPECT(GARNER_OK, garner_free(NULL));

    size_t size = SIZE;
    EXPECT(GARNER_ERR_HANDLE, garner_sign(gatherer, key, GARNER_SHA256, message, 1, signature, &size));

    config = (garner_config)GARNER_CONFIG_INIT;
    config.device = "libcrypto";
    config.slots = 1;
    config.queue_limit = 1;
    EXPECT(GARNER_OK, garner_new(&config, &gatherer));
    EXPECT(GARNER_OK, garner_sign(gatherer, key, GARNER_SHA256, message, 1, signature, &size));
    EXPECT(GARNER_OK, garner_free(gatherer));
}

static void reports(void)
{
    garner_device device = GARNER_DEVICE_INIT;
    garner_statistics figures = GARNER_STATISTICS_INIT;
    struct {
        garner_statistics known;
        uint64_t later;
    } newer = { GARNER_STATISTICS_INIT, 1 };
    size_t count = 0;

    EXPECT(GARNER_ERR_NULL, garner_device_count(NULL));
    EXPECT(GARNER_OK, garner_device_count(&count));
    EXPECT_TRUE(count > 0);
    EXPECT(GARNER_ERR_NULL, garner_device_get(0, NULL));
    EXPECT(GARNER_ERR_ARGUMENT, garner_device_get(count, &device));
    EXPECT(GARNER_ERR_ARGUMENT, garner_device_get(SIZE_MAX, &device));
    device.size--;
    EXPECT(GARNER_ERR_ARGUMENT, garner_device_get(0, &device));

    EXPECT(GARNER_ERR_NULL, garner_statistics_get(NULL, NULL));
    EXPECT(GARNER_ERR_HANDLE, garner_statistics_get((garner *)modulus, &figures));
    figures.size = 8;
    EXPECT(GARNER_ERR_ARGUMENT, garner_statistics_get(NULL, &figures));
    newer.known.size = sizeof newer;
    EXPECT(GARNER_OK, garner_statistics_get(NULL, &newer.known));
    EXPECT_TRUE(newer.known.size == sizeof figures && newer.later == 0);

    for (int status = -1000; status < 1000; status++)
        EXPECT_TRUE(garner_error_string(status)[0] != '\0');
    EXPECT_TRUE(garner_version()[0] != '\0');
}

static void keys(void)
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

static void numbers(void)
{
    unsigned char in[SIZE], out[SIZE + 1], big[SIZE + 1], back[SIZE];
    size_t size;

    memset(in, 0x55, sizeof in);
    in[0] = 0;
    memset(big, 0xff, sizeof big);

    /* the output */
    size = SIZE;
    EXPECT(GARNER_ERR_NULL, garner_rsa_private(NULL, key, in, SIZE, NULL, &size));
    EXPECT(GARNER_ERR_NULL, garner_rsa_private(NULL, key, in, SIZE, out, NULL));
    size = 0;
    EXPECT(GARNER_ERR_BUFFER, garner_rsa_private(NULL, key, in, SIZE, NULL, &size));
    EXPECT_TRUE(size == SIZE);
    size = SIZE - 1;
    memset(out, 7, sizeof out);
    EXPECT(GARNER_ERR_BUFFER, garner_rsa_private(NULL, key, in, SIZE, out, &size));
    EXPECT_TRUE(size == SIZE && out[0] == 7);
    size = SIZE + 1;
    EXPECT(GARNER_OK, garner_rsa_private(NULL, key, in, SIZE, out, &size));
    EXPECT_TRUE(size == SIZE && out[SIZE] == 7);

    /* the handle */
    EXPECT(GARNER_ERR_NULL, garner_rsa_private(NULL, NULL, in, SIZE, out, &size));
    EXPECT(GARNER_ERR_HANDLE, garner_rsa_private(NULL, (garner_private_key *)public_key, in, SIZE, out, &size));
    EXPECT(GARNER_ERR_HANDLE, garner_rsa_private((garner *)key, key, in, SIZE, out, &size));
    EXPECT(GARNER_ERR_HANDLE, garner_rsa_private(wild(), key, in, SIZE, out, &size));
    EXPECT(GARNER_ERR_HANDLE, garner_rsa_public(NULL, (garner_public_key *)key, in, SIZE, out, &size));
    EXPECT(GARNER_ERR_HANDLE, garner_mod_exp(NULL, (garner_modulus *)key, in, 1, in, 2, out, &size));

    /* the input */
    EXPECT(GARNER_ERR_NULL, garner_rsa_private(NULL, key, NULL, SIZE, out, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_rsa_private(NULL, key, NULL, 0, out, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_rsa_private(NULL, key, in, 0, out, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_rsa_private(NULL, key, in, SIZE_MAX, out, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_rsa_private(NULL, key, big, SIZE, out, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_rsa_public(NULL, public_key, big, SIZE, out, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_rsa_public(NULL, public_key, big, SIZE + 1, out, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_mod_exp(NULL, modulus, big, 2, in, 2, out, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_mod_exp(NULL, modulus, in, 1, NULL, 0, out, &size));
    EXPECT(GARNER_ERR_NULL, garner_mod_exp(NULL, modulus, in, 1, NULL, 1, out, &size));
    static const unsigned char long_exponent[1025];
    EXPECT(GARNER_ERR_ARGUMENT, garner_mod_exp(NULL, modulus, in, 1, long_exponent, sizeof long_exponent, out, &size));
    EXPECT_TRUE(size == SIZE);

    /* leading zeros, short inputs, no alignment, input and output overlapping */
    unsigned char room[SIZE + 64] = { 0 }, small[] = { 0, 0, 0, 2 };
    size = SIZE;
    EXPECT(GARNER_OK, garner_rsa_public(NULL, public_key, small, sizeof small, out, &size));
    EXPECT(GARNER_OK, garner_rsa_private(NULL, key, out, SIZE, back, &size));
    EXPECT_TRUE(back[SIZE - 1] == 2 && back[0] == 0);
    memcpy(room + 3, in, SIZE);
    EXPECT(GARNER_OK, garner_rsa_public(NULL, public_key, room + 3, SIZE, room + 20, &size));
    EXPECT(GARNER_OK, garner_rsa_private(NULL, key, room + 20, SIZE, room + 1, &size));
    EXPECT_TRUE(memcmp(room + 1, in, SIZE) == 0);

    /* the length within the output, not aligned either */
    memset(room, 0, sizeof room);
    size = SIZE;
    memcpy(room + 5, &size, sizeof size);
    EXPECT(GARNER_OK, garner_rsa_public(NULL, public_key, small, sizeof small, room, (size_t *)(void *)(room + 5)));
}

static void signatures(void)
{
    unsigned char digest[32] = { 1 }, other[SIZE];
    size_t size = SIZE;
    int hashes[] = { 0, -1, 12, 99, 0x7fffffff, -0x7fffffff - 1 };

    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++) {
        EXPECT(GARNER_ERR_ARGUMENT, garner_sign(NULL, key, hashes[i], message, 3, signature, &size));
        EXPECT(GARNER_ERR_ARGUMENT, garner_verify(NULL, public_key, hashes[i], message, 3, signature, SIZE));
    }
    EXPECT(GARNER_ERR_ARGUMENT, garner_sign(NULL, key, GARNER_SHA1, message, 3, signature, &size));
    EXPECT(GARNER_ERR_NULL, garner_sign(NULL, NULL, GARNER_SHA256, message, 3, signature, &size));
    EXPECT(GARNER_ERR_NULL, garner_sign(NULL, key, GARNER_SHA256, NULL, 3, signature, &size));
    EXPECT(GARNER_ERR_NULL, garner_sign(NULL, key, GARNER_SHA256, message, 3, NULL, &size));
    EXPECT(GARNER_ERR_NULL, garner_sign(NULL, key, GARNER_SHA256, message, 3, signature, NULL));
    EXPECT(GARNER_ERR_ARGUMENT, garner_sign(NULL, key, GARNER_SHA256, message, SIZE_MAX, signature, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_sign_digest(NULL, key, GARNER_SHA256, digest, 31, signature, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_sign_digest(NULL, key, GARNER_SHA256, NULL, 0, signature, &size));
    EXPECT(GARNER_ERR_HANDLE, garner_sign_digest(NULL, wild(), GARNER_SHA256, digest, 32, signature, &size));

    EXPECT(GARNER_OK, garner_sign(NULL, key, GARNER_SHA256, NULL, 0, signature, &size));
    EXPECT(GARNER_OK, garner_verify(NULL, public_key, GARNER_SHA256, NULL, 0, signature, size));
    EXPECT(GARNER_OK, garner_sign_digest(NULL, key, GARNER_SHA256, digest, 32, signature, &size));
    EXPECT(GARNER_OK, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, signature, size));

    /* whatever is wrong with a signature, the answer is the same */
    memset(other, 0xff, sizeof other);
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, other, SIZE));
    memset(other, 0, sizeof other);
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, other, SIZE));
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, signature, 0));
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, NULL, 0));
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, signature, 255));
    memcpy(other, signature, SIZE);
    other[SIZE - 1] ^= 1;
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, other, SIZE));
    digest[0] ^= 1;
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, signature, SIZE));
    EXPECT(GARNER_ERR_NULL, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, NULL, SIZE));
    EXPECT(GARNER_ERR_NULL, garner_verify_digest(NULL, NULL, GARNER_SHA256, digest, 32, signature, SIZE));
    EXPECT(GARNER_ERR_HANDLE,
           garner_verify(NULL, (garner_public_key *)key, GARNER_SHA256, message, 1, signature, SIZE));
}

static void new_keys(void)
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

static void encryption(void)
{
    unsigned char ciphertext[SIZE], opened[SIZE], again[SIZE], block[SIZE] = { 0, 1, 7 };
    size_t size = SIZE, length, second;

    /* lengths */
    EXPECT(GARNER_ERR_ARGUMENT,
           garner_encrypt_oaep(NULL, public_key, GARNER_SHA256, 0, NULL, 0, signature, 191, ciphertext, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_encrypt_pkcs1(NULL, public_key, signature, 246, ciphertext, &size));
    EXPECT(GARNER_ERR_ARGUMENT,
           garner_encrypt_oaep(NULL, public_key, 99, 0, NULL, 0, message, 5, ciphertext, &size));
    EXPECT(GARNER_ERR_ARGUMENT,
           garner_encrypt_oaep(NULL, public_key, GARNER_SHA256, -1, NULL, 0, message, 5, ciphertext, &size));
    EXPECT(GARNER_ERR_NULL,
           garner_encrypt_oaep(NULL, public_key, GARNER_SHA256, 0, NULL, 1, message, 5, ciphertext, &size));
    EXPECT(GARNER_ERR_NULL,
           garner_encrypt_oaep(NULL, NULL, GARNER_SHA256, 0, NULL, 0, message, 5, ciphertext, &size));
    EXPECT(GARNER_OK,
           garner_encrypt_oaep(NULL, public_key, GARNER_SHA256, GARNER_SHA1, "l", 1, message, 5, ciphertext, &size));
    EXPECT_TRUE(size == SIZE);

    /* the room is that of the longest message, whatever this one is */
    length = 189;
    EXPECT(GARNER_ERR_BUFFER, garner_decrypt_oaep(NULL, key, GARNER_SHA256, GARNER_SHA1, "l", 1, ciphertext, SIZE,
                                                  opened, &length));
    EXPECT_TRUE(length == 190);
    EXPECT(GARNER_OK, garner_decrypt_oaep(NULL, key, GARNER_SHA256, GARNER_SHA1, "l", 1, ciphertext, SIZE, opened,
                                          &length));
    EXPECT_TRUE(length == 5 && memcmp(opened, message, 5) == 0);

    /* whatever is wrong with a ciphertext, the answer is the same */
    length = SIZE;
    EXPECT(GARNER_ERR_VERIFICATION, garner_decrypt_oaep(NULL, key, GARNER_SHA256, GARNER_SHA1, "m", 1, ciphertext,
                                                        SIZE, opened, &length));
    EXPECT(GARNER_ERR_VERIFICATION, garner_decrypt_oaep(NULL, key, GARNER_SHA256, 0, "l", 1, ciphertext, SIZE, opened,
                                                        &length));
    EXPECT(GARNER_ERR_VERIFICATION, garner_decrypt_oaep(NULL, key, GARNER_SHA256, GARNER_SHA1, "l", 1, ciphertext,
                                                        255, opened, &length));
    EXPECT_TRUE(length == SIZE);

    /* bad padding of PKCS#1 v1.5: a stand-in, the same twice; or the error for who asks for it */
    size = SIZE;
    EXPECT(GARNER_OK, garner_rsa_public(NULL, public_key, block, SIZE, ciphertext, &size));
    length = second = SIZE;
    EXPECT(GARNER_OK, garner_decrypt_pkcs1(NULL, key, ciphertext, SIZE, opened, &length));
    EXPECT(GARNER_OK, garner_decrypt_pkcs1(NULL, key, ciphertext, SIZE, again, &second));
    EXPECT_TRUE(length == second && memcmp(opened, again, length) == 0);
    length = SIZE;
    EXPECT(GARNER_ERR_VERIFICATION, garner_decrypt_pkcs1_explicit(NULL, key, ciphertext, SIZE, opened, &length));
    EXPECT(GARNER_OK, garner_encrypt_pkcs1(NULL, public_key, message, 5, ciphertext, &size));
    EXPECT(GARNER_OK, garner_decrypt_pkcs1_explicit(NULL, key, ciphertext, SIZE, opened, &length));
    EXPECT_TRUE(length == 5 && memcmp(opened, message, 5) == 0);
    length = 244;
    EXPECT(GARNER_ERR_BUFFER, garner_decrypt_pkcs1(NULL, key, ciphertext, SIZE, opened, &length));
    EXPECT_TRUE(length == 245);
}

static void pss(void)
{
    unsigned char digest[32] = { 1 };
    size_t size = SIZE;

    EXPECT(GARNER_ERR_ARGUMENT,
           garner_sign_digest_pss(NULL, key, GARNER_SHA256, 0, -4, digest, 32, signature, &size));
    EXPECT(GARNER_ERR_ARGUMENT,
           garner_sign_digest_pss(NULL, key, GARNER_SHA256, 0, 223, digest, 32, signature, &size));
    EXPECT(GARNER_ERR_ARGUMENT,
           garner_sign_digest_pss(NULL, key, GARNER_SHA256, 12, 0, digest, 32, signature, &size));
    EXPECT(GARNER_ERR_ARGUMENT,
           garner_sign_digest_pss(NULL, key, GARNER_SHA256, 0, 0, digest, 31, signature, &size));
    EXPECT(GARNER_OK, garner_sign_digest_pss(NULL, key, GARNER_SHA256, GARNER_SHA512, GARNER_SALT_NONE, digest, 32,
                                             signature, &size));
    EXPECT(GARNER_OK, garner_verify_digest_pss(NULL, public_key, GARNER_SHA256, GARNER_SHA512, GARNER_SALT_NONE,
                                               digest, 32, signature, size));
    EXPECT(GARNER_OK, garner_verify_digest_pss(NULL, public_key, GARNER_SHA256, GARNER_SHA512, GARNER_SALT_ANY, digest,
                                               32, signature, size));
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest_pss(NULL, public_key, GARNER_SHA256, GARNER_SHA512,
                                                             GARNER_SALT_DIGEST, digest, 32, signature, size));
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest_pss(NULL, public_key, GARNER_SHA256, 0, GARNER_SALT_ANY,
                                                             digest, 32, signature, size));
    EXPECT(GARNER_OK, garner_sign_pss(NULL, key, GARNER_SHA3_256, 0, GARNER_SALT_LONGEST, message, 3, signature,
                                      &size));
    EXPECT(GARNER_OK, garner_verify_pss(NULL, public_key, GARNER_SHA3_256, 0, 222, message, 3, signature, size));
    EXPECT(GARNER_ERR_VERIFICATION,
           garner_verify_pss(NULL, public_key, GARNER_SHA3_256, 0, 222, message, 4, signature, size));
}

static garner_operation signing(unsigned char *output)
{
    garner_operation operation = GARNER_OPERATION_INIT;

    operation.kind = GARNER_SIGN;
    operation.hash = GARNER_SHA256;
    operation.private_key = key;
    operation.input = message;
    operation.input_length = sizeof message;
    operation.output = output;
    operation.output_length = SIZE;
    return operation;
}

static void batches(void)
{
    unsigned char outputs[8][SIZE];
    garner_operation operations[8];

    EXPECT(GARNER_OK, garner_run(NULL, NULL, 0));
    EXPECT(GARNER_ERR_NULL, garner_run(NULL, NULL, 1));
    for (int i = 0; i < 8; i++)
        operations[i] = signing(outputs[i]);
    EXPECT(GARNER_ERR_HANDLE, garner_run((garner *)key, operations, 8));
    EXPECT(GARNER_ERR_ARGUMENT, garner_run(NULL, operations, SIZE_MAX));
    operations[3].size++;
    EXPECT(GARNER_ERR_ARGUMENT, garner_run(NULL, operations, 8));
    operations[3].size = 0;
    EXPECT(GARNER_ERR_ARGUMENT, garner_run(NULL, operations, 8));
    operations[3].size = operations[0].size;

    /* Each wrong in its own way; the good ones are done all the same. */
    operations[1].kind = 0;
    operations[2].private_key = NULL;
    operations[3].output_length = 10;
    operations[4].hash = 1000;
    operations[5].private_key = (const garner_private_key *)modulus;
    operations[6].output = NULL;
    EXPECT(GARNER_ERR_ARGUMENT, garner_run(NULL, operations, 8));
    EXPECT_TRUE(strncmp(garner_last_error(), "operation 1: ", 13) == 0);
    EXPECT(GARNER_OK, operations[0].status);
    EXPECT(GARNER_ERR_ARGUMENT, operations[1].status);
    EXPECT(GARNER_ERR_NULL, operations[2].status);
    EXPECT(GARNER_ERR_BUFFER, operations[3].status);
    EXPECT_TRUE(operations[3].output_length == SIZE);
    EXPECT(GARNER_ERR_ARGUMENT, operations[4].status);
    EXPECT(GARNER_ERR_HANDLE, operations[5].status);
    EXPECT(GARNER_ERR_NULL, operations[6].status);
    EXPECT(GARNER_OK, operations[7].status);
    EXPECT_TRUE(memcmp(outputs[0], outputs[7], SIZE) == 0);

    /* A verification that fails among others; nothing is aligned. */
    static char unaligned[3 * sizeof(garner_operation) + 1];
    for (int i = 0; i < 3; i++) {
        operations[i] = signing(NULL);
        operations[i].kind = GARNER_VERIFY;
        operations[i].public_key = public_key;
        operations[i].second = outputs[0];
        operations[i].second_length = SIZE;
    }
    operations[1].input_length--;
    memcpy(unaligned + 1, operations, 3 * sizeof(garner_operation));
    for (int i = 0; i < 3; i++) /* room for no output at all, which a verification has not */
        memset(unaligned + 1 + i * sizeof(garner_operation) + offsetof(garner_operation, output_length), 0,
               sizeof(size_t));
    EXPECT(GARNER_ERR_VERIFICATION, garner_run(NULL, (garner_operation *)(void *)(unaligned + 1), 3));
    memcpy(operations, unaligned + 1, 3 * sizeof(garner_operation));
    EXPECT(GARNER_OK, operations[0].status);
    EXPECT(GARNER_ERR_VERIFICATION, operations[1].status);
    EXPECT(GARNER_OK, operations[2].status);
}

static void tickets(void)
{
    unsigned char output[SIZE];
    garner_operation operation = signing(NULL);
    garner_ticket *ticket = NULL;
    size_t size = SIZE;
    int descriptor;

    EXPECT(GARNER_ERR_NULL, garner_submit(NULL, NULL, &ticket));
    EXPECT(GARNER_ERR_NULL, garner_submit(NULL, &operation, NULL));
    EXPECT(GARNER_ERR_HANDLE, garner_submit(wild(), &operation, &ticket));
    operation.kind = 77;
    EXPECT(GARNER_ERR_ARGUMENT, garner_submit(NULL, &operation, &ticket));
    operation.kind = GARNER_MOD_EXP;
    EXPECT(GARNER_ERR_NULL, garner_submit(NULL, &operation, &ticket));
    operation.size = 1;
    EXPECT(GARNER_ERR_ARGUMENT, garner_submit(NULL, &operation, &ticket));
    EXPECT_TRUE(ticket == NULL);

    EXPECT(GARNER_ERR_NULL, garner_ticket_fd(NULL, &descriptor));
    EXPECT(GARNER_ERR_NULL, garner_ticket_take(NULL, output, &size));
    EXPECT(GARNER_ERR_NULL, garner_ticket_wait(NULL, output, &size));
    EXPECT(GARNER_ERR_HANDLE, garner_ticket_wait((garner_ticket *)key, output, &size));
    EXPECT(GARNER_ERR_HANDLE, garner_ticket_fd(wild(), &descriptor));

    operation = signing(NULL);
    EXPECT(GARNER_OK, garner_submit(NULL, &operation, &ticket));
    EXPECT(GARNER_ERR_NULL, garner_ticket_fd(ticket, NULL));
    size = SIZE - 1;
    EXPECT(GARNER_ERR_BUFFER, garner_ticket_wait(ticket, output, &size));
    EXPECT_TRUE(size == SIZE);
    EXPECT(GARNER_ERR_NULL, garner_ticket_take(ticket, NULL, &size));
    EXPECT(GARNER_ERR_NULL, garner_ticket_take(ticket, output, NULL));

    EXPECT(GARNER_OK, garner_ticket_wait(ticket, output, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_ticket_wait(ticket, output, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_ticket_take(ticket, output, &size));
    EXPECT(GARNER_OK, garner_ticket_free(ticket));
    EXPECT(GARNER_ERR_HANDLE, garner_ticket_free(ticket));
    EXPECT(GARNER_ERR_HANDLE, garner_ticket_take(ticket, output, &size));

    /* Waiting needs no descriptor; asking for one where there is none left is an error that loses nothing. */
    struct rlimit limit, none;
    EXPECT_TRUE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    none = limit;
    none.rlim_cur = 0;
    EXPECT(GARNER_OK, garner_submit(NULL, &operation, &ticket));
    EXPECT_TRUE(setrlimit(RLIMIT_NOFILE, &none) == 0);
    EXPECT(GARNER_ERR_DEVICE, garner_ticket_fd(ticket, &descriptor));
    EXPECT(GARNER_OK, garner_ticket_wait(ticket, output, &size));
    EXPECT_TRUE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    EXPECT(GARNER_OK, garner_ticket_free(ticket));

    /* A verification has no output. One that fails says so through its ticket. */
    operation.kind = GARNER_VERIFY;
    operation.public_key = public_key;
    operation.second = output;
    operation.second_length = SIZE;
    EXPECT(GARNER_OK, garner_submit(NULL, &operation, &ticket));
    EXPECT(GARNER_OK, garner_ticket_wait(ticket, NULL, NULL));
    EXPECT(GARNER_OK, garner_ticket_free(ticket));
    output[9] ^= 1;
    EXPECT(GARNER_OK, garner_submit(NULL, &operation, &ticket));
    EXPECT(GARNER_ERR_VERIFICATION, garner_ticket_wait(ticket, NULL, NULL));
    EXPECT(GARNER_OK, garner_ticket_free(ticket));

    /* Not waited for at all. */
    operation.kind = GARNER_SIGN;
    EXPECT(GARNER_OK, garner_submit(NULL, &operation, &ticket));
    EXPECT(GARNER_OK, garner_ticket_free(ticket));
}

int main(int argc, char **argv)
{
    const unsigned char odd[] = { 0, 0, 35 };
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    size_t bits = 0;

    if (file == NULL) {
        fprintf(stderr, "usage: misuse KEY\n");
        return 2;
    }
    pem_length = fread(pem, 1, sizeof pem, file);
    fclose(file);

    EXPECT_TRUE(garner_last_error()[0] == '\0');
    EXPECT(GARNER_OK, garner_private_key_read(pem, pem_length, NULL, 0, &key));
    EXPECT(GARNER_OK, garner_private_key_public(key, &public_key));
    EXPECT(GARNER_OK, garner_modulus_new(odd, sizeof odd, &modulus));
    EXPECT(GARNER_OK, garner_private_key_bits(key, &bits));
    EXPECT_TRUE(bits == 8 * SIZE);
    EXPECT(GARNER_OK, garner_public_key_bits(public_key, &bits));
    EXPECT_TRUE(bits == 8 * SIZE);
    EXPECT(GARNER_OK, garner_modulus_bits(modulus, &bits));
    EXPECT_TRUE(bits == 6);

    gatherers();
    reports();
    keys();
    numbers();
    signatures();
    new_keys();
    encryption();
    pss();
    batches();
    tickets();

    EXPECT(GARNER_OK, garner_private_key_free(key));
    EXPECT(GARNER_OK, garner_public_key_free(public_key));
    EXPECT(GARNER_OK, garner_modulus_free(modulus));
    if (failures > 0) {
        printf("%d expectations failed\n", failures);
        return 1;
    }
    printf("every misuse was refused\n");
    return 0;
}
