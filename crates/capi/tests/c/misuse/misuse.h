/* SPDX-License-Identifier: Apache-2.0 */
/* What every file of the program includes, and what each offers the others. */
#ifndef MISUSE_H
#define MISUSE_H

#include <garner.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* main.c */
void expect(const char *file, int line, const char *call, int expected, int status);
#define EXPECT(expected, call) expect(__FILE__, __LINE__, #call, expected, call)
#define EXPECT_TRUE(truth) expect(__FILE__, __LINE__, #truth, 1, (truth) ? 1 : 0)

enum { SIZE = 256 };

extern garner_private_key *key;
extern garner_public_key *public_key;
extern garner_modulus *modulus;
extern unsigned char pem[8192];
extern size_t pem_length;

extern const unsigned char message[15];
extern unsigned char signature[SIZE];

/* Something that is neither NULL nor a handle. */
void *wild(void);
garner_operation signing(unsigned char *output);

/* gatherers.c */
void gatherers(void);
void reports(void);

/* keys.c */
void keys(void);
void new_keys(void);

/* signatures.c */
void signatures(void);
void pss(void);

/* numbers.c, encryption.c, batches.c, tickets.c */
void numbers(void);
void encryption(void);
void batches(void);
void tickets(void);

#endif
