/* SPDX-License-Identifier: Apache-2.0 */
/* What a program sees of contexts: their parameters, copies of them at any moment, and calls out of turn, beside the default
 * provider. */
#include "common.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

/* The names of a list and their types, each of which must be in the other, but for what Garner adds. */
static void same_names(const char *what, const OSSL_PARAM *ours, const OSSL_PARAM *theirs)
{
    CHECK(!ours == !theirs);
    for (const OSSL_PARAM *one = theirs; one && one->key; one++) {
        const OSSL_PARAM *other = ours;
        while (other->key && (strcmp(other->key, one->key) != 0 || other->data_type != one->data_type))
            other++;
        if (!other->key)
            printf("%s: %s is missing\n", what, one->key);
        CHECK(other->key);
    }
    for (const OSSL_PARAM *one = ours; one && one->key; one++) {
        const OSSL_PARAM *other = theirs;
        while (other->key && strcmp(other->key, one->key) != 0)
            other++;
        CHECK(other->key || strcmp(one->key, "implicit-rejection") == 0);
    }
}

static void lists(void)
{
    static int (*const init[])(EVP_PKEY_CTX *) = {EVP_PKEY_sign_init, EVP_PKEY_verify_init, EVP_PKEY_verify_recover_init,
        EVP_PKEY_encrypt_init, EVP_PKEY_decrypt_init, EVP_PKEY_keygen_init};
    for (unsigned i = 0; i < sizeof init / sizeof *init; i++) {
        EVP_PKEY_CTX *ours = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
        EVP_PKEY_CTX *theirs = EVP_PKEY_CTX_new_from_pkey(plain, judge, NULL);
        CHECK(ours && theirs && init[i](ours) == 1 && init[i](theirs) == 1);
        same_names("settable", EVP_PKEY_CTX_settable_params(ours), EVP_PKEY_CTX_settable_params(theirs));
        if (init[i] != EVP_PKEY_keygen_init)
            same_names("gettable", EVP_PKEY_CTX_gettable_params(ours), EVP_PKEY_CTX_gettable_params(theirs));
        EVP_PKEY_CTX_free(ours), EVP_PKEY_CTX_free(theirs);
    }
    same_names("of keys", EVP_PKEY_gettable_params(key), EVP_PKEY_gettable_params(judge));
    same_names("of keys, to be set", EVP_PKEY_settable_params(key), EVP_PKEY_settable_params(judge));
    for (int selection = EVP_PKEY_KEY_PARAMETERS; selection <= EVP_PKEY_KEYPAIR; selection++) {
        EVP_PKEY_CTX *ours = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
        EVP_PKEY_CTX *theirs = EVP_PKEY_CTX_new_from_name(plain, "RSA", NULL);
        same_names("to be imported", EVP_PKEY_fromdata_settable(ours, selection), EVP_PKEY_fromdata_settable(theirs, selection));
        EVP_PKEY_CTX_free(ours), EVP_PKEY_CTX_free(theirs);
    }
}

/* What is left of the queue of errors. */
static unsigned long errors(void)
{
    unsigned long sum = 0, error;
    while ((error = ERR_get_error()))
        sum = 31 * sum + (unsigned long)ERR_GET_LIB(error) * 1000003 + ERR_GET_REASON(error);
    return sum;
}

struct signed_twice { int result[12]; unsigned long error[12]; unsigned char signature[2][256]; };

/* A message in two parts, the context copied after `copied` steps, and ended more often than it may be. */
static struct signed_twice life(OSSL_LIB_CTX *library, EVP_PKEY *pkey, int copied, int finalise)
{
    struct signed_twice made = {0};
    EVP_MD_CTX *context = EVP_MD_CTX_new(), *other = NULL;
    int at = 0;
    if (finalise)
        EVP_MD_CTX_set_flags(context, EVP_MD_CTX_FLAG_FINALISE);
    for (int step = 0; step < 6; step++) {
        size_t length = 256;
        if (step == copied) {
            CHECK((other = EVP_MD_CTX_new()) != NULL);
            made.result[at] = EVP_MD_CTX_copy_ex(other, context);
            made.error[at++] = errors();
            EVP_MD_CTX_free(context);
            context = other;
        }
        made.result[at] = step == 0 ? EVP_DigestSignInit_ex(context, NULL, "SHA256", library, NULL, pkey, NULL)
            : step == 1 || step == 2 || step == 4 ? EVP_DigestSignUpdate(context, "part", 4)
                                                  : EVP_DigestSignFinal(context, made.signature[step > 3], &length);
        made.error[at++] = errors();
    }
    /* Prepared again, without a key. */
    made.result[at] = EVP_DigestSignInit_ex(context, NULL, "SHA256", library, NULL, NULL, NULL);
    made.error[at++] = errors();
    EVP_MD_CTX_free(context);
    return made;
}

