/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that garnerd holds, by each way that the library has, beside a key of its own. Usage: held STUB OWN-KEY
 * Prints what the daemon refuses. Its policy for `www`: PSS, PKCS#1 v1.5 and OAEP, no bare operations. */
#include <garner.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 256, MANY = 300, PATIENCE = 120 /* seconds */ };

static garner_private_key *held, *own;
static garner_public_key *held_public, *own_public;

static void good(int status, const char *what)
{
    if (status == GARNER_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, garner_last_error());
    exit(1);
}

static void refused(int expected, int status, const char *what)
{
    if (status != expected) {
        fprintf(stderr, "%s: status %d, not %d\n", what, status, expected);
        exit(1);
    }
    printf("%s: %s\n", what, garner_last_error());
}

static garner_private_key *read_key(const char *path)
{
    unsigned char content[8192];
    garner_private_key *key;
    FILE *file = fopen(path, "rb");
    size_t length;

    if (file == NULL) {
        perror(path);
        exit(1);
    }
    length = fread(content, 1, sizeof content, file);
    fclose(file);
    good(garner_private_key_read(content, length, NULL, 0, &key), path);
    return key;
}

static garner_operation signing(const garner_private_key *key)
{
    garner_operation operation = GARNER_OPERATION_INIT;

    operation.kind = GARNER_SIGN_PSS;
    operation.hash = GARNER_SHA256;
    operation.private_key = key;
    operation.input = "message";
    operation.input_length = 7;
    return operation;
}

static void verified(const garner_public_key *key, const unsigned char *signature, size_t length)
{
    good(garner_verify_pss(NULL, key, GARNER_SHA256, 0, 0, "message", 7, signature, length), "garner_verify_pss");
}

static void single(void)
{
    unsigned char signature[SIZE], ciphertext[SIZE], message[SIZE];
    size_t length = SIZE, ciphertext_length = SIZE, message_length = SIZE, bits;

    good(garner_private_key_bits(held, &bits), "garner_private_key_bits");
    if (bits != 8 * SIZE)
        exit(1);
    good(garner_sign(NULL, held, GARNER_SHA256, "message", 7, signature, &length), "garner_sign");
    good(garner_verify(NULL, held_public, GARNER_SHA256, "message", 7, signature, length), "garner_verify");
    good(garner_encrypt_oaep(NULL, held_public, GARNER_SHA256, 0, "label", 5, "secret", 6, ciphertext, &ciphertext_length),
         "garner_encrypt_oaep");
    good(garner_decrypt_oaep(NULL, held, GARNER_SHA256, 0, "label", 5, ciphertext, ciphertext_length, message,
                             &message_length), "garner_decrypt_oaep");
    if (message_length != 6 || memcmp(message, "secret", 6) != 0)
        exit(1);
    message_length = SIZE;
    refused(GARNER_ERR_VERIFICATION, garner_decrypt_oaep(NULL, held, GARNER_SHA256, 0, "other", 5, ciphertext,
                                                         ciphertext_length, message, &message_length), "wrong label");
}

static void batch(void)
{
    static garner_operation operations[MANY];
    static unsigned char signatures[MANY][SIZE];

    for (int i = 0; i < MANY; i++) {
        operations[i] = signing(i % 3 == 0 ? own : held);
        operations[i].output = signatures[i];
        operations[i].output_length = SIZE;
    }
    good(garner_run(NULL, operations, MANY), "garner_run");
    for (int i = 0; i < MANY; i++)
        verified(i % 3 == 0 ? own_public : held_public, signatures[i], operations[i].output_length);
    operations[7].kind = GARNER_PRIVATE;
    operations[7].output_length = SIZE;
    refused(GARNER_ERR_DEVICE, garner_run(NULL, operations, MANY), "bare operation in a batch");
    if (operations[7].status != GARNER_ERR_DEVICE || operations[8].status != GARNER_OK)
        exit(1);
}

