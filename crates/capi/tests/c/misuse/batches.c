/* SPDX-License-Identifier: Apache-2.0 */
/* Operations in batches. */
#include "misuse.h"

void batches(void)
{
    unsigned char outputs[8][SIZE];
    garner_operation operations[8];

    EXPECT(GARNER_OK, garner_run(NULL, NULL, 0));
    EXPECT(GARNER_ERR_NULL, garner_run(NULL, NULL, 1));
    for (int i = 0; i < 8; i++)
        operations[i] = signing(outputs[i]);
    EXPECT(GARNER_ERR_HANDLE, garner_run((garner *)key, operations, 8));
    for (int i = 0; i < 8; i++)
        EXPECT(GARNER_ERR_HANDLE, operations[i].status);
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
