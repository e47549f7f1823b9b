/* SPDX-License-Identifier: Apache-2.0 */
/* Every misuse that garner.h gives a status for. Usage: misuse KEY, a PEM file with an RSA-2048 key. */
#include "misuse.h"

static int failures;

garner_private_key *key;
garner_public_key *public_key;
garner_modulus *modulus;
unsigned char pem[8192];
size_t pem_length;

const unsigned char message[] = "what is signed";
unsigned char signature[SIZE];

void expect(const char *file, int line, const char *call, int expected, int status)
{
    if (status == expected)
        return;
    printf("%s:%d: %s gave %d (%s: %s), not %d\n", file, line, call, status, garner_error_string(status),
           garner_last_error(), expected);
    failures++;
}

void *wild(void)
{
    static int something;
    return &something;
}

garner_operation signing(unsigned char *output)
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
