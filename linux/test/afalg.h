/* SPDX-License-Identifier: Apache-2.0 */
/* AES-CBC by the kernel, through AF_ALG: what the programs of the guest share. */
#ifndef AFALG_H
#define AFALG_H

#include <linux/if_alg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define BLOCK 16

static void must(int so, const char *what)
{
	if (so)
		return;
	perror(what);
	exit(1);
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

/* Sends a piece; with an IV it is the first one, and says what is to be done. */
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

#endif
