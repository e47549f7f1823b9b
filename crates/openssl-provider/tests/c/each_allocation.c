/* SPDX-License-Identifier: Apache-2.0 */
/* An EVP program that lacks memory for one allocation in one operation: for each allocation of each operation. The operation
 * may fail; neither it nor those after it may have a wrong result.
 *
 *   each_allocation FOLDER BEFORE [STEP]
 *
 * FOLDER  has key.pem and message
 * BEFORE  how many such operations a key has done before: after 32 OpenSSL draws the two numbers of its blinding anew
 * STEP    only this one
 *
 * Prints for each step how many times it failed, and how many allocations there are. */
#include <allocator.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIE(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), ERR_print_errors_fp(stderr), _exit(1))

/* Operations after the one that lacked memory. */
enum { AFTER = 3 };

static EVP_PKEY *key;
static unsigned char message[64];
static int message_length;
static const char *folder;

static FILE *file(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file)
        DIE("%s: cannot be read", path);
    return file;
}

static void load(void)
{
    FILE *pem = file("key.pem");
    EVP_PKEY_free(key);
    key = PEM_read_PrivateKey(pem, NULL, NULL, NULL);
    fclose(pem);
    if (!key)
        DIE("no key");
}

/* An operation: 1 and its output, or 0. */
struct output { unsigned char data[256]; size_t length; };

static int sign_message(const char *digest, struct output *to)
{
    to->length = sizeof to->data;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int good = context && EVP_DigestSignInit_ex(context, NULL, digest, NULL, NULL, key, NULL) == 1
        && EVP_DigestSignUpdate(context, message, message_length) == 1
        && EVP_DigestSignFinal(context, to->data, &to->length) == 1;
    EVP_MD_CTX_free(context);
    return good;
}

static int sign_sha256(struct output *to) { return sign_message("SHA256", to); }
/* Those of these hashes are never Garner's. */
static int sign_sha1(struct output *to) { return sign_message("SHA1", to); }
static int sign_md5(struct output *to) { return sign_message("MD5", to); }

/* Signing of a digest, or decryption of `made`. */
static struct output made;

typedef int init_function(EVP_PKEY_CTX *);
typedef int run_function(EVP_PKEY_CTX *, unsigned char *, size_t *, const unsigned char *, size_t);

static int one(init_function *init, run_function *run, int padding, const unsigned char *data, size_t length, struct output *to)
{
    to->length = sizeof to->data;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    int good = context && init(context) == 1 && EVP_PKEY_CTX_set_rsa_padding(context, padding) == 1
        && run(context, to->data, &to->length, data, length) == 1;
    EVP_PKEY_CTX_free(context);
    return good;
}

static int sign_digest(struct output *to)
{
    return one(EVP_PKEY_sign_init, EVP_PKEY_sign, RSA_PKCS1_PADDING, message, message_length, to);
}

static int decrypt(int padding, struct output *to)
{
    return one(EVP_PKEY_decrypt_init, EVP_PKEY_decrypt, padding, made.data, made.length, to);
}

static int decrypt_pkcs1(struct output *to) { return decrypt(RSA_PKCS1_PADDING, to); }
static int decrypt_oaep(struct output *to) { return decrypt(RSA_PKCS1_OAEP_PADDING, to); }
static int decrypt_raw(struct output *to) { return decrypt(RSA_NO_PADDING, to); }

static int encrypt(int padding, struct output *to)
{
    return one(EVP_PKEY_encrypt_init, EVP_PKEY_encrypt, padding, message, message_length, to);
}

static int encrypt_pkcs1(struct output *to) { return encrypt(RSA_PKCS1_PADDING, to); }
static int encrypt_oaep(struct output *to) { return encrypt(RSA_PKCS1_OAEP_PADDING, to); }

static int verify_one(const struct output *signature)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int good = context && EVP_DigestVerifyInit_ex(context, NULL, "SHA256", NULL, NULL, key, NULL) == 1
        && EVP_DigestVerify(context, signature->data, signature->length, message, message_length) == 1;
    EVP_MD_CTX_free(context);
    return good;
}

