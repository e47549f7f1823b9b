/* SPDX-License-Identifier: Apache-2.0 */
/* Blocking callers. */
#include "common.h"

#include <pthread.h>

static unsigned operations;

static void *caller(void *argument)
{
    for (unsigned i = 0; i < operations; i++)
        one_round((unsigned)(size_t)argument * operations + i);
    return NULL;
}

void threads(unsigned count, unsigned each)
{
    pthread_t thread[256];
    operations = each;
    for (unsigned i = 0; i < count; i++)
        CHECK(pthread_create(&thread[i], NULL, caller, (void *)(size_t)i) == 0);
    for (unsigned i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
}
