/* SPDX-License-Identifier: Apache-2.0 */
/* Every operation, with every size of its buffer and of its input, and every kind of bad block: what the program's provider
 * answers must be what the default provider answers, to the untouched bytes and the queue of errors. */
#include "common.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/params.h>

enum { MOST = 512, FILL = 0xA5, ERRORS = 8 };

/* One way to call. */
struct call {
    const char *name;
    enum { SIGN, DIGEST_SIGN, VERIFY, DIGEST_VERIFY, RECOVER, ENCRYPT, DECRYPT } what;
    int padding;
    const char *hash; /* null for none */
    int input;        /* length of a good input; 0: what the plain library makes of one */
    int random;       /* outputs differ each time */
    int hides;        /* bad padding gives no error */
};

static const struct call calls[] = {
    {"sign, PKCS#1 v1.5, no digest", SIGN, RSA_PKCS1_PADDING, NULL, 20, 0, 0},
    {"sign, PKCS#1 v1.5, SHA-256", SIGN, RSA_PKCS1_PADDING, "SHA256", 32, 0, 0},
    {"sign, PKCS#1 v1.5, MD5-SHA1", SIGN, RSA_PKCS1_PADDING, "MD5-SHA1", 36, 0, 0},
    {"sign, PKCS#1 v1.5, SHA-1", SIGN, RSA_PKCS1_PADDING, "SHA1", 20, 0, 0},
    {"sign, PSS, SHA-256", SIGN, RSA_PKCS1_PSS_PADDING, "SHA256", 32, 1, 0},
    {"sign, no padding", SIGN, RSA_NO_PADDING, NULL, 128, 0, 0},
    {"sign, X9.31", SIGN, RSA_X931_PADDING, "SHA256", 32, 0, 0},
    {"digest and sign, PKCS#1 v1.5", DIGEST_SIGN, RSA_PKCS1_PADDING, "SHA256", 20, 0, 0},
    {"digest and sign, SHA-1", DIGEST_SIGN, RSA_PKCS1_PADDING, "SHA1", 20, 0, 0},
    {"digest and sign, PSS", DIGEST_SIGN, RSA_PKCS1_PSS_PADDING, "SHA256", 20, 1, 0},
    {"verify, PKCS#1 v1.5, no digest", VERIFY, RSA_PKCS1_PADDING, NULL, 0, 0, 0},
    {"verify, PKCS#1 v1.5, SHA-256", VERIFY, RSA_PKCS1_PADDING, "SHA256", 0, 0, 0},
    {"verify, PSS", VERIFY, RSA_PKCS1_PSS_PADDING, "SHA256", 0, 0, 0},
    {"verify, no padding", VERIFY, RSA_NO_PADDING, NULL, 0, 0, 0},
    {"verify, X9.31", VERIFY, RSA_X931_PADDING, "SHA256", 0, 0, 0},
    {"digest and verify, PKCS#1 v1.5", DIGEST_VERIFY, RSA_PKCS1_PADDING, "SHA256", 0, 0, 0},
    {"digest and verify, PSS", DIGEST_VERIFY, RSA_PKCS1_PSS_PADDING, "SHA256", 0, 0, 0},
    {"recover, PKCS#1 v1.5, no digest", RECOVER, RSA_PKCS1_PADDING, NULL, 0, 0, 0},
    {"recover, PKCS#1 v1.5, SHA-256", RECOVER, RSA_PKCS1_PADDING, "SHA256", 0, 0, 0},
    {"recover, no padding", RECOVER, RSA_NO_PADDING, NULL, 0, 0, 0},
    {"recover, X9.31", RECOVER, RSA_X931_PADDING, "SHA256", 0, 0, 0},
    {"encrypt, PKCS#1 v1.5", ENCRYPT, RSA_PKCS1_PADDING, NULL, 20, 1, 0},
    {"encrypt, OAEP", ENCRYPT, RSA_PKCS1_OAEP_PADDING, "SHA256", 20, 1, 0},
    {"encrypt, OAEP, SHA-512", ENCRYPT, RSA_PKCS1_OAEP_PADDING, "SHA512", 20, 1, 0},
    {"encrypt, no padding", ENCRYPT, RSA_NO_PADDING, NULL, 128, 0, 0},
    {"decrypt, PKCS#1 v1.5", DECRYPT, RSA_PKCS1_PADDING, NULL, 0, 0, 1},
    {"decrypt, PKCS#1 v1.5 with errors", DECRYPT, RSA_PKCS1_PADDING, NULL, 0, 0, 0},
    {"decrypt, OAEP", DECRYPT, RSA_PKCS1_OAEP_PADDING, "SHA256", 0, 0, 0},
    {"decrypt, premaster secret", DECRYPT, RSA_PKCS1_WITH_TLS_PADDING, NULL, 0, 0, 1},
    {"decrypt, no padding", DECRYPT, RSA_NO_PADDING, NULL, 0, 0, 0},
};

