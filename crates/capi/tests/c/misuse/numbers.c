/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on numbers: outputs, handles, inputs; alignment and overlap. */
#include "misuse.h"

void numbers(void)
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
