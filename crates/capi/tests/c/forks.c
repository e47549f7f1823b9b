/* SPDX-License-Identifier: Apache-2.0 */
/* Forks where they are least expected: within handlers of forks, and in a signal handler that interrupts the library.
 * Usage: forks KEY */
#define _DEFAULT_SOURCE /* SA_RESTART, setitimer */
#include <garner.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 300, PATIENCE = 60 /* seconds */ };

static garner_private_key *key;
static volatile sig_atomic_t forks, failures, handlers;

static void look_up(void)
{
    size_t bits;

    if (garner_private_key_bits(key, &bits) != GARNER_OK || bits != 2048)
        failures++;
}

static void in_a_handler(void)
{
    if (key == NULL)
        return;
    handlers++;
    look_up();
}

static int child_is_well(void)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        look_up();
        _exit(failures != 0);
    }
    return waitpid(child, &status, 0) == child && status == 0;
}

static void fork_here(int signal)
{
    pid_t child = fork();

    (void)signal;
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    forks++;
}

int main(int argc, char **argv)
{
    static char text[1 << 14];
    struct sigaction action = { 0 };
    struct itimerval every = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    size_t length = file == NULL ? 0 : fread(text, 1, sizeof text, file);

    alarm(PATIENCE);
    /* Before the library is used for the first time, and after. */
    pthread_atfork(in_a_handler, in_a_handler, in_a_handler);
    if (garner_private_key_read(text, length, NULL, 0, &key) != GARNER_OK) {
        fprintf(stderr, "%s\n", garner_last_error());
        return 2;
    }
    pthread_atfork(in_a_handler, in_a_handler, in_a_handler);
    if (!child_is_well() || handlers != 4)
        failures++;

    action.sa_handler = fork_here;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
    while (forks < FORKS)
        look_up();
    setitimer(ITIMER_PROF, &never, NULL);
    printf("%d forks in handlers, %d failures\n", (int)forks, (int)failures);
    return failures != 0 || garner_private_key_free(key) != GARNER_OK;
}