/* What came of one. */
struct outcome {
    int result, errors;
    size_t length;
    struct { int library, reason; } error[ERRORS];
    unsigned char buffer[MOST];
};

static void set(EVP_PKEY_CTX *context, const struct call *call)
{
    unsigned version = 0x0303, implicit = 0;
    OSSL_PARAM tls = OSSL_PARAM_construct_uint(OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, &version);
    OSSL_PARAM explicit = OSSL_PARAM_construct_uint("implicit-rejection", &implicit);
    OSSL_PARAM params[] = {tls, call->hides ? OSSL_PARAM_construct_end() : explicit, OSSL_PARAM_construct_end()};
    int whole = call->what == SIGN || call->what == VERIFY || call->what == RECOVER;
    /* Before the padding: that of X9.31 wants one. */
    if (whole && call->hash)
        CHECK(EVP_PKEY_CTX_set_signature_md(context, EVP_get_digestbyname(call->hash)) == 1);
    CHECK(EVP_PKEY_CTX_set_rsa_padding(context, call->padding) == 1);
    if (call->what == ENCRYPT || call->what == DECRYPT) {
        CHECK(!call->hash || EVP_PKEY_CTX_set_rsa_oaep_md_name(context, call->hash, NULL) == 1);
        CHECK(EVP_PKEY_CTX_set_params(context, params) == 1);
    }
}

/* What is signed, or said to be. */
static const unsigned char text[MOST] = {0, 3};

static size_t text_length(const struct call *call, EVP_PKEY *pkey)
{
    return call->padding == RSA_NO_PADDING              ? EVP_PKEY_get_size(pkey)
        : call->padding == RSA_PKCS1_WITH_TLS_PADDING   ? 48
        : call->hash && call->what != DECRYPT           ? 32
                                                        : 20;
}

