/* SPDX-License-Identifier: Apache-2.0 */
/* Threads sign, submit, make and free handles; meanwhile children are forked that do the same. Usage: threads KEY */
#include <garner.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, CHILDREN = 24, SIZE = 256, PATIENCE = 120 /* seconds */ };

static garner_private_key *key;
static garner_public_key *public_key;
static atomic_int stop, failures;

static void good(int status, const char *what)
{
    if (status == GARNER_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, garner_last_error());
    failures++;
}

static garner_operation signing(void)
{
    garner_operation operation = GARNER_OPERATION_INIT;

    operation.kind = GARNER_SIGN;
    operation.hash = GARNER_SHA384;
    operation.private_key = key;
    operation.input = "message";
    operation.input_length = 7;
    return operation;
}

/* Everything once, with handles of its own and the shared keys. */
static void everything(void)
{
    static const unsigned char odd[] = { 77 };
    unsigned char signature[SIZE], later[SIZE];
    size_t size = SIZE, later_size = SIZE, bits;
    garner_operation operation = signing();
    garner_modulus *modulus;
    garner_ticket *ticket;

    good(garner_submit(NULL, &operation, &ticket), "garner_submit");
    good(garner_sign(NULL, key, GARNER_SHA384, "message", 7, signature, &size), "garner_sign");
    good(garner_verify(NULL, public_key, GARNER_SHA384, "message", 7, signature, size), "garner_verify");
    good(garner_modulus_new(odd, sizeof odd, &modulus), "garner_modulus_new");
    good(garner_modulus_bits(modulus, &bits), "garner_modulus_bits");
    good(garner_modulus_free(modulus), "garner_modulus_free");
    good(garner_ticket_wait(ticket, later, &later_size), "garner_ticket_wait");
    good(garner_ticket_free(ticket), "garner_ticket_free");
    if (size != later_size || memcmp(signature, later, size) != 0)
        failures++;
}

/* In a child: a ticket of the parent's is refused, and can be freed. */
static void refuse(garner_ticket *ticket)
{
    unsigned char signature[SIZE];
    size_t size = SIZE;
    int descriptor;

    if (garner_ticket_take(ticket, signature, &size) != GARNER_ERR_FORKED ||
        garner_ticket_wait(ticket, signature, &size) != GARNER_ERR_FORKED ||
        garner_ticket_fd(ticket, &descriptor) != GARNER_ERR_FORKED)
        failures++;
    good(garner_ticket_free(ticket), "garner_ticket_free in a child");
}

static void *work(void *unused)
{
    while (!stop)
        everything();
    return unused;
}

int main(int argc, char **argv)
{
    static unsigned char pem[8192];
    pthread_t threads[THREADS];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    size_t length;

    if (file == NULL) {
        fprintf(stderr, "usage: threads KEY\n");
        return 2;
    }
    length = fread(pem, 1, sizeof pem, file);
    fclose(file);
    good(garner_private_key_read(pem, length, NULL, 0, &key), "garner_private_key_read");
    good(garner_private_key_public(key, &public_key), "garner_private_key_public");

    alarm(PATIENCE);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < CHILDREN; i++) {
        garner_operation operation = signing();
        garner_ticket *ticket;
        unsigned char signature[SIZE];
        size_t size = SIZE;
        int status;
        pid_t child;

        good(garner_submit(NULL, &operation, &ticket), "garner_submit before fork");
        child = fork();

        if (child == 0) {
            alarm(PATIENCE / 2);
            failures = 0;
            refuse(ticket);
            everything();
            good(garner_private_key_free(key), "garner_private_key_free");
            _exit(failures == 0 ? 0 : 1);
        }
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            fprintf(stderr, "child %d ended with status %x\n", i, status);
            failures++;
        }
        good(garner_ticket_wait(ticket, signature, &size), "garner_ticket_wait after fork");
        good(garner_ticket_free(ticket), "garner_ticket_free");
    }
    stop = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    good(garner_private_key_free(key), "garner_private_key_free");
    good(garner_public_key_free(public_key), "garner_public_key_free");
    return failures == 0 ? 0 : 1;
}
