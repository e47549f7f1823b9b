// SPDX-License-Identifier: Apache-2.0
/*
 * What AES-CBC through AF_ALG costs the processor: afalg_bench DRIVER encrypt|decrypt BYTES OPERATIONS
 *   DRIVER   the kernel's name of an implementation, as cbc-aes-garner
 *   BYTES    of an operation, a multiple of 16; it goes in pieces of at most 64 KiB
 *
 * For a guest whose clock counts instructions, one a nanosecond (QEMU's -icount shift=0), and which has one processor. A
 * second process spins whenever nothing else runs, and counts: so the clock never stands still, and what is not the spinner's
 * is the operations': system calls, interrupts, the driver. The timer's ticks, which come with the clock and not with an
 * operation, are taken out by their share of a time in which the spinner is alone.
 * Prints: operations, instructions and system calls of one, nanoseconds that the spinner had, its share of ticks as a factor.
 */
#define _GNU_SOURCE /* SCHED_IDLE */
#include "../test/afalg.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define PIECE 65536
#define SPIN 2 /* instructions of a round of the spinner */

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* The clock's nanoseconds over the spinner's, while it is alone: 1, and what the ticks take. Of several times the least, for
 * the kernel may have something else to do. */
static double ticks(volatile int64_t *rounds)
{
	struct timespec pause = { .tv_nsec = 40000000 };
	double least = 2;

	for (int i = 0; i < 5; i++) {
		int64_t start = now(), before = *rounds, elapsed;

		nanosleep(&pause, NULL);
		elapsed = now() - start;
		if ((double)elapsed / (SPIN * (*rounds - before)) < least)
			least = (double)elapsed / (SPIN * (*rounds - before));
	}
	return least;
}

/* Starts the spinner, which runs when nobody else wants to. */
static volatile int64_t *start_spinner(pid_t *spinner)
{
	volatile int64_t *rounds = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	must(rounds != MAP_FAILED, "mmap");
	*spinner = fork();
	must(*spinner >= 0, "fork");
	if (!*spinner) {
		struct sched_param none = { 0 };

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		must(!sched_setscheduler(0, SCHED_IDLE, &none), "SCHED_IDLE");
		for (;;)
			__asm__ volatile("1: incq (%0)\n\tjmp 1b" : : "r"(rounds) : "memory");
	}
	return rounds;
}

/* One operation; how many system calls it took. */
static int operate(int cipher, uint8_t *data, size_t length, const uint8_t *iv, uint32_t way)
{
	int calls = 0;

	for (size_t at = 0; at < length;) {
		size_t piece = length - at < PIECE ? length - at : PIECE;

		give(cipher, data + at, piece, at ? NULL : iv, way, at + piece < length ? MSG_MORE : 0);
		calls++;
		for (size_t end = at + piece; at < end; calls++) {
			ssize_t got = read(cipher, data + at, end - at);

			must(got > 0, "read");
			at += got;
		}
	}
	return calls;
}

int main(int count, char **arguments)
{
	static const uint8_t key[BLOCK] = "a key of 16 byte", iv[BLOCK] = "an IV for a text";
	int64_t start, rounds, elapsed, spun;
	volatile int64_t *spinner_rounds;
	size_t length;
	int operations, cipher, calls = 0;
	uint32_t way;
	uint8_t *data;
	double busy;
	pid_t spinner;

	if (count != 5) {
		fprintf(stderr, "afalg_bench DRIVER encrypt|decrypt BYTES OPERATIONS\n");
		return 2;
	}
	way = strcmp(arguments[2], "decrypt") ? ALG_OP_ENCRYPT : ALG_OP_DECRYPT;
	length = strtoul(arguments[3], NULL, 10);
	operations = atoi(arguments[4]);
	data = calloc(1, length);
	must(data != NULL, "memory");
	cipher = open_driver(arguments[1], key, sizeof(key));
	spinner_rounds = start_spinner(&spinner);

	busy = ticks(spinner_rounds);
	operate(cipher, data, length, iv, way);
	rounds = *spinner_rounds;
	start = now();
	for (int i = 0; i < operations; i++)
		calls += operate(cipher, data, length, iv, way);
	elapsed = now() - start;
	spun = SPIN * (*spinner_rounds - rounds);
	kill(spinner, SIGKILL);
	printf("%d %.0f %.1f %lld %.4f\n", operations, (elapsed - busy * spun) / operations, (double)calls / operations,
	       (long long)spun, busy);
	return 0;
}