/* `claimed` is the buffer's size as it is told; there is room for any output. */
static void try(OSSL_LIB_CTX *library, EVP_PKEY *pkey, const struct call *call, const unsigned char *input, size_t length,
                int buffer, size_t claimed, struct outcome *outcome)
{
    EVP_MD_CTX *digest = NULL;
    EVP_PKEY_CTX *context = NULL;
    unsigned char *output = buffer ? outcome->buffer : NULL;
    memset(outcome, 0, sizeof *outcome);
    memset(outcome->buffer, FILL, sizeof outcome->buffer);
    outcome->length = claimed;
    if (call->what == DIGEST_VERIFY) {
        digest = EVP_MD_CTX_new();
        CHECK(EVP_DigestVerifyInit_ex(digest, &context, call->hash, library, NULL, pkey, NULL) == 1);
        set(context, call);
        CHECK(EVP_DigestVerifyUpdate(digest, text, text_length(call, pkey)) == 1);
        ERR_clear_error();
        outcome->result = EVP_DigestVerifyFinal(digest, input, length);
        EVP_MD_CTX_free(digest);
    } else if (call->what == VERIFY) {
        context = EVP_PKEY_CTX_new_from_pkey(library, pkey, NULL);
        CHECK(context && EVP_PKEY_verify_init(context) == 1);
        set(context, call);
        ERR_clear_error();
        outcome->result = EVP_PKEY_verify(context, input, length, text, text_length(call, pkey));
        EVP_PKEY_CTX_free(context);
    } else if (call->what == DIGEST_SIGN) {
        digest = EVP_MD_CTX_new();
        CHECK(EVP_DigestSignInit_ex(digest, &context, call->hash, library, NULL, pkey, NULL) == 1);
        set(context, call);
        CHECK(EVP_DigestSignUpdate(digest, input, length) == 1);
        ERR_clear_error();
        outcome->result = EVP_DigestSignFinal(digest, output, &outcome->length);
        EVP_MD_CTX_free(digest);
    } else {
        static int (*const init[])(EVP_PKEY_CTX *) = {[SIGN] = EVP_PKEY_sign_init,
            [RECOVER] = EVP_PKEY_verify_recover_init, [ENCRYPT] = EVP_PKEY_encrypt_init, [DECRYPT] = EVP_PKEY_decrypt_init};
        static int (*const run[])(EVP_PKEY_CTX *, unsigned char *, size_t *, const unsigned char *, size_t) = {
            [SIGN] = EVP_PKEY_sign, [RECOVER] = EVP_PKEY_verify_recover, [ENCRYPT] = EVP_PKEY_encrypt,
            [DECRYPT] = EVP_PKEY_decrypt};
        context = EVP_PKEY_CTX_new_from_pkey(library, pkey, NULL);
        CHECK(context && init[call->what](context) == 1);
        set(context, call);
        ERR_clear_error();
        outcome->result = run[call->what](context, output, &outcome->length, input, length);
        EVP_PKEY_CTX_free(context);
    }
    for (unsigned long error; (error = ERR_get_error()); outcome->errors++) {
        CHECK(outcome->errors < ERRORS);
        outcome->error[outcome->errors].library = ERR_GET_LIB(error);
        outcome->error[outcome->errors].reason = ERR_GET_REASON(error);
    }
}

/* In this call, and in all. */
static unsigned differences, total;

static void show(const char *who, const struct outcome *outcome)
{
    size_t touched = MOST;
    while (touched > 0 && outcome->buffer[touched - 1] == FILL)
        touched--;
    printf("  %s: result %d, length %zu, touched %zu, errors", who, outcome->result, outcome->length, touched);
    for (int i = 0; i < outcome->errors; i++)
        printf(" %d:%d", outcome->error[i].library, outcome->error[i].reason);
    printf("\n");
}

/* Both providers, and what differs. A random output is compared in what it leaves untouched. */
static void compare(EVP_PKEY *ours, EVP_PKEY *theirs, const struct call *call, const unsigned char *input, size_t length,
                    int buffer, size_t claimed)
{
    struct outcome one, other;
    try(NULL, ours, call, input, length, buffer, claimed, &one);
    try(plain, theirs, call, input, length, buffer, claimed, &other);
    size_t from = call->random && other.result == 1 ? other.length : 0;
    int same = one.result == other.result && one.length == other.length && one.errors == other.errors
        && memcmp(one.error, other.error, sizeof one.error) == 0
        && (from > MOST || memcmp(one.buffer + from, other.buffer + from, MOST - from) == 0);
    if (same)
        return;
    if (differences++ >= 3)
        return;
    printf("%s: %zu bytes into %s%zu\n", call->name, length, buffer ? "" : "NULL, ", claimed);
    show("program's", &one), show("default", &other);
}

/* The input that the plain library makes for what is to be decrypted, verified or recovered. */
static size_t prepare(EVP_PKEY *theirs, const struct call *call, unsigned char *input)
{
    struct call maker = *call;
    struct outcome made;
    maker.what = call->what == DECRYPT ? ENCRYPT : call->what == DIGEST_VERIFY ? DIGEST_SIGN : SIGN;
    if (call->padding == RSA_PKCS1_WITH_TLS_PADDING)
        maker.padding = RSA_PKCS1_PADDING;
    /* The version that a premaster secret begins with. */
    static const unsigned char secret[48] = {3, 3};
    const unsigned char *message = call->padding == RSA_PKCS1_WITH_TLS_PADDING ? secret : text;
    try(plain, theirs, &maker, message, text_length(call, theirs), 1, MOST, &made);
    CHECK(made.result == 1);
    memcpy(input, made.buffer, made.length);
    return made.length;
}

