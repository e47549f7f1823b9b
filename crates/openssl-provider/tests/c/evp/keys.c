/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of all kinds, legacy ones among them, and how each of them meets bad padding. */
#include "common.h"

#include <openssl/bn.h>
#include <openssl/params.h>
#include <openssl/pem.h>

static void sign_and_judge(EVP_PKEY *pkey, const char *what)
{
    unsigned char signature[2048];
    size_t length = sizeof signature;
    OSSL_PARAM *params = NULL;
    sign(pkey, 0, what, strlen(what), signature, &length);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(plain, "RSA", NULL);
    EVP_PKEY *public_key = NULL;
    CHECK(EVP_PKEY_todata(pkey, EVP_PKEY_PUBLIC_KEY, &params) == 1);
    CHECK(EVP_PKEY_fromdata_init(context) == 1);
    CHECK(EVP_PKEY_fromdata(context, &public_key, EVP_PKEY_PUBLIC_KEY, params) == 1);
    CHECK(verify(plain, public_key, 0, what, strlen(what), signature, length));
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(public_key);
    OSSL_PARAM_free(params);
    printf("%s signs\n", what);
}

/* Calls of a generation's callback, and after how many it ends the generation; 0 for never. */
static int told, wanted;

static int progress(EVP_PKEY_CTX *context)
{
    CHECK(EVP_PKEY_CTX_get_keygen_info(context, 0) >= 0 && EVP_PKEY_CTX_get_keygen_info(context, 1) >= 0);
    return ++told != wanted;
}

static void generation(void)
{
    for (wanted = 0; wanted <= 3; wanted++) {
        EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
        EVP_PKEY *made = NULL;
        told = 0;
        CHECK(EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1);
        EVP_PKEY_CTX_set_cb(context, progress);
        int done = EVP_PKEY_generate(context, &made);
        CHECK(wanted ? done != 1 && told == wanted && ERR_peek_error() != 0 : done == 1 && told > 3);
        ERR_clear_error();
        EVP_PKEY_free(made);
        EVP_PKEY_CTX_free(context);
    }
    puts("a generation tells how it goes, and ends when that is refused");
}