static void tickets(void)
{
    static garner_ticket *tickets[MANY];
    unsigned char signature[SIZE];
    garner_operation operation = signing(held);
    struct pollfd descriptor = { .events = POLLIN };

    for (int i = 0; i < MANY; i++)
        good(garner_submit(NULL, &operation, &tickets[i]), "garner_submit");
    for (int i = 0; i < MANY; i++) {
        size_t length = SIZE;

        if (i % 10 == 9) { /* nobody wants it */
            good(garner_ticket_free(tickets[i]), "garner_ticket_free");
            continue;
        }
        if (i % 2 == 0) {
            good(garner_ticket_fd(tickets[i], &descriptor.fd), "garner_ticket_fd");
            if (poll(&descriptor, 1, PATIENCE * 1000) != 1)
                exit(1);
            good(garner_ticket_take(tickets[i], signature, &length), "garner_ticket_take");
        } else {
            good(garner_ticket_wait(tickets[i], signature, &length), "garner_ticket_wait");
        }
        verified(held_public, signature, length);
        good(garner_ticket_free(tickets[i]), "garner_ticket_free");
    }
}

/* A child uses connections and threads of its own, and its parent's tickets not at all. */
static void child(void)
{
    garner_operation operation = signing(held);
    garner_ticket *ticket;
    unsigned char signature[SIZE];
    size_t length = SIZE;
    int status;
    pid_t child;

    good(garner_submit(NULL, &operation, &ticket), "garner_submit before fork");
    child = fork();
    if (child == 0) {
        alarm(PATIENCE / 2);
        if (garner_ticket_wait(ticket, signature, &length) != GARNER_ERR_FORKED)
            exit(1);
        single();
        batch();
        tickets();
        exit(0);
    }
    good(garner_ticket_wait(ticket, signature, &length), "garner_ticket_wait after fork");
    good(garner_ticket_free(ticket), "garner_ticket_free");
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        exit(1);
}

int main(int argc, char **argv)
{
    unsigned char bytes[SIZE];
    size_t length = SIZE;
    garner_private_key *named;
    garner_operation operation;
    garner_ticket *ticket;

    if (argc != 3) {
        fprintf(stderr, "usage: held STUB OWN-KEY\n");
        return 2;
    }
    alarm(PATIENCE);
    held = read_key(argv[1]);
    own = read_key(argv[2]);
    good(garner_private_key_public(held, &held_public), "garner_private_key_public");
    good(garner_private_key_public(own, &own_public), "garner_private_key_public");
    if (garner_private_key_is_held(held) != 1 || garner_private_key_is_held(own) != 0)
        return 1;
    refused(GARNER_ERR_NULL, garner_private_key_is_held(NULL), "NULL is no key");
    single();
    batch();
    tickets();
    fflush(stdout);
    child();

    good(garner_private_key_named("www", &named), "garner_private_key_named");
    good(garner_sign_pss(NULL, named, GARNER_SHA256, 0, 0, "message", 7, bytes, &length), "garner_sign_pss");
    verified(held_public, bytes, length);
    if (garner_private_key_is_held(named) != 1)
        return 1;
    good(garner_private_key_free(named), "garner_private_key_free");

    refused(GARNER_ERR_DEVICE, garner_private_key_named("none", &named), "unknown name");
    refused(GARNER_ERR_ARGUMENT, garner_private_key_named("../www", &named), "no name");
    refused(GARNER_ERR_NULL, garner_private_key_named(NULL, &named), "NULL");
    refused(GARNER_ERR_KEY, garner_private_key_write(held, GARNER_PEM, bytes, &length), "written");
    length = SIZE;
    memset(bytes, 0, sizeof bytes);
    refused(GARNER_ERR_DEVICE, garner_rsa_private(NULL, held, bytes, SIZE, bytes, &length), "bare operation");
    refused(GARNER_ERR_ARGUMENT, garner_decrypt_pkcs1_explicit(NULL, held, bytes, SIZE, bytes, &length), "explicit");
    operation = signing(held);
    operation.kind = GARNER_SIGN_DIGEST_PSS;
    refused(GARNER_ERR_ARGUMENT, garner_submit(NULL, &operation, &ticket), "digest");
    good(garner_private_key_free(held), "garner_private_key_free");
    good(garner_private_key_free(own), "garner_private_key_free");
    return 0;
}
