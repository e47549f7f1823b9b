/* SPDX-License-Identifier: Apache-2.0 */
/* An EVP program that knows nothing of Garner: what it signs and decrypts is checked by OpenSSL's own RSA, in a library
 * context that has only the default provider.
 *
 *   evp threads THREADS OPERATIONS        blocking callers
 *   evp jobs THREADS JOBS ROUNDS          asynchronous jobs, each with a wait context of its own
 *   evp shared JOBS ROUNDS                asynchronous jobs that share one wait context
 *   evp abandon COUNT                     jobs paused and given up; prints descriptors and bytes that this cost
 *   evp other                             what does not pause, in a job: a key generated, encryption, verification
 *   evp callback JOBS                     jobs that wake their owner by a callback
 *   evp freed ROUNDS [kept]               jobs whose wait context and callback's argument are freed, or kept to be looked at
 *   evp in_place                          output over its own input, whole and in part, blocking and in a job
 *   evp full JOBS                         bad ciphertexts of PKCS#1 v1.5 while the queue is full; prints how many met that
 *   evp fork CHILDREN                     children that sign while the parent's threads sign; and paused jobs
 *   evp exec                              what a child runs after exec
 *   evp exits COUNT THREADS               processes that end while their threads sign; prints how many crashed
 *   evp exits-pkcs1 COUNT THREADS         the same where threads make a context for each message; so exits-pss
 *   evp reload CYCLES                     library contexts that come and go; prints descriptors and bytes
 *   evp keys                              keys of all kinds, legacy ones among them
 *   evp judged                            signatures over payloads of any length, judged as the plain library does
 *   evp beside                            buffers and inputs of any size, and bad blocks, beside the default provider
 *   evp exponents                         public exponents that OpenSSL takes and refuses, beside the default provider
 *   evp contexts                          parameters, copies and calls out of turn, beside the default provider
 *   evp parameters                        parameters of the hash of a running signature; says if there are none
 *   evp bare CONFIGURATION                the default library context has no algorithm, and later has
 *   evp soak SECONDS                      threads, jobs, forks and reloads at once; prints descriptors and bytes
 */
#include "common.h"

int main(int count, char **argument)
{
    const char *mode = count > 1 ? argument[1] : "";
    unsigned a = count > 2 ? atoi(argument[2]) : 0, b = count > 3 ? atoi(argument[3]) : 0;
    unsigned c = count > 4 ? atoi(argument[4]) : 0;
    if (!strcmp(mode, "bare") && count > 2)
        return bare(argument[2]), 0;
    if (!strncmp(mode, "exits", 5))
        prepare_exits();
    set_up();
    if (!strcmp(mode, "threads"))
        threads(a, b);
    else if (!strcmp(mode, "jobs"))
        jobs(a, b, c, 0);
    else if (!strcmp(mode, "shared"))
        jobs(1, a, b, 1);
    else if (!strcmp(mode, "abandon"))
        abandon(a);
    else if (!strcmp(mode, "other"))
        in_a_job(other_body, NULL, 0);
    else if (!strcmp(mode, "callback"))
        callbacks(a);
    else if (!strcmp(mode, "freed"))
        freed(a, count > 3);
    else if (!strcmp(mode, "in_place"))
        in_place();
    else if (!strcmp(mode, "full"))
        full(a);
    else if (!strcmp(mode, "fork"))
        forks(a, argument[0]);
    else if (!strcmp(mode, "exec"))
        one_round(1), jobs(1, 2, 1, 0);
    else if (!strcmp(mode, "exits"))
        exits(a, b, 0);
    else if (!strcmp(mode, "exits-pkcs1"))
        exits(a, b, RSA_PKCS1_PADDING);
    else if (!strcmp(mode, "exits-pss"))
        exits(a, b, RSA_PKCS1_PSS_PADDING);
    else if (!strcmp(mode, "reload"))
        reload(a);
    else if (!strcmp(mode, "keys"))
        keys();
    else if (!strcmp(mode, "judged"))
        judged();
    else if (!strcmp(mode, "beside"))
        beside();
    else if (!strcmp(mode, "exponents"))
        exponents();
    else if (!strcmp(mode, "contexts"))
        contexts();
    else if (!strcmp(mode, "parameters"))
        parameters();
    else if (!strcmp(mode, "soak"))
        soak(a, argument[0]);
    else
        return fprintf(stderr, "evp: %s: unknown mode\n", mode), 2;
    tear_down();
    return 0;
}