void keys(void)
{
    generation();

    BIGNUM *e = BN_new();
    for (int bits = 512; bits <= 3072; bits = bits * 3 / 2 + (bits * 3 / 2) % 2)
        for (int primes = 2; primes <= (bits >= 1024 ? 3 : 2); primes++)
            for (int exponent = 3; exponent <= 65537; exponent += 65534) {
                char name[64];
                RSA *rsa = RSA_new();
                EVP_PKEY *legacy = EVP_PKEY_new();
                BN_set_word(e, exponent);
                CHECK(RSA_generate_multi_prime_key(rsa, bits, primes, e, NULL) == 1);
                CHECK(EVP_PKEY_set1_RSA(legacy, rsa) == 1);
                snprintf(name, sizeof name, "legacy key of %d bits, %d primes, e = %d", bits, primes, exponent);
                sign_and_judge(legacy, name);
                EVP_PKEY_free(legacy);
                if (primes == 2) {
                    /* Without the CRT's parts. */
                    const BIGNUM *n, *public_exponent, *d;
                    RSA *bare = RSA_new();
                    RSA_get0_key(rsa, &n, &public_exponent, &d);
                    CHECK(RSA_set0_key(bare, BN_dup(n), BN_dup(public_exponent), BN_dup(d)) == 1);
                    legacy = EVP_PKEY_new();
                    CHECK(EVP_PKEY_assign_RSA(legacy, bare) == 1);
                    strcat(name, ", no CRT");
                    sign_and_judge(legacy, name);
                    EVP_PKEY_free(legacy);
                }
                RSA_free(rsa);
            }
    BN_free(e);

    /* A copy, a round trip through PEM, a comparison, a check, a public key that cannot sign. */
    EVP_PKEY *twin = EVP_PKEY_dup(key);
    CHECK(twin && EVP_PKEY_eq(key, twin) == 1);
    sign_and_judge(twin, "copy");
    EVP_PKEY_free(twin);
    BIO *memory = BIO_new(BIO_s_mem());
    CHECK(PEM_write_bio_PKCS8PrivateKey(memory, key, EVP_aes_256_cbc(), "word", 4, NULL, NULL) == 1);
    twin = PEM_read_bio_PrivateKey(memory, NULL, NULL, "word");
    CHECK(twin && EVP_PKEY_eq(key, twin) == 1);
    sign_and_judge(twin, "encrypted PEM");
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, twin, NULL);
    CHECK(EVP_PKEY_check(context) == 1 && EVP_PKEY_pairwise_check(context) == 1 && EVP_PKEY_public_check(context) == 1);
    EVP_PKEY_CTX_free(context);
    CHECK(PEM_write_bio_PUBKEY(memory, twin) == 1);
    EVP_PKEY_free(twin);
    twin = PEM_read_bio_PUBKEY(memory, NULL, NULL, NULL);
    context = EVP_PKEY_CTX_new_from_pkey(NULL, twin, NULL);
    unsigned char signature[256];
    size_t length = sizeof signature;
    CHECK(context && EVP_PKEY_sign_init(context) == 1);
    CHECK(EVP_PKEY_sign(context, signature, &length, prepared_digest, 32) != 1 && ERR_peek_error() != 0);
    ERR_clear_error();
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(twin);
    BIO_free(memory);

    /* A bad PKCS#1 v1.5 ciphertext decrypts to a stand-in, the same each time, whatever this OpenSSL's version does. */
    unsigned char block[256] = {0, 1}, bad[256], first[256], second[256];
    size_t sealed = sizeof bad, one = sizeof first, two = sizeof second;
    cipher(judge, plain, 1, RSA_NO_PADDING, block, sizeof block, bad, &sealed);
    cipher(key, NULL, 0, RSA_PKCS1_PADDING, bad, sealed, first, &one);
    cipher(key, NULL, 0, RSA_PKCS1_PADDING, bad, sealed, second, &two);
    CHECK(one == two && memcmp(first, second, one) == 0);
    puts("implicit rejection");

    /* Nor does it matter whether Garner takes the key. */
    context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    twin = NULL;
    CHECK(EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_CTX_set_rsa_keygen_primes(context, 3) == 1);
    CHECK(EVP_PKEY_generate(context, &twin) == 1);
    EVP_PKEY_CTX_free(context);
    size_t third = sizeof second, fourth = sizeof second;
    unsigned char bad_of_three[256], other[256];
    cipher(twin, NULL, 1, RSA_NO_PADDING, block, sizeof block, bad_of_three, &third);
    third = sizeof second;
    cipher(twin, NULL, 0, RSA_PKCS1_PADDING, bad_of_three, sizeof bad_of_three, second, &third);
    cipher(twin, NULL, 0, RSA_PKCS1_PADDING, bad_of_three, sizeof bad_of_three, other, &fourth);
    CHECK(third == fourth && memcmp(second, other, third) == 0);
    unsigned char sealed_text[256];
    third = sizeof sealed_text, fourth = sizeof other;
    cipher(twin, NULL, 1, RSA_PKCS1_PADDING, (const unsigned char *)"text", 4, sealed_text, &third);
    cipher(twin, NULL, 0, RSA_PKCS1_PADDING, sealed_text, third, other, &fourth);
    CHECK(fourth == 4 && memcmp(other, "text", 4) == 0);
    EVP_PKEY_free(twin);
    puts("implicit rejection of three primes");

    /* Who asks for the error gets it. */
    unsigned off = 0;
    OSSL_PARAM explicit[] = {OSSL_PARAM_uint("implicit-rejection", &off), OSSL_PARAM_END};
    context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    one = sizeof first;
    CHECK(EVP_PKEY_decrypt_init_ex(context, explicit) == 1);
    CHECK(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1);
    CHECK(EVP_PKEY_decrypt(context, first, &one, bad, sealed) != 1);
    ERR_clear_error();
    EVP_PKEY_CTX_free(context);
    puts("explicit rejection");
}