/* Blocks of OAEP with SHA-256 that differ from good ones in one thing each, encrypted. */
static void bad_blocks(EVP_PKEY *ours, EVP_PKEY *theirs, const struct call *call)
{
    static const char *kinds[] = {"good", "first byte", "label", "no separator", "another separator",
        "a byte before the separator", "all zero", "all ones", "no message"};
    const struct call raw = {"raw", ENCRYPT, RSA_NO_PADDING, NULL, 0, 0, 0};
    enum { HASH = 32, SIZE = 128, DB = SIZE - HASH - 1 };
    for (unsigned kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        unsigned char block[SIZE] = {0}, mask[SIZE], *seed = block + 1, *db = seed + HASH;
        struct outcome made;
        CHECK(EVP_Digest("", 0, db, NULL, EVP_sha256(), NULL) == 1);
        memset(seed, 7, HASH);
        db[DB - 5] = kind == 3 ? 0 : kind == 4 ? 2 : 1;
        memset(db + DB - 4, kind == 3 ? 0 : 'm', 4);
        if (kind == 2)
            db[3] ^= 1;
        if (kind == 5)
            db[HASH + 2] = 9;
        if (kind == 8)
            memset(db + HASH, 0, DB - HASH), db[DB - 1] = 1;
        CHECK(PKCS1_MGF1(mask, DB, seed, HASH, EVP_sha256()) == 0);
        for (int i = 0; i < DB; i++)
            db[i] ^= mask[i];
        CHECK(PKCS1_MGF1(mask, HASH, db, DB, EVP_sha256()) == 0);
        for (int i = 0; i < HASH; i++)
            seed[i] ^= mask[i];
        block[0] = kind == 1;
        if (kind == 6)
            memset(block, 0, SIZE);
        if (kind == 7)
            memset(block + 1, 255, SIZE - 1);
        try(plain, theirs, &raw, block, SIZE, 1, SIZE, &made);
        CHECK(made.result == 1 && made.length == SIZE);
        struct call named = *call;
        named.name = kinds[kind];
        compare(ours, theirs, &named, made.buffer, SIZE, 1, SIZE);
        struct outcome judged;
        try(plain, theirs, call, made.buffer, SIZE, 1, SIZE, &judged);
        CHECK(judged.result == (kind == 0 || kind == 8));
    }
    /* Not below the modulus. */
    unsigned char above[SIZE];
    memset(above, 255, SIZE);
    compare(ours, theirs, call, above, SIZE, 1, SIZE);
}

/* The public key of these numbers; null where it is refused. */
static EVP_PKEY *public_key(OSSL_LIB_CTX *library, const BIGNUM *n, const BIGNUM *e)
{
    EVP_PKEY *made = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    CHECK(builder && OSSL_PARAM_BLD_push_BN(builder, "n", n) == 1 && OSSL_PARAM_BLD_push_BN(builder, "e", e) == 1);
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(library, "RSA", NULL);
    CHECK(params && context && EVP_PKEY_fromdata_init(context) == 1);
    if (EVP_PKEY_fromdata(context, &made, EVP_PKEY_PUBLIC_KEY, params) != 1)
        made = NULL;
    EVP_PKEY_CTX_free(context), OSSL_PARAM_free(params), OSSL_PARAM_BLD_free(builder);
    return made;
}

static EVP_PKEY *generated(unsigned bits, unsigned bits_of_e)
{
    EVP_PKEY *made = NULL;
    BIGNUM *e = BN_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    CHECK(e && BN_set_bit(e, 0) == 1 && BN_set_bit(e, bits_of_e - 1) == 1);
    CHECK(context && EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits) == 1);
    CHECK(EVP_PKEY_CTX_set1_rsa_keygen_pubexp(context, e) == 1 && EVP_PKEY_generate(context, &made) == 1);
    EVP_PKEY_CTX_free(context), BN_free(e);
    return made;
}

