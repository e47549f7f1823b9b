/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "run_out.h"
#include "allocator.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds after which a child is taken to hang. */
enum { PATIENCE = 120 };

static const char *const NAMES[] = { "module", "everybody", "limit", "starved" };

enum who who_of(const char *name)
{
    enum who who = 0;
    while (who < UNKNOWN && strcmp(NAMES[who], name))
        who++;
    return who;
}

static unsigned long address_space(void)
{
    char text[256] = { 0 };
    int file = open("/proc/self/statm", O_RDONLY);
    if (file < 0 || read(file, text, sizeof text - 1) < 0)
        exit(2);
    close(file);
    return strtoul(text, NULL, 10) * 4096;
}

unsigned long run_out(enum who who, unsigned long point, unsigned long count, void (*work)(void))
{
    struct rlimit limit;
    unsigned long counted = 0;
    getrlimit(RLIMIT_AS, &limit);
    if (who == LIMIT && point) {
        limit.rlim_cur = address_space() + (point - 1) * 4096;
        setrlimit(RLIMIT_AS, &limit);
    } else if (who == STARVED && point)
        starve((point - 1) * 64);
    else if (who == IN_MODULE || who == IN_EVERYBODY)
        fail_from(who == IN_MODULE ? MODULE : EVERYBODY, point, count);
    work();
    if (who == LIMIT) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_AS, &limit);
    } else if (who == STARVED)
        feed();
    else
        counted = end_failing();
    return counted;
}

unsigned long at_points(enum who who, unsigned long points, unsigned long (*live)(unsigned long, unsigned long))
{
    unsigned long total = 0, bad = 0;
    int tube[2];
    fflush(stdout);
    if (pipe(tube))
        exit(2);
    if (fork() == 0) {
        unsigned long counted = live(0, 0);
        fflush(stdout);
        _exit(write(tube[1], &counted, sizeof counted) != sizeof counted);
    }
    close(tube[1]);
    if (read(tube[0], &total, sizeof total) != sizeof total)
        return printf("the child without failures failed\n"), 1;
    close(tube[0]);
    wait(NULL);
    /* Limits have no end of their own. */
    int counts = who == IN_MODULE || who == IN_EVERYBODY;
    if (counts)
        printf("%lu allocations\n", total);
    else
        total = 1000;
    unsigned long step = total / points + 1;
    for (unsigned long point = 1; point <= total; point += step) {
        unsigned long count = point / step % 2 ? 1 : -1UL;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            alarm(PATIENCE);
            live(point, count);
            fflush(stdout);
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        if (status) {
            printf("\n%s, point %lu%s: %s %d\n", NAMES[who], point, count == 1 ? "" : " and on",
                   WIFSIGNALED(status) ? "signal" : "exit", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
            bad++;
        }
    }
    return bad;
}
