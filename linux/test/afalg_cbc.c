// SPDX-License-Identifier: Apache-2.0
/*
 * AES-CBC by the kernel, through AF_ALG, from a program: afalg_cbc DRIVER encrypt|decrypt KEY IV <FROM >TO
 *   DRIVER   the kernel's name of an implementation, as cbc-aes-garner
 *   KEY, IV  hexadecimal
 * FROM is a multiple of 16 bytes. It goes in pieces of many sizes, over which the kernel carries the IV.
 */
#include "afalg.h"

#include <unistd.h>

#define PIECE 16384

static size_t from_hex(uint8_t *to, size_t room, const char *text)
{
	size_t count = 0;
	unsigned int byte;

	for (; count < room && sscanf(text + 2 * count, "%2x", &byte) == 1; count++)
		to[count] = byte;
	return count;
}

int main(int count, char **arguments)
{
	static uint8_t piece[PIECE], next[PIECE];
	uint8_t key[32], iv[BLOCK];
	size_t blocks = 1, length, more;
	uint32_t way;
	int cipher, first = 1;

	if (count != 5 || from_hex(iv, sizeof(iv), arguments[4]) != BLOCK) {
		fprintf(stderr, "afalg_cbc DRIVER encrypt|decrypt KEY IV <FROM >TO\n");
		return 2;
	}
	way = strcmp(arguments[2], "decrypt") ? ALG_OP_ENCRYPT : ALG_OP_DECRYPT;
	cipher = open_driver(arguments[1], key, from_hex(key, sizeof(key), arguments[3]));
	length = fread(piece, 1, BLOCK, stdin);
	while (length) {
		/* 1, 4, 13, 40 ... blocks, and again */
		blocks = blocks * 3 + 1 <= PIECE / BLOCK ? blocks * 3 + 1 : 1;
		more = fread(next, 1, BLOCK * blocks, stdin);
		give(cipher, piece, length, first ? iv : NULL, way, more ? MSG_MORE : 0);
		for (size_t at = 0; at < length;) {
			ssize_t got = read(cipher, piece + at, length - at);

			must(got > 0, "read");
			at += got;
		}
		must(fwrite(piece, 1, length, stdout) == length, "write");
		memcpy(piece, next, more);
		length = more;
		first = 0;
	}
	return 0;
}
