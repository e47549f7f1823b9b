/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signing with Garner from C: one message, a hundred in a batch, one without waiting; verification; a modular
 * exponentiation; what the library counted meanwhile.
 *
 *     cc -std=c11 -o sign sign.c $(pkg-config --cflags --libs garner)
 *     ./sign key.pem message signature
 *     openssl dgst -sha256 -prverify key.pem -signature signature message
 */
#include <garner.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 100, MAX_SIZE = 1024 /* bytes of an 8,192-bit key */ };

/* Ends the program if a call failed. */
static void check(int status, const char *what)
{
    if (status == GARNER_OK)
        return;
    fprintf(stderr, "%s: %s (%s)\n", what, garner_last_error(), garner_error_string(status));
    exit(EXIT_FAILURE);
}

static unsigned char *read_file(const char *path, size_t *length)
{
    enum { MOST = 1 << 20 };
    unsigned char *content = malloc(MOST);
    FILE *file = fopen(path, "rb");

    if (file == NULL || content == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    *length = fread(content, 1, MOST, file);
    fclose(file);
    return content;
}

/* One message: the call waits for the signature. */
static size_t sign_one(const garner_private_key *key, const void *message, size_t length, unsigned char *signature)
{
    size_t size = MAX_SIZE;

    check(garner_sign(NULL, key, GARNER_SHA256, message, length, signature, &size), "garner_sign");
    return size;
}

/* Many messages: one call, as full batches as the device likes, a status for each. */
static void sign_many(const garner_private_key *key, const garner_public_key *public_key)
{
    static char messages[BATCH][32];
    static unsigned char signatures[BATCH][MAX_SIZE];
    garner_operation operations[BATCH];

    for (int i = 0; i < BATCH; i++) {
        int length = snprintf(messages[i], sizeof messages[i], "message %d", i);
        operations[i] = (garner_operation){
            .size = sizeof(garner_operation),
            .kind = GARNER_SIGN,
            .hash = GARNER_SHA256,
            .private_key = key,
            .input = messages[i],
            .input_length = (size_t)length,
            .output = signatures[i],
            .output_length = sizeof signatures[i],
        };
    }
    check(garner_run(NULL, operations, BATCH), "garner_run, signing");

    /* The same array verifies what it signed. */
    for (int i = 0; i < BATCH; i++) {
        operations[i].kind = GARNER_VERIFY;
        operations[i].public_key = public_key;
        operations[i].second = signatures[i];
        operations[i].second_length = operations[i].output_length;
        operations[i].output = NULL; /* the answer is the status */
    }
    check(garner_run(NULL, operations, BATCH), "garner_run, verifying");
    printf("%d messages signed and verified\n", BATCH);
}

/* Without waiting: submit, do something else, poll, take. An event loop would watch the descriptor. */
static void sign_later(const garner_private_key *key, const void *message, size_t length,
                       const unsigned char *expected, size_t expected_length)
{
    garner_operation operation = GARNER_OPERATION_INIT;
    garner_ticket *ticket;
    unsigned char signature[MAX_SIZE];
    size_t size = sizeof signature;
    struct pollfd event = { .events = POLLIN };
    int status;

    operation.kind = GARNER_SIGN;
    operation.hash = GARNER_SHA256;
    operation.private_key = key;
    operation.input = message;
    operation.input_length = length;
    check(garner_submit(NULL, &operation, &ticket), "garner_submit");
    check(garner_ticket_fd(ticket, &event.fd), "garner_ticket_fd");
    while ((status = garner_ticket_take(ticket, signature, &size)) == GARNER_PENDING)
        poll(&event, 1, -1);
    check(status, "garner_ticket_take");
    check(garner_ticket_free(ticket), "garner_ticket_free");

    /* PKCS#1 v1.5 is deterministic: the same message and key give the same signature. */
    if (size != expected_length || memcmp(signature, expected, size) != 0) {
        fprintf(stderr, "two signatures of one message differ\n");
        exit(EXIT_FAILURE);
    }
    printf("one message signed without waiting\n");
}

/* Raw arithmetic, for protocols of your own: 5^3 mod 77 = 48. */
static void exponentiate(void)
{
    const unsigned char modulus[] = { 77 }, base[] = { 5 }, exponent[] = { 3 };
    unsigned char power[1];
    size_t size = sizeof power;
    garner_modulus *handle;

    check(garner_modulus_new(modulus, sizeof modulus, &handle), "garner_modulus_new");
    check(garner_mod_exp(NULL, handle, base, sizeof base, exponent, sizeof exponent, power, &size), "garner_mod_exp");
    check(garner_modulus_free(handle), "garner_modulus_free");
    printf("5^3 mod 77 = %d\n", power[0]);
}

static void print_devices(void)
{
    size_t count;

    check(garner_device_count(&count), "garner_device_count");
    for (size_t i = 0; i < count; i++) {
        garner_device device = GARNER_DEVICE_INIT;
        check(garner_device_get(i, &device), "garner_device_get");
        printf("device %s: moduli of %zu to %zu bits, %zu exponentiations at once\n", device.name, device.min_bits,
               device.max_bits, device.preferred_batch);
    }
}

static void print_statistics(void)
{
    garner_statistics figures = GARNER_STATISTICS_INIT;

    check(garner_statistics_get(NULL, &figures), "garner_statistics_get");
    printf("%llu private and %llu public operations, %.1f per batch, %llu faults\n",
           (unsigned long long)figures.private_operations, (unsigned long long)figures.public_operations,
           figures.mean_fill, (unsigned long long)figures.faults);
}

int main(int argc, char **argv)
{
    garner_private_key *key;
    garner_public_key *public_key;
    unsigned char signature[MAX_SIZE];
    size_t bits, key_length, message_length, size;
    unsigned char *key_file, *message;
    FILE *file;

    if (argc != 4) {
        fprintf(stderr, "usage: %s KEY MESSAGE SIGNATURE\n", argv[0]);
        return 2;
    }
    key_file = read_file(argv[1], &key_length);
    message = read_file(argv[2], &message_length);

    printf("garner %s\n", garner_version());
    print_devices();

    check(garner_private_key_read(key_file, key_length, NULL, 0, &key), argv[1]);
    check(garner_private_key_public(key, &public_key), "garner_private_key_public");
    check(garner_private_key_bits(key, &bits), "garner_private_key_bits");
    printf("%s: %zu bits\n", argv[1], bits);

    size = sign_one(key, message, message_length, signature);
    check(garner_verify(NULL, public_key, GARNER_SHA256, message, message_length, signature, size), "garner_verify");
    printf("one message signed and verified\n");
    sign_many(key, public_key);
    sign_later(key, message, message_length, signature, size);
    exponentiate();
    print_statistics();

    file = fopen(argv[3], "wb");
    if (file == NULL || fwrite(signature, 1, size, file) != size || fclose(file) != 0) {
        perror(argv[3]);
        return EXIT_FAILURE;
    }
    check(garner_private_key_free(key), "garner_private_key_free");
    check(garner_public_key_free(public_key), "garner_public_key_free");
    free(key_file);
    free(message);
    return EXIT_SUCCESS;
}