static void lives(void)
{
    for (int i = 0; i < 14; i++) {
        struct signed_twice ours = life(NULL, key, i / 2, i & 1), theirs = life(plain, judge, i / 2, i & 1);
        /* What is hashed after a hash was ended is nobody's business. */
        for (int j = 0; j < (i & 1 ? 4 : 12); j++) {
            if (ours.result[j] != theirs.result[j] || ours.error[j] != theirs.error[j])
                printf("copied after %d steps%s, call %d: %d (%lx) and %d (%lx)\n", i / 2, i & 1 ? ", to be finalised" : "", j,
                       ours.result[j], ours.error[j], theirs.result[j], theirs.error[j]), fflush(stdout);
            CHECK(ours.result[j] == theirs.result[j] && ours.error[j] == theirs.error[j]);
        }
        CHECK(memcmp(ours.signature, theirs.signature, (i & 1 ? 1 : 2) * sizeof ours.signature[0]) == 0);
    }
}

/* Contexts of whole operations: not prepared, copied before and after. */
static void copies(void)
{
    for (int i = 0; i < 4; i++) {
        unsigned char text[256], sealed[256];
        int result[2];
        size_t length = sizeof sealed;
        cipher(judge, plain, 1, RSA_PKCS1_OAEP_PADDING, (unsigned char *)"text", 4, sealed, &length);
        for (int j = 0; j < 2; j++) {
            size_t opened = sizeof text;
            EVP_PKEY_CTX *first = EVP_PKEY_CTX_new_from_pkey(j ? plain : NULL, j ? judge : key, NULL), *context = first;
            CHECK(i < 1 || EVP_PKEY_decrypt_init(first) == 1);
            CHECK(i < 2 || EVP_PKEY_CTX_set_rsa_padding(first, RSA_PKCS1_OAEP_PADDING) == 1);
            ERR_clear_error();
            if (i < 3)
                context = EVP_PKEY_CTX_dup(first);
            result[j] = context ? EVP_PKEY_decrypt(context, text, &opened, sealed, length) : -9;
            result[j] = result[j] * 1000 + (int)opened;
            if (context != first)
                EVP_PKEY_CTX_free(first);
            EVP_PKEY_CTX_free(context);
        }
        /* With the padding of PKCS#1 v1.5 only the stand-in's length is to be expected, or an error. */
        CHECK(i == 1 || result[0] == result[1]);
    }
    ERR_clear_error();
}

/* Numbers that a program gives in another way than EVP's own functions do; what comes of it, as bits of e. */
static int generated(OSSL_LIB_CTX *library, unsigned type, void *e, size_t size)
{
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(library, "RSA", NULL);
    EVP_PKEY *made = NULL;
    BIGNUM *number = NULL;
    OSSL_PARAM params[] = {{"e", type, e, size, 0}, OSSL_PARAM_construct_end()};
    CHECK(context && EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1);
    int word = -1;
    if (EVP_PKEY_CTX_set_params(context, params) == 1 && EVP_PKEY_generate(context, &made) == 1) {
        CHECK(EVP_PKEY_get_bn_param(made, "e", &number) == 1);
        word = (int)BN_get_word(number);
    }
    BN_free(number), EVP_PKEY_free(made), EVP_PKEY_CTX_free(context);
    ERR_clear_error();
    return word;
}

static void numbers(void)
{
    int e = 257;
    unsigned long long wide = 257;
    CHECK(generated(NULL, OSSL_PARAM_INTEGER, &e, sizeof e) == generated(plain, OSSL_PARAM_INTEGER, &e, sizeof e));
    CHECK(generated(NULL, OSSL_PARAM_UNSIGNED_INTEGER, &wide, sizeof wide) == 257);
    /* A parameter without a value. */
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    OSSL_PARAM params[] = {{"implicit-rejection", OSSL_PARAM_UNSIGNED_INTEGER, NULL, sizeof(int), 0}, OSSL_PARAM_construct_end()};
    CHECK(EVP_PKEY_decrypt_init(context) == 1);
    EVP_PKEY_CTX_set_params(context, params);
    EVP_PKEY_CTX_free(context);
    ERR_clear_error();
}

void contexts(void)
{
    lists(), lives(), copies(), numbers();
}