void exponents(void)
{
    static const unsigned sizes[][2] = {{2048, 65}, {2048, 256}, {3072, 65}, {3200, 64}, {3200, 65}};
    static const unsigned char good[3200 / 8] = {0, 1};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        EVP_PKEY *ours = generated(sizes[i][0], sizes[i][1]), *theirs = copy(plain, ours);
        size_t modulus = EVP_PKEY_get_size(ours);
        for (const struct call *call = calls; call < calls + sizeof calls / sizeof *calls; call++) {
            unsigned char input[MOST];
            int refused = sizes[i][0] > 3072 && sizes[i][1] > 64;
            /* What the plain library refuses to make here, somebody else may have made. */
            int made_here = call->what == VERIFY || call->what == DIGEST_VERIFY || call->what == RECOVER || !refused;
            memcpy(input, call->input ? text : good, call->input ? sizeof text : sizeof good);
            size_t length = call->padding == RSA_NO_PADDING && call->input ? modulus
                : call->input                                             ? (size_t)call->input
                : made_here                                               ? prepare(theirs, call, input)
                                                                          : modulus;
            if (refused && call->what == DECRYPT && call->hides)
                continue;
            compare(ours, theirs, call, input, length, 1, modulus);
        }
        printf("%u bits, e of %u bits: %u differences\n", sizes[i][0], sizes[i][1], differences);
        total += differences, differences = 0;
        EVP_PKEY_free(ours), EVP_PKEY_free(theirs);
    }
    /* Exponents that no generator gives: 1, 2, 4, those around the modulus. */
    BIGNUM *n = NULL, *e = BN_new();
    CHECK(e && EVP_PKEY_get_bn_param(key, "n", &n) == 1);
    for (int kind = 0; kind < 9; kind++) {
        CHECK(kind < 3 ? BN_set_word(e, 1u << kind) == 1 : BN_copy(e, n) && BN_add_word(e, 6) && BN_sub_word(e, 2 * kind - 6));
        EVP_PKEY *ours = public_key(NULL, n, e), *theirs = public_key(plain, n, e);
        CHECK(!ours == !theirs);
        for (const struct call *call = calls; ours && call < calls + sizeof calls / sizeof *calls; call++)
            if (call->what == VERIFY || call->what == DIGEST_VERIFY || call->what == RECOVER || call->what == ENCRYPT)
                compare(ours, theirs, call, good, call->what == ENCRYPT && call->input < 100 ? 20 : 256, 1, 256);
        printf("exponent %d: %u differences\n", kind, differences);
        total += differences, differences = 0;
        EVP_PKEY_free(ours), EVP_PKEY_free(theirs);
    }
    BN_free(n), BN_free(e);
    fflush(stdout);
    CHECK(total == 0);
}

void beside(void)
{
    EVP_PKEY *ours = EVP_RSA_gen(1024), *theirs;
    CHECK(ours && strcmp(provider_of(ours), "garner") == 0);
    theirs = copy(plain, ours);
    size_t modulus = EVP_PKEY_get_size(ours);
    for (const struct call *call = calls; call < calls + sizeof calls / sizeof *calls; call++) {
        unsigned char input[MOST];
        memcpy(input, text, MOST);
        size_t length = call->input ? (size_t)call->input : prepare(theirs, call, input);
        differences = 0;
        compare(ours, theirs, call, input, length, 0, 0);
        compare(ours, theirs, call, input, length, 0, modulus);
        for (size_t size = 0; size <= modulus + 1; size++)
            compare(ours, theirs, call, input, length, 1, size);
        /* A short ciphertext is a bad one, for which default providers before 3.2 have an error, and TLS a random secret. */
        for (size_t size = 0; size <= modulus + 1 && !call->hides; size++)
            compare(ours, theirs, call, input, size, 1, modulus);
        if (call->what == DECRYPT && call->padding == RSA_PKCS1_OAEP_PADDING)
            bad_blocks(ours, theirs, call);
        printf("%s: %u differences\n", call->name, differences);
        total += differences;
    }
    fflush(stdout);
    CHECK(total == 0);
    EVP_PKEY_free(ours), EVP_PKEY_free(theirs);
}
