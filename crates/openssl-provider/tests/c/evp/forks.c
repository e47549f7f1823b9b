/* SPDX-License-Identifier: Apache-2.0 */
/* Children that sign while the parent's threads sign, and jobs that are paused when their process forks. */
#include "common.h"

#include <openssl/async.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

_Atomic int stop;

void *until_stopped(void *argument)
{
    for (unsigned i = 0; !atomic_load(&stop); i++)
        one_round((unsigned)(size_t)argument + i);
    return NULL;
}

int await_status(pid_t child)
{
    int status;
    for (int ms = 0; waitpid(child, &status, WNOHANG) == 0; ms++) {
        CHECK(ms < 60000 && "a child that ends");
        usleep(1000);
    }
    return status;
}

void await(pid_t child)
{
    int status = await_status(child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

void forks(unsigned children, const char *self)
{
    pthread_t thread[4];
    /* Or a child could meet libcrypto's lock for what it fetches for the first time, taken for ever. */
    one_round(0), one_round(1);
    for (size_t i = 0; i < 4; i++)
        CHECK(pthread_create(&thread[i], NULL, until_stopped, (void *)(i * 1000)) == 0);
    for (unsigned i = 0; i < children; i++) {
        pid_t child = fork();
        if (child == 0) {
            if (i % 4 == 3) {
                execl(self, self, "exec", (char *)NULL);
                _exit(2);
            }
            one_round(i), one_round(i + 1);
            jobs(1, 2, 1, 0);
            /* Half of them by exit, which cleans libcrypto up. */
            if (i % 2)
                exit(0);
            _exit(0);
        }
        CHECK(child > 0);
        await(child);
    }
    atomic_store(&stop, 1);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);

    /* A job that was paused when its process forked: both processes resume it. */
    ASYNC_JOB *job = NULL;
    ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
    struct work work = {99};
    int result = 0, state;
    do
        state = ASYNC_start_job(&job, wait, &result, job_body, &work, sizeof work);
    while (state == ASYNC_FINISH);
    CHECK(state == ASYNC_PAUSE);
    OSSL_ASYNC_FD descriptor;
    size_t descriptors = 0;
    CHECK(ASYNC_WAIT_CTX_get_all_fds(wait, NULL, &descriptors) == 1 && descriptors == 1);
    CHECK(ASYNC_WAIT_CTX_get_all_fds(wait, &descriptor, &descriptors) == 1);
    struct pollfd answer = {.fd = descriptor, .events = POLLIN};
    CHECK(poll(&answer, 1, 60000) == 1);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child > 0) {
        await(child);
        CHECK(poll(&answer, 1, 0) == 1 && "the parent's bell is the parent's");
    }
    int tries = 0;
    while ((state = ASYNC_start_job(&job, wait, &result, job_body, &work, sizeof work)) == ASYNC_PAUSE) {
        CHECK(tries++ < 60000);
        usleep(1000);
    }
    CHECK(state == ASYNC_FINISH && result == 1);
    ASYNC_WAIT_CTX_free(wait);
    if (child == 0)
        _exit(0);
}
