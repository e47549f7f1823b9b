/* Threads, jobs, forks and reloads at once. */
#include "common.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

void soak(unsigned seconds, const char *self)
{
    pthread_t thread[6];
    time_t start = time(NULL);
    unsigned before = 0;
    size_t bytes = 0;
    one_round(0);
    for (size_t i = 0; i < 6; i++)
        CHECK(pthread_create(&thread[i], NULL, until_stopped, (void *)(i * 1000)) == 0);
    for (unsigned i = 0; i < 6 || time(NULL) < start + (time_t)seconds; i++) {
        /* By then everything that is made once is there. */
        if (i == 3)
            before = descriptors(), bytes = mallinfo2().uordblks;
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
    printf("descriptors=%d bytes=%ld\n", (int)descriptors() - (int)before, (long)mallinfo2().uordblks - (long)bytes);
    atomic_store(&stop, 1);
    for (unsigned i = 0; i < 6; i++)
        pthread_join(thread[i], NULL);
}
