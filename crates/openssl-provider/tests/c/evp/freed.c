/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that share a wait context with a callback, which is freed, with the callback's argument, as soon as all are done. */
#include "common.h"

#include <openssl/async.h>
#include <stdatomic.h>

enum { JOBS = 8 };

/* What the callback gets; `ended` is read after the program gave it up, by a callback that comes late. */
struct owner {
    _Atomic int called, ended;
};

static _Atomic unsigned late;

static int ring(void *argument)
{
    struct owner *owner = argument;
    if (atomic_load(&owner->ended))
        atomic_fetch_add(&late, 1);
    atomic_fetch_add(&owner->called, 1);
    return 1;
}

static int body(void *argument)
{
    unsigned char signature[512];
    size_t length = sizeof signature;
    (void)argument;
    sign(key, 0, "text", 4, signature, &length);
    return 1;
}

/* Lets each job sign until `finished` of them are done. */
static void drive(ASYNC_WAIT_CTX *wait, struct owner *owner)
{
    ASYNC_JOB *job[JOBS] = {NULL};
    int done[JOBS] = {0};
    for (unsigned finished = 0; finished < JOBS;) {
        int before = atomic_load(&owner->called), paused = 0;
        for (unsigned i = 0; i < JOBS; i++) {
            int result = 0;
            if (done[i])
                continue;
            switch (ASYNC_start_job(&job[i], wait, &result, body, NULL, 0)) {
            case ASYNC_FINISH:
                CHECK(result == 1);
                done[i] = 1;
                finished++;
                break;
            case ASYNC_PAUSE:
                paused = 1;
                break;
            default:
                CHECK(!"a job that runs");
            }
        }
        for (int ms = 0; paused && finished < JOBS && atomic_load(&owner->called) == before; ms++) {
            CHECK(ms < 60000);
            usleep(1000);
        }
    }
}

void freed(unsigned rounds, int kept)
{
    struct owner **owners = calloc(rounds, sizeof *owners);
    for (unsigned i = 0; i < rounds; i++) {
        ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
        owners[i] = calloc(1, sizeof **owners);
        CHECK(wait && owners[i] && ASYNC_WAIT_CTX_set_callback(wait, ring, owners[i]) == 1);
        drive(wait, owners[i]);
        /* Another argument for the next jobs: the first is none of theirs. */
        struct owner *first = owners[i];
        owners[i] = calloc(1, sizeof **owners);
        CHECK(owners[i] && ASYNC_WAIT_CTX_set_callback(wait, ring, owners[i]) == 1);
        atomic_store(&first->ended, 1);
        if (!kept)
            free(first);
        drive(wait, owners[i]);
        CHECK(atomic_load(&owners[i]->called) > 0);
        ASYNC_WAIT_CTX_free(wait);
        atomic_store(&owners[i]->ended, 1);
        if (!kept)
            free(owners[i]);
    }
    /* Who is late comes within this. */
    if (kept)
        sleep(1);
    free(owners);
    CHECK(atomic_load(&late) == 0);
}
