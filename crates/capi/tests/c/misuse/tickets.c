/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that are waited for by tickets. */
#include "misuse.h"

#include <sys/resource.h>

void tickets(void)
{
    unsigned char output[SIZE];
    garner_operation operation = signing(NULL);
    garner_ticket *ticket = NULL;
    size_t size = SIZE;
    int descriptor;

    EXPECT(GARNER_ERR_NULL, garner_submit(NULL, NULL, &ticket));
    EXPECT(GARNER_ERR_NULL, garner_submit(NULL, &operation, NULL));
    EXPECT(GARNER_ERR_HANDLE, garner_submit(wild(), &operation, &ticket));
    operation.kind = 77;
    EXPECT(GARNER_ERR_ARGUMENT, garner_submit(NULL, &operation, &ticket));
    operation.kind = GARNER_MOD_EXP;
    EXPECT(GARNER_ERR_NULL, garner_submit(NULL, &operation, &ticket));
    operation.size = 1;
    EXPECT(GARNER_ERR_ARGUMENT, garner_submit(NULL, &operation, &ticket));
    EXPECT_TRUE(ticket == NULL);

    EXPECT(GARNER_ERR_NULL, garner_ticket_fd(NULL, &descriptor));
    EXPECT(GARNER_ERR_NULL, garner_ticket_take(NULL, output, &size));
    EXPECT(GARNER_ERR_NULL, garner_ticket_wait(NULL, output, &size));
    EXPECT(GARNER_ERR_HANDLE, garner_ticket_wait((garner_ticket *)key, output, &size));
    EXPECT(GARNER_ERR_HANDLE, garner_ticket_fd(wild(), &descriptor));

    operation = signing(NULL);
    EXPECT(GARNER_OK, garner_submit(NULL, &operation, &ticket));
    EXPECT(GARNER_ERR_NULL, garner_ticket_fd(ticket, NULL));
    size = SIZE - 1;
    EXPECT(GARNER_ERR_BUFFER, garner_ticket_wait(ticket, output, &size));
    EXPECT_TRUE(size == SIZE);
    EXPECT(GARNER_ERR_NULL, garner_ticket_take(ticket, NULL, &size));
    EXPECT(GARNER_ERR_NULL, garner_ticket_take(ticket, output, NULL));

    EXPECT(GARNER_OK, garner_ticket_wait(ticket, output, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_ticket_wait(ticket, output, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_ticket_take(ticket, output, &size));
    EXPECT(GARNER_OK, garner_ticket_free(ticket));
    EXPECT(GARNER_ERR_HANDLE, garner_ticket_free(ticket));
    EXPECT(GARNER_ERR_HANDLE, garner_ticket_take(ticket, output, &size));

    /* Waiting needs no descriptor; asking for one where there is none left is an error that loses nothing. */
    struct rlimit limit, none;
    EXPECT_TRUE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    none = limit;
    none.rlim_cur = 0;
    EXPECT(GARNER_OK, garner_submit(NULL, &operation, &ticket));
    EXPECT_TRUE(setrlimit(RLIMIT_NOFILE, &none) == 0);
    EXPECT(GARNER_ERR_DEVICE, garner_ticket_fd(ticket, &descriptor));
    EXPECT(GARNER_OK, garner_ticket_wait(ticket, output, &size));
    EXPECT_TRUE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    EXPECT(GARNER_OK, garner_ticket_free(ticket));

    /* A verification has no output. One that fails says so through its ticket. */
    operation.kind = GARNER_VERIFY;
    operation.public_key = public_key;
    operation.second = output;
    operation.second_length = SIZE;
    EXPECT(GARNER_OK, garner_submit(NULL, &operation, &ticket));
    EXPECT(GARNER_OK, garner_ticket_wait(ticket, NULL, NULL));
    EXPECT(GARNER_OK, garner_ticket_free(ticket));
    output[9] ^= 1;
    EXPECT(GARNER_OK, garner_submit(NULL, &operation, &ticket));
    EXPECT(GARNER_ERR_VERIFICATION, garner_ticket_wait(ticket, NULL, NULL));
    EXPECT(GARNER_OK, garner_ticket_free(ticket));

    /* One that cannot be is refused at once, whatever the signature. */
    operation.second_length = SIZE - 1;
    EXPECT(GARNER_ERR_VERIFICATION, garner_submit(NULL, &operation, &ticket));
    operation.kind = GARNER_VERIFY_DIGEST;
    EXPECT(GARNER_ERR_ARGUMENT, garner_submit(NULL, &operation, &ticket));
    operation.kind = GARNER_VERIFY_PSS;
    operation.salt_length = SIZE;
    EXPECT(GARNER_ERR_ARGUMENT, garner_submit(NULL, &operation, &ticket));
    operation.second_length = SIZE;
    operation.salt_length = 0;

    /* Not waited for at all. */
    operation.kind = GARNER_SIGN;
    EXPECT(GARNER_OK, garner_submit(NULL, &operation, &ticket));
    EXPECT(GARNER_OK, garner_ticket_free(ticket));
}
