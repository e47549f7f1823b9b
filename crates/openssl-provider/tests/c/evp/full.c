/* SPDX-License-Identifier: Apache-2.0 */
/* Bad ciphertexts of PKCS#1 v1.5 while the queue is full. */
#include "common.h"

#include <openssl/async.h>

enum { BAD = 6 };
static unsigned char bad[BAD][256], stand_in[BAD][256];
static size_t stand_in_length[BAD];

static int bad_body(void *argument)
{
    unsigned i = *(unsigned *)argument;
    unsigned char text[256];
    size_t length = sizeof text;
    cipher(key, NULL, 0, RSA_PKCS1_PADDING, bad[i], sizeof bad[i], text, &length);
    CHECK(length == stand_in_length[i] && memcmp(text, stand_in[i], length) == 0 && ERR_peek_error() == 0);
    return 1;
}

void full(unsigned count)
{
    for (unsigned i = 0; i < BAD; i++) {
        unsigned char block[256];
        memset(block, 0x55, sizeof block);
        block[0] = 0, block[1] = 2, block[200] = 0;
        switch (i) {
        case 0: break; /* a good one */
        case 1: block[0] = 1; break;
        case 2: block[1] = 1; break;
        case 3: block[5] = 0; break; /* padding too short */
        case 4: block[200] = 1; break; /* no end of the padding */
        case 5: memset(block, 0, sizeof block); break;
        }
        size_t sealed = sizeof bad[i];
        stand_in_length[i] = sizeof stand_in[i];
        cipher(judge, plain, 1, RSA_NO_PADDING, block, sizeof block, bad[i], &sealed);
        /* The queue is empty: nobody else is here. */
        cipher(key, NULL, 0, RSA_PKCS1_PADDING, bad[i], sealed, stand_in[i], &stand_in_length[i]);
        CHECK(i > 0 || (stand_in_length[i] == 55 && stand_in[i][0] == 0x55));
    }
    /* Jobs that find room pause, at least once in a new wait context; those that find none are done when they return. */
    unsigned met[BAD] = {0}, least = 0;
    for (unsigned wave = 0; least < 4; wave++) {
        ASYNC_JOB *job[256] = {0};
        ASYNC_WAIT_CTX *wait[256];
        CHECK(wave < 1000 && count <= 256);
        for (unsigned i = 0; i < count; i++) {
            int result = 0;
            unsigned which = (i + wave) % BAD;
            wait[i] = ASYNC_WAIT_CTX_new();
            switch (ASYNC_start_job(&job[i], wait[i], &result, bad_body, &which, sizeof which)) {
            case ASYNC_FINISH:
                CHECK(result == 1);
                met[which]++;
                /* HAProxy aborts when a connection ends with a descriptor that no pause told it of. */
                size_t untold;
                CHECK(ASYNC_WAIT_CTX_get_all_fds(wait[i], NULL, &untold) == 1 && untold == 0);
                break;
            case ASYNC_PAUSE:
                break;
            default:
                CHECK(!"a job that runs");
            }
        }
        for (unsigned i = 0; i < count; i++) {
            int result = 1, tries = 0;
            while (job[i] && ASYNC_start_job(&job[i], wait[i], &result, NULL, NULL, 0) == ASYNC_PAUSE) {
                CHECK(tries++ < 60000);
                usleep(1000);
            }
            CHECK(result == 1);
            ASYNC_WAIT_CTX_free(wait[i]);
        }
        least = met[0];
        for (unsigned i = 1; i < BAD; i++)
            least = met[i] < least ? met[i] : least;
    }
    printf("met=%u\n", met[0] + met[1] + met[2] + met[3] + met[4] + met[5]);
}
