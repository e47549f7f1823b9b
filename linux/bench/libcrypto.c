// SPDX-License-Identifier: Apache-2.0
/*
 * AES-128-CBC by libcrypto in this process: libcrypto encrypt|decrypt BYTES OPERATIONS
 * Prints nanoseconds of the processor's time for an operation: EVP_CipherInit_ex with a new IV, EVP_CipherUpdate; the median of 5 runs.
 */
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS 5

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time); /* others may want the processor too */
	return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	double difference = *(const double *)a - *(const double *)b;

	return (difference > 0) - (difference < 0);
}

int main(int count, char **arguments)
{
	static const unsigned char key[16] = "a key of 16 byte", iv[16] = "an IV for a text";
	double took[RUNS];
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	unsigned char *from, *to;
	int encrypts, length, operations, made;

	if (count != 4 || !context) {
		fprintf(stderr, "libcrypto encrypt|decrypt BYTES OPERATIONS\n");
		return 2;
	}
	encrypts = strcmp(arguments[1], "decrypt") != 0;
	length = atoi(arguments[2]);
	operations = atoi(arguments[3]);
	from = calloc(1, (size_t)length);
	to = malloc((size_t)length + 16);
	if (!from || !to || !EVP_CipherInit_ex(context, EVP_aes_128_cbc(), NULL, key, iv, encrypts) ||
	    !EVP_CIPHER_CTX_set_padding(context, 0)) {
		fprintf(stderr, "libcrypto refused\n");
		return 1;
	}
	for (int run = 0; run < RUNS; run++) {
		double start = now();

		for (int i = 0; i < operations; i++) {
			if (!EVP_CipherInit_ex(context, NULL, NULL, NULL, iv, encrypts) ||
			    !EVP_CipherUpdate(context, to, &made, from, length) || made != length) {
				fprintf(stderr, "libcrypto failed\n");
				return 1;
			}
		}
		took[run] = (now() - start) / operations;
	}
	qsort(took, RUNS, sizeof(*took), ascending);
	printf("%.1f\n", took[RUNS / 2]);
	return 0;
}
