/* SPDX-License-Identifier: Apache-2.0 */
/* Threads, jobs, forks and reloads at once, and what they leave behind. */
#include "common.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

/* One round of a caller beside the threads that go on all the time. */
static void forked_round(unsigned i, const char *self)
{
    jobs(2, 8, 2, i % 2);
    reload_once();
    pid_t child = fork();
    if (child == 0) {
        if (i % 3 == 2) {
            execl(self, self, "exec", (char *)NULL);
            _exit(2);
        }
        one_round(i);
        jobs(1, 4, 1, 0);
        exit(0);
    }
    await(child);
}

/* Returns when `seconds` and `least` rounds are over and every thread has ended: what is held then, nobody holds any more
 * for an operation under way. */
static void rounds(unsigned least, unsigned seconds, const char *self)
{
    pthread_t thread[6];
    time_t start = time(NULL);
    atomic_store(&stop, 0);
    for (size_t t = 0; t < 6; t++)
        CHECK(pthread_create(&thread[t], NULL, until_stopped, (void *)(t * 1000)) == 0);
    for (unsigned i = 0; i < least || time(NULL) < start + (time_t)seconds; i++)
        forked_round(i, self);
    atomic_store(&stop, 1);
    for (size_t t = 0; t < 6; t++)
        pthread_join(thread[t], NULL);
}

void soak(unsigned seconds, const char *self)
{
    /* What is made once; and no child shall meet what libcrypto fetches for the first time. */
    one_round(0), one_round(1);
    rounds(3, 0, self);
    unsigned before = descriptors();
    size_t bytes = bytes_held();
    rounds(3, seconds, self);
    printf("descriptors=%d bytes=%ld\n", (int)descriptors() - (int)before,
           (long)bytes_held() - (long)bytes);
}
