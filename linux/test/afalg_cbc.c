// SPDX-License-Identifier: Apache-2.0
/*
 * AES-CBC by the kernel, through AF_ALG, from a program: afalg_cbc DRIVER encrypt|decrypt KEY IV <FROM >TO
 *   DRIVER   the kernel's name of an implementation, as cbc-aes-garner
 *   KEY, IV  hexadecimal
 * FROM is a multiple of 16 bytes. It goes in pieces of many sizes, over which the kernel carries the IV.
 */
#include <linux/if_alg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BLOCK 16
#define PIECE 16384

static void must(int so, const char *what)
{
	if (so)
		return;
	perror(what);
	exit(1);
}

static size_t from_hex(uint8_t *to, size_t room, const char *text)
{
	size_t count = 0;
	unsigned int byte;

	for (; count < room && sscanf(text + 2 * count, "%2x", &byte) == 1; count++)
		to[count] = byte;
	return count;
}

/* Opens the algorithm with a key. */
static int open_driver(const char *driver, const uint8_t *key, size_t length)
{
	struct sockaddr_alg name = { .salg_family = AF_ALG, .salg_type = "skcipher" };
	int listener = socket(AF_ALG, SOCK_SEQPACKET, 0), made;

	must(listener >= 0, "AF_ALG");
	strncpy((char *)name.salg_name, driver, sizeof(name.salg_name) - 1);
	must(!bind(listener, (struct sockaddr *)&name, sizeof(name)), driver);
	must(!setsockopt(listener, SOL_ALG, ALG_SET_KEY, key, length), "the key");
	made = accept(listener, NULL, NULL);
	must(made >= 0, "accept");
	return made;
}

/* Sends a piece; the first one with what is to be done, and the IV. */
static void give(int cipher, uint8_t *piece, size_t length, const uint8_t *iv, uint32_t way, int flags)
{
	union {
		uint8_t bytes[CMSG_SPACE(sizeof(way)) + CMSG_SPACE(sizeof(struct af_alg_iv) + BLOCK)];
		struct cmsghdr aligned;
	} control = { .bytes = { 0 } };
	struct iovec what = { .iov_base = piece, .iov_len = length };
	struct msghdr message = { .msg_iov = &what, .msg_iovlen = 1 };

	if (iv) {
		struct cmsghdr *head;
		struct af_alg_iv *given;

		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		head = CMSG_FIRSTHDR(&message);
		head->cmsg_level = SOL_ALG;
		head->cmsg_type = ALG_SET_OP;
		head->cmsg_len = CMSG_LEN(sizeof(way));
		memcpy(CMSG_DATA(head), &way, sizeof(way));
		head = CMSG_NXTHDR(&message, head);
		head->cmsg_level = SOL_ALG;
		head->cmsg_type = ALG_SET_IV;
		head->cmsg_len = CMSG_LEN(sizeof(*given) + BLOCK);
		given = (struct af_alg_iv *)CMSG_DATA(head);
		given->ivlen = BLOCK;
		memcpy(given->iv, iv, BLOCK);
	}
	must(sendmsg(cipher, &message, flags) == (ssize_t)length, "sendmsg");
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