/* Whether `made` is a signature; its output is nothing. */
static int verify(struct output *to)
{
    struct output wrong = made;
    wrong.data[17] ^= 1;
    if (verify_one(&wrong))
        DIE("a wrong signature verified");
    to->length = 0;
    return verify_one(&made);
}

/* What was encrypted, by what then decrypts. */
static int message_of(int (*run)(struct output *), struct output *encrypted)
{
    made = *encrypted;
    return run(encrypted);
}

static const struct {
    const char *name;
    int (*run)(struct output *);
    /* Makes `made`. */
    int (*prepare)(struct output *);
    /* Turns the output, which is another each time, into one that is the same. */
    int (*decrypt)(struct output *);
} STEPS[] = {
    { "sign", sign_sha256, NULL, NULL }, { "sign-sha1", sign_sha1, NULL, NULL }, { "sign-md5", sign_md5, NULL, NULL },
    { "sign-digest", sign_digest, NULL, NULL }, { "verify", verify, sign_sha256, NULL },
    { "decrypt", decrypt_pkcs1, encrypt_pkcs1, NULL }, { "decrypt-oaep", decrypt_oaep, encrypt_oaep, NULL },
    { "decrypt-raw", decrypt_raw, encrypt_pkcs1, NULL }, { "encrypt", encrypt_pkcs1, NULL, decrypt_pkcs1 },
    { "encrypt-oaep", encrypt_oaep, NULL, decrypt_oaep },
};

/* The step once more, which must not fail. */
static void must(unsigned step, struct output *to, unsigned long point)
{
    if (!STEPS[step].run(to) || (STEPS[step].decrypt && !message_of(STEPS[step].decrypt, to)))
        DIE("%s: failed, after allocation %lu had", STEPS[step].name, point);
}

static void expect(const char *name, unsigned long point, const struct output *is, const struct output *should)
{
    if (is->length != should->length || memcmp(is->data, should->data, is->length))
        DIE("%s: a wrong result, allocation %lu failed", name, point);
}

static void run(unsigned step, int before)
{
    const char *name = STEPS[step].name;
    struct output first, now;
    load();
    if (STEPS[step].prepare && !STEPS[step].prepare(&made))
        DIE("%s: cannot be prepared", name);
    /* The first answer is the right one: there was memory. */
    must(step, &first, 0);
    unsigned long point = 0, counted, failed = 0;
    do {
        point++;
        load();
        for (int i = 0; i < before; i++) {
            must(step, &now, 0);
            expect(name, 0, &now, &first);
        }
        fail_from(EVERYBODY, point, 1);
        int good = STEPS[step].run(&now);
        counted = end_failing();
        if (good && STEPS[step].decrypt && !message_of(STEPS[step].decrypt, &now))
            DIE("%s: what was made cannot be decrypted, allocation %lu failed", name, point);
        if (good)
            expect(name, point, &now, &first);
        failed += !good;
        ERR_clear_error();
        for (int i = 0; i < AFTER; i++) {
            must(step, &now, point);
            expect(name, point, &now, &first);
        }
        /* Until there is no such allocation any more. */
    } while (counted >= point);
    printf("%s: %lu of %lu\n", name, failed, counted);
    EVP_PKEY_free(key);
    key = NULL;
}

int main(int arguments, char **argument)
{
    if (arguments != 3 && arguments != 4)
        return fprintf(stderr, "each_allocation FOLDER BEFORE [STEP]\n"), 2;
    folder = argument[1];
    FILE *text = file("message");
    message_length = fread(message, 1, sizeof message, text);
    fclose(text);
    for (unsigned step = 0; step < sizeof STEPS / sizeof *STEPS; step++)
        if (arguments == 3 || !strcmp(argument[3], STEPS[step].name))
            run(step, atoi(argument[2]));
    return 0;
}
