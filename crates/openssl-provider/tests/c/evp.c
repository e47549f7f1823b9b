/* An EVP program that knows nothing of Garner: what it signs and decrypts is checked by OpenSSL's own RSA, in a library
 * context that has only the default provider.
 *
 *   evp threads THREADS OPERATIONS        blocking callers
 *   evp jobs THREADS JOBS ROUNDS          asynchronous jobs, each with a wait context of its own
 *   evp shared JOBS ROUNDS                asynchronous jobs that share one wait context
 *   evp abandon COUNT                     jobs paused and given up; prints descriptors and bytes that this cost
 *   evp other                             what does not pause, in a job: a key generated, encryption, verification
 *   evp callback JOBS                     jobs that wake their owner by a callback
 *   evp in_place                          output over its own input, whole and in part, blocking and in a job
 *   evp full JOBS                         bad ciphertexts of PKCS#1 v1.5 while the queue is full; prints how many met that
 *   evp fork CHILDREN                     children that sign while the parent's threads sign; and paused jobs
 *   evp exec                              what a child runs after exec
 *   evp reload CYCLES                     library contexts that come and go; prints descriptors and bytes
 *   evp keys                              keys of all kinds, legacy ones among them
 *   evp judged                            signatures over payloads of any length, judged as the plain library does
 *   evp parameters                        parameters of the hash of a running signature; says if there are none
 *   evp bare CONFIGURATION                the default library context has no algorithm, and later has
 *   evp soak SECONDS                      threads, jobs, forks and reloads at once; prints descriptors and bytes
 */
#define _GNU_SOURCE
#define OPENSSL_SUPPRESS_DEPRECATED
#include <dirent.h>
#include <malloc.h>
#include <openssl/async.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            ERR_print_errors_fp(stderr);                                          \
            _exit(1);                                                             \
        }                                                                         \
    } while (0)

static OSSL_LIB_CTX *plain;  /* only the default provider */
static OSSL_PROVIDER *plain_provider;
static EVP_PKEY *key;        /* in the program's library context */
static EVP_PKEY *judge;      /* the same key in the plain one */

static EVP_PKEY *copy(OSSL_LIB_CTX *library, EVP_PKEY *original)
{
    OSSL_PARAM *params = NULL;
    EVP_PKEY *made = NULL;
    CHECK(EVP_PKEY_todata(original, EVP_PKEY_KEYPAIR, &params) == 1);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(library, "RSA", NULL);
    CHECK(context && EVP_PKEY_fromdata_init(context) == 1);
    CHECK(EVP_PKEY_fromdata(context, &made, EVP_PKEY_KEYPAIR, params) == 1);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(params);
    return made;
}

static const char *provider_of(EVP_PKEY *pkey)
{
    const OSSL_PROVIDER *provider = EVP_PKEY_get0_provider(pkey);
    return provider ? OSSL_PROVIDER_get0_name(provider) : "none";
}

static void set_up(void)
{
    key = EVP_RSA_gen(2048);
    CHECK(key && strcmp(provider_of(key), "garner") == 0);
    plain = OSSL_LIB_CTX_new();
    CHECK(plain && (plain_provider = OSSL_PROVIDER_load(plain, "default")));
    judge = copy(plain, key);
    CHECK(strcmp(provider_of(judge), "default") == 0);
}

static void tear_down(void)
{
    EVP_PKEY_free(judge);
    EVP_PKEY_free(key);
    OSSL_PROVIDER_unload(plain_provider);
    OSSL_LIB_CTX_free(plain);
}

/* One signature, PSS or PKCS#1 v1.5, by the program's provider. */
static void sign(EVP_PKEY *pkey, int pss, const void *message, size_t length, unsigned char *signature, size_t *written)
{
    EVP_PKEY_CTX *settings = NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    CHECK(EVP_DigestSignInit_ex(context, &settings, "SHA256", NULL, NULL, pkey, NULL) == 1);
    if (pss)
        CHECK(EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) == 1);
    CHECK(EVP_DigestSign(context, signature, written, message, length) == 1);
    EVP_MD_CTX_free(context);
}

static int verify(OSSL_LIB_CTX *library, EVP_PKEY *pkey, int pss, const void *message, size_t length,
                  const unsigned char *signature, size_t signature_length)
{
    EVP_PKEY_CTX *settings = NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    CHECK(EVP_DigestVerifyInit_ex(context, &settings, "SHA256", library, NULL, pkey, NULL) == 1);
    if (pss)
        CHECK(EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) == 1);
    int result = EVP_DigestVerify(context, signature, signature_length, message, length);
    EVP_MD_CTX_free(context);
    return result == 1;
}

static void cipher(EVP_PKEY *pkey, OSSL_LIB_CTX *library, int encrypt, int padding, const unsigned char *input, size_t length,
                  unsigned char *output, size_t *written)
{
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(library, pkey, NULL);
    CHECK(context && (encrypt ? EVP_PKEY_encrypt_init(context) : EVP_PKEY_decrypt_init(context)) == 1);
    CHECK(EVP_PKEY_CTX_set_rsa_padding(context, padding) == 1);
    CHECK((encrypt ? EVP_PKEY_encrypt(context, output, written, input, length)
                   : EVP_PKEY_decrypt(context, output, written, input, length)) == 1);
    EVP_PKEY_CTX_free(context);
}

/* A signature and a decryption that the plain library confirms. */
static void one_round(unsigned number)
{
    char message[32];
    unsigned char signature[1024], ciphertext[1024], text[1024];
    size_t length = sizeof signature, sealed = sizeof ciphertext, opened = sizeof text;
    int size = snprintf(message, sizeof message, "message %u", number);
    sign(key, number & 1, message, size, signature, &length);
    CHECK(verify(plain, judge, number & 1, message, size, signature, length));
    CHECK(verify(NULL, key, number & 1, message, size, signature, length));
    signature[7] ^= 1;
    CHECK(!verify(NULL, key, number & 1, message, size, signature, length));
    ERR_clear_error();
    int padding = number & 1 ? RSA_PKCS1_OAEP_PADDING : RSA_PKCS1_PADDING;
    cipher(judge, plain, 1, padding, (unsigned char *)message, size, ciphertext, &sealed);
    cipher(key, NULL, 0, padding, ciphertext, sealed, text, &opened);
    CHECK(opened == (size_t)size && memcmp(text, message, size) == 0);
}

/* ---- blocking callers ---- */

static unsigned operations;

static void *caller(void *argument)
{
    for (unsigned i = 0; i < operations; i++)
        one_round((unsigned)(size_t)argument * operations + i);
    return NULL;
}

static void threads(unsigned count, unsigned each)
{
    pthread_t thread[256];
    operations = each;
    for (unsigned i = 0; i < count; i++)
        CHECK(pthread_create(&thread[i], NULL, caller, (void *)(size_t)i) == 0);
    for (unsigned i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
}

/* ---- asynchronous jobs ---- */

struct work { unsigned number; };

static int job_body(void *argument)
{
    one_round(((struct work *)argument)->number);
    return 1;
}

struct loop { unsigned jobs, rounds, first; int shared; };

static void *loop(void *argument)
{
    struct loop *my = argument;
    ASYNC_JOB **job = calloc(my->jobs, sizeof *job);
    ASYNC_WAIT_CTX **wait = calloc(my->jobs, sizeof *wait);
    unsigned *done = calloc(my->jobs, sizeof *done);
    struct pollfd *fds = calloc(my->jobs * 64, sizeof *fds);
    int pauses = 0;
    CHECK(ASYNC_init_thread(my->jobs, 0) == 1);
    for (unsigned i = 0; i < my->jobs; i++)
        wait[i] = i == 0 || !my->shared ? ASYNC_WAIT_CTX_new() : wait[0];
    for (;;) {
        unsigned finished = 0;
        for (unsigned i = 0; i < my->jobs; i++) {
            int result = 0;
            if (done[i] == my->rounds) {
                finished++;
                continue;
            }
            struct work work = {my->first + i * my->rounds + done[i]};
            switch (ASYNC_start_job(&job[i], wait[i], &result, job_body, &work, sizeof work)) {
            case ASYNC_FINISH:
                CHECK(result == 1);
                done[i]++;
                break;
            case ASYNC_PAUSE:
                pauses++;
                break;
            default:
                CHECK(!"a job that runs");
            }
        }
        if (finished == my->jobs)
            break;
        size_t count = 0;
        for (unsigned i = 0; i < (my->shared ? 1 : my->jobs); i++) {
            OSSL_ASYNC_FD some[64];
            size_t number = 64;
            CHECK(ASYNC_WAIT_CTX_get_all_fds(wait[i], some, &number) == 1);
            for (size_t j = 0; j < number && job[i]; j++)
                fds[count++] = (struct pollfd){.fd = some[j], .events = POLLIN};
        }
        /* An answer that never signals would hang here; the limit turns that into a failure. */
        if (count)
            CHECK(poll(fds, count, 60000) > 0);
    }
    CHECK(pauses > 0);
    for (unsigned i = 0; i < (my->shared ? 1 : my->jobs); i++)
        ASYNC_WAIT_CTX_free(wait[i]);
    free(job), free(wait), free(done), free(fds);
    ASYNC_cleanup_thread();
    return NULL;
}

static void jobs(unsigned count, unsigned each, unsigned rounds, int shared)
{
    pthread_t thread[64];
    struct loop loops[64];
    for (unsigned i = 0; i < count; i++) {
        loops[i] = (struct loop){each, rounds, i * each * rounds, shared};
        CHECK(pthread_create(&thread[i], NULL, loop, &loops[i]) == 0);
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
}

/* On 32 KiB of stack, nothing of which Garner may run out of. */
static int other_body(void *argument)
{
    (void)argument;
    unsigned char ciphertext[512], text[512], signature[512];
    size_t sealed = sizeof ciphertext, opened = sizeof text, length = sizeof signature;
    EVP_PKEY *made = EVP_RSA_gen(3072);
    CHECK(made && strcmp(provider_of(made), "garner") == 0);
    cipher(made, NULL, 1, RSA_PKCS1_OAEP_PADDING, (unsigned char *)"text", 4, ciphertext, &sealed);
    cipher(made, NULL, 0, RSA_PKCS1_OAEP_PADDING, ciphertext, sealed, text, &opened);
    CHECK(opened == 4 && memcmp(text, "text", 4) == 0);
    sign(made, 1, "text", 4, signature, &length);
    CHECK(verify(NULL, made, 1, "text", 4, signature, length));
    EVP_PKEY_free(made);
    return 1;
}

static _Atomic int called;

static int callback(void *argument)
{
    CHECK(argument == &called);
    atomic_fetch_add(&called, 1);
    return 1;
}

static void callbacks(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        ASYNC_JOB *job = NULL;
        ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
        struct work work = {i};
        int result = 0, state;
        CHECK(ASYNC_WAIT_CTX_set_callback(wait, callback, &called) == 1);
        int before = atomic_load(&called);
        while ((state = ASYNC_start_job(&job, wait, &result, job_body, &work, sizeof work)) == ASYNC_PAUSE) {
            for (int ms = 0; atomic_load(&called) == before; ms++) {
                CHECK(ms < 60000);
                usleep(1000);
            }
            before = atomic_load(&called);
        }
        CHECK(state == ASYNC_FINISH && result == 1);
        ASYNC_WAIT_CTX_free(wait);
    }
}

/* ---- output over its own input ---- */

/* A buffer in which input and output begin where the test says; 512 bytes are enough for both. */
static struct { unsigned char bytes[768]; size_t in, out; } over;

static void lay(const void *input, size_t length)
{
    memset(over.bytes, 0xee, sizeof over.bytes);
    memcpy(over.bytes + over.in, input, length);
}

static EVP_PKEY_CTX *prepare(int (*init)(EVP_PKEY_CTX *), int padding)
{
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    CHECK(context && init(context) == 1 && EVP_PKEY_CTX_set_rsa_padding(context, padding) == 1);
    return context;
}

static void signs_in_place(int padding)
{
    const EVP_MD *hash = padding == RSA_NO_PADDING ? NULL : EVP_sha256();
    const size_t size = hash ? 32 : 256;
    unsigned char digest[256] = "not a digest, but as long as one";
    EVP_PKEY_CTX *context = prepare(EVP_PKEY_sign_init, padding);
    CHECK(!hash || EVP_PKEY_CTX_set_signature_md(context, hash) == 1);
    size_t length = 256, recovered = 256;
    lay(digest, size);
    CHECK(EVP_PKEY_sign(context, over.bytes + over.out, &length, over.bytes + over.in, size) == 1 && length == 256);
    EVP_PKEY_CTX_free(context);
    context = EVP_PKEY_CTX_new_from_pkey(plain, judge, NULL);
    CHECK(EVP_PKEY_verify_init(context) == 1 && EVP_PKEY_CTX_set_rsa_padding(context, padding) == 1);
    CHECK(!hash || EVP_PKEY_CTX_set_signature_md(context, hash) == 1);
    CHECK(EVP_PKEY_verify(context, over.bytes + over.out, 256, digest, size) == 1);
    EVP_PKEY_CTX_free(context);
    if (padding != RSA_PKCS1_PADDING)
        return;

    unsigned char signature[256];
    memcpy(signature, over.bytes + over.out, sizeof signature);
    lay(signature, sizeof signature);
    context = prepare(EVP_PKEY_verify_recover_init, padding);
    CHECK(EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1);
    CHECK(EVP_PKEY_verify_recover(context, over.bytes + over.out, &recovered, over.bytes + over.in, 256) == 1);
    CHECK(recovered == 32 && memcmp(over.bytes + over.out, digest, 32) == 0);
    EVP_PKEY_CTX_free(context);
}

static void digest_signs_in_place(int pss)
{
    size_t length = 256;
    lay("a message", 9);
    sign(key, pss, over.bytes + over.in, 9, over.bytes + over.out, &length);
    CHECK(verify(plain, judge, pss, "a message", 9, over.bytes + over.out, length));
}

static void ciphers_in_place(int padding)
{
    unsigned char message[256] = {0, 2, 7}, sealed[256], opened[256];
    size_t size = padding == RSA_NO_PADDING ? 256 : 77, length = 256, back = 256;
    lay(message, size);
    EVP_PKEY_CTX *context = prepare(EVP_PKEY_encrypt_init, padding);
    CHECK(EVP_PKEY_encrypt(context, over.bytes + over.out, &length, over.bytes + over.in, size) == 1 && length == 256);
    EVP_PKEY_CTX_free(context);
    memcpy(sealed, over.bytes + over.out, sizeof sealed);
    cipher(judge, plain, 0, padding, sealed, length, opened, &back);
    CHECK(back == size && memcmp(opened, message, size) == 0);

    lay(sealed, sizeof sealed);
    context = prepare(EVP_PKEY_decrypt_init, padding);
    back = 256;
    CHECK(EVP_PKEY_decrypt(context, over.bytes + over.out, &back, over.bytes + over.in, sizeof sealed) == 1);
    CHECK(back == size && memcmp(over.bytes + over.out, message, size) == 0);
    EVP_PKEY_CTX_free(context);
}

static int in_place_body(void *argument)
{
    (void)argument;
    signs_in_place(RSA_PKCS1_PADDING), signs_in_place(RSA_PKCS1_PSS_PADDING), signs_in_place(RSA_NO_PADDING);
    digest_signs_in_place(0), digest_signs_in_place(1);
    ciphers_in_place(RSA_PKCS1_PADDING), ciphers_in_place(RSA_PKCS1_OAEP_PADDING), ciphers_in_place(RSA_NO_PADDING);
    return 1;
}

/* Runs one job to its end; whether it paused. */
static int in_a_job(int (*body)(void *), void *argument, size_t size)
{
    ASYNC_JOB *job = NULL;
    ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
    int result = 0, state, pauses = 0;
    for (; (state = ASYNC_start_job(&job, wait, &result, body, argument, size)) == ASYNC_PAUSE; pauses++) {
        CHECK(pauses < 60000);
        usleep(1000);
    }
    CHECK(state == ASYNC_FINISH && result == 1);
    ASYNC_WAIT_CTX_free(wait);
    return pauses;
}

static void in_place(void)
{
    const size_t starts[][2] = {{0, 0}, {0, 5}, {5, 0}, {0, 128}, {128, 0}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        over.in = starts[i][0], over.out = starts[i][1];
        in_place_body(NULL);
        CHECK(in_a_job(in_place_body, NULL, 0) > 0);
    }
}

/* ---- bad ciphertexts while the queue is full ---- */

enum { BAD = 6 };
static unsigned char bad[BAD][256], stand_in[BAD][256];
static size_t stand_in_length[BAD];

static int bad_body(void *argument)
{
    unsigned i = *(unsigned *)argument;
    unsigned char text[256];
    size_t length = sizeof text;
    cipher(key, NULL, 0, RSA_PKCS1_PADDING, bad[i], sizeof bad[i], text, &length);
    CHECK(length == stand_in_length[i] && memcmp(text, stand_in[i], length) == 0 && ERR_peek_error() == 0);
    return 1;
}

static void full(unsigned count)
{
    for (unsigned i = 0; i < BAD; i++) {
        unsigned char block[256];
        memset(block, 0x55, sizeof block);
        block[0] = 0, block[1] = 2, block[200] = 0;
        switch (i) {
        case 0: break; /* a good one */
        case 1: block[0] = 1; break;
        case 2: block[1] = 1; break;
        case 3: block[5] = 0; break; /* padding too short */
        case 4: block[200] = 1; break; /* no end of the padding */
        case 5: memset(block, 0, sizeof block); break;
        }
        size_t sealed = sizeof bad[i];
        stand_in_length[i] = sizeof stand_in[i];
        cipher(judge, plain, 1, RSA_NO_PADDING, block, sizeof block, bad[i], &sealed);
        /* The queue is empty: nobody else is here. */
        cipher(key, NULL, 0, RSA_PKCS1_PADDING, bad[i], sealed, stand_in[i], &stand_in_length[i]);
        CHECK(i > 0 || (stand_in_length[i] == 55 && stand_in[i][0] == 0x55));
    }
    /* Jobs that find room pause, at least once in a new wait context; those that find none are done when they return. */
    unsigned met[BAD] = {0}, least = 0;
    for (unsigned wave = 0; least < 4; wave++) {
        ASYNC_JOB *job[256] = {0};
        ASYNC_WAIT_CTX *wait[256];
        CHECK(wave < 1000 && count <= 256);
        for (unsigned i = 0; i < count; i++) {
            int result = 0;
            unsigned which = (i + wave) % BAD;
            wait[i] = ASYNC_WAIT_CTX_new();
            switch (ASYNC_start_job(&job[i], wait[i], &result, bad_body, &which, sizeof which)) {
            case ASYNC_FINISH:
                CHECK(result == 1);
                met[which]++;
                /* HAProxy aborts when a connection ends with a descriptor that no pause told it of. */
                size_t untold;
                CHECK(ASYNC_WAIT_CTX_get_all_fds(wait[i], NULL, &untold) == 1 && untold == 0);
                break;
            case ASYNC_PAUSE:
                break;
            default:
                CHECK(!"a job that runs");
            }
        }
        for (unsigned i = 0; i < count; i++) {
            int result = 1, tries = 0;
            while (job[i] && ASYNC_start_job(&job[i], wait[i], &result, NULL, NULL, 0) == ASYNC_PAUSE) {
                CHECK(tries++ < 60000);
                usleep(1000);
            }
            CHECK(result == 1);
            ASYNC_WAIT_CTX_free(wait[i]);
        }
        least = met[0];
        for (unsigned i = 1; i < BAD; i++)
            least = met[i] < least ? met[i] : least;
    }
    printf("met=%u\n", met[0] + met[1] + met[2] + met[3] + met[4] + met[5]);
}

/* ---- what is left behind ---- */

static unsigned descriptors(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static unsigned char prepared_digest[32];
static EVP_PKEY_CTX *prepared[4096];
static unsigned char prepared_signature[4096][256];

/* Owns no memory while it is paused, so that everything lost is the provider's. */
static int lean_body(void *argument)
{
    unsigned i = *(unsigned *)argument;
    size_t length = sizeof prepared_signature[i];
    return EVP_PKEY_sign(prepared[i], prepared_signature[i], &length, prepared_digest, sizeof prepared_digest);
}

/* Each wave gives up `count` jobs. libcrypto itself never frees the job of a wait context that is freed: so what a
 * paused job costs is measured against jobs that were paused by nobody of ours. */
static int idle_body(void *argument)
{
    (void)argument;
    ASYNC_pause_job();
    return 1;
}

static size_t wave(unsigned count, int (*body)(void *))
{
    malloc_trim(0);
    size_t before = mallinfo2().uordblks;
    for (unsigned i = 0; i < count; i++) {
        ASYNC_JOB *job = NULL;
        ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
        int result = 0, state;
        /* A job whose answer is there before it would pause does not pause: then another. */
        do
            state = ASYNC_start_job(&job, wait, &result, body, &i, sizeof i);
        while (state == ASYNC_FINISH);
        CHECK(state == ASYNC_PAUSE);
        ASYNC_WAIT_CTX_free(wait);
    }
    /* Until the abandoned operations are answered, they are not lost but under way. */
    for (unsigned i = 0; i < 8; i++)
        one_round(i);
    usleep(200000);
    return mallinfo2().uordblks - before;
}

static void abandon(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        prepared[i] = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
        CHECK(EVP_PKEY_sign_init(prepared[i]) == 1);
        CHECK(EVP_PKEY_CTX_set_signature_md(prepared[i], EVP_sha256()) == 1);
    }
    wave(count, lean_body), wave(count, idle_body);
    unsigned before = descriptors();
    size_t idle = wave(count, idle_body), ours = wave(count, lean_body);
    printf("descriptors=%d bytes=%ld\n", (int)descriptors() - (int)before, (long)ours - (long)idle);
    for (unsigned i = 0; i < count; i++)
        EVP_PKEY_CTX_free(prepared[i]);
}

/* ---- forks ---- */

static _Atomic int stop;

static void *until_stopped(void *argument)
{
    for (unsigned i = 0; !atomic_load(&stop); i++)
        one_round((unsigned)(size_t)argument + i);
    return NULL;
}

static void await(pid_t child)
{
    int status;
    for (int ms = 0; waitpid(child, &status, WNOHANG) == 0; ms++) {
        CHECK(ms < 60000 && "a child that ends");
        usleep(1000);
    }
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void forks(unsigned children, const char *self)
{
    pthread_t thread[4];
    one_round(0);
    for (size_t i = 0; i < 4; i++)
        CHECK(pthread_create(&thread[i], NULL, until_stopped, (void *)(i * 1000)) == 0);
    for (unsigned i = 0; i < children; i++) {
        pid_t child = fork();
        if (child == 0) {
            if (i % 4 == 3) {
                execl(self, self, "exec", (char *)NULL);
                _exit(2);
            }
            one_round(i), one_round(i + 1);
            jobs(1, 2, 1, 0);
            /* Half of them by exit, which cleans libcrypto up. */
            if (i % 2)
                exit(0);
            _exit(0);
        }
        CHECK(child > 0);
        await(child);
    }
    atomic_store(&stop, 1);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);

    /* A job that was paused when its process forked: both processes resume it. */
    ASYNC_JOB *job = NULL;
    ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
    struct work work = {99};
    int result = 0, state;
    do
        state = ASYNC_start_job(&job, wait, &result, job_body, &work, sizeof work);
    while (state == ASYNC_FINISH);
    CHECK(state == ASYNC_PAUSE);
    OSSL_ASYNC_FD descriptor;
    size_t descriptors = 0;
    CHECK(ASYNC_WAIT_CTX_get_all_fds(wait, NULL, &descriptors) == 1 && descriptors == 1);
    CHECK(ASYNC_WAIT_CTX_get_all_fds(wait, &descriptor, &descriptors) == 1);
    struct pollfd answer = {.fd = descriptor, .events = POLLIN};
    CHECK(poll(&answer, 1, 60000) == 1);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child > 0) {
        await(child);
        CHECK(poll(&answer, 1, 0) == 1 && "the parent's bell is the parent's");
    }
    int tries = 0;
    while ((state = ASYNC_start_job(&job, wait, &result, job_body, &work, sizeof work)) == ASYNC_PAUSE) {
        CHECK(tries++ < 60000);
        usleep(1000);
    }
    CHECK(state == ASYNC_FINISH && result == 1);
    ASYNC_WAIT_CTX_free(wait);
    if (child == 0)
        _exit(0);
}

/* ---- loading and unloading ---- */

static void reload_once(void)
{
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *base = OSSL_PROVIDER_load(library, "default"), *ours = OSSL_PROVIDER_load(library, "garner");
    CHECK(base && ours);
    CHECK(EVP_set_default_properties(library, "?provider=garner") == 1);
    EVP_PKEY *mine = copy(library, judge);
    CHECK(strcmp(provider_of(mine), "garner") == 0);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(library, mine, NULL);
    unsigned char signature[256];
    size_t length = sizeof signature;
    CHECK(EVP_PKEY_sign_init(context) == 1);
    CHECK(EVP_PKEY_sign(context, signature, &length, prepared_digest, 32) == 1);
    EVP_PKEY_CTX_free(context);
    /* Unloaded before the key goes: the key keeps it. */
    OSSL_PROVIDER_unload(ours);
    EVP_PKEY_free(mine);
    OSSL_PROVIDER_unload(base);
    OSSL_LIB_CTX_free(library);
}

static void reload(unsigned cycles)
{
    for (unsigned i = 0; i < 10; i++)
        reload_once();
    unsigned before = descriptors();
    size_t bytes = mallinfo2().uordblks;
    for (unsigned i = 0; i < cycles; i++)
        reload_once();
    printf("descriptors=%d bytes=%ld\n", (int)descriptors() - (int)before, (long)mallinfo2().uordblks - (long)bytes);
}

/* ---- keys of all kinds ---- */

static void sign_and_judge(EVP_PKEY *pkey, const char *what)
{
    unsigned char signature[2048];
    size_t length = sizeof signature;
    OSSL_PARAM *params = NULL;
    sign(pkey, 0, what, strlen(what), signature, &length);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(plain, "RSA", NULL);
    EVP_PKEY *public_key = NULL;
    CHECK(EVP_PKEY_todata(pkey, EVP_PKEY_PUBLIC_KEY, &params) == 1);
    CHECK(EVP_PKEY_fromdata_init(context) == 1);
    CHECK(EVP_PKEY_fromdata(context, &public_key, EVP_PKEY_PUBLIC_KEY, params) == 1);
    CHECK(verify(plain, public_key, 0, what, strlen(what), signature, length));
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(public_key);
    OSSL_PARAM_free(params);
    printf("%s signs\n", what);
}

static void keys(void)
{
    BIGNUM *e = BN_new();
    for (int bits = 512; bits <= 3072; bits = bits * 3 / 2 + (bits * 3 / 2) % 2)
        for (int primes = 2; primes <= (bits >= 1024 ? 3 : 2); primes++)
            for (int exponent = 3; exponent <= 65537; exponent += 65534) {
                char name[64];
                RSA *rsa = RSA_new();
                EVP_PKEY *legacy = EVP_PKEY_new();
                BN_set_word(e, exponent);
                CHECK(RSA_generate_multi_prime_key(rsa, bits, primes, e, NULL) == 1);
                CHECK(EVP_PKEY_set1_RSA(legacy, rsa) == 1);
                snprintf(name, sizeof name, "legacy key of %d bits, %d primes, e = %d", bits, primes, exponent);
                sign_and_judge(legacy, name);
                EVP_PKEY_free(legacy);
                if (primes == 2) {
                    /* Without the CRT's parts. */
                    const BIGNUM *n, *public_exponent, *d;
                    RSA *bare = RSA_new();
                    RSA_get0_key(rsa, &n, &public_exponent, &d);
                    CHECK(RSA_set0_key(bare, BN_dup(n), BN_dup(public_exponent), BN_dup(d)) == 1);
                    legacy = EVP_PKEY_new();
                    CHECK(EVP_PKEY_assign_RSA(legacy, bare) == 1);
                    strcat(name, ", no CRT");
                    sign_and_judge(legacy, name);
                    EVP_PKEY_free(legacy);
                }
                RSA_free(rsa);
            }
    BN_free(e);

    /* A copy, a round trip through PEM, a comparison, a check, a public key that cannot sign. */
    EVP_PKEY *twin = EVP_PKEY_dup(key);
    CHECK(twin && EVP_PKEY_eq(key, twin) == 1);
    sign_and_judge(twin, "copy");
    EVP_PKEY_free(twin);
    BIO *memory = BIO_new(BIO_s_mem());
    CHECK(PEM_write_bio_PKCS8PrivateKey(memory, key, EVP_aes_256_cbc(), "word", 4, NULL, NULL) == 1);
    twin = PEM_read_bio_PrivateKey(memory, NULL, NULL, "word");
    CHECK(twin && EVP_PKEY_eq(key, twin) == 1);
    sign_and_judge(twin, "encrypted PEM");
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, twin, NULL);
    CHECK(EVP_PKEY_check(context) == 1 && EVP_PKEY_pairwise_check(context) == 1 && EVP_PKEY_public_check(context) == 1);
    EVP_PKEY_CTX_free(context);
    CHECK(PEM_write_bio_PUBKEY(memory, twin) == 1);
    EVP_PKEY_free(twin);
    twin = PEM_read_bio_PUBKEY(memory, NULL, NULL, NULL);
    context = EVP_PKEY_CTX_new_from_pkey(NULL, twin, NULL);
    unsigned char signature[256];
    size_t length = sizeof signature;
    CHECK(context && EVP_PKEY_sign_init(context) == 1);
    CHECK(EVP_PKEY_sign(context, signature, &length, prepared_digest, 32) != 1 && ERR_peek_error() != 0);
    ERR_clear_error();
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(twin);
    BIO_free(memory);

    /* A bad PKCS#1 v1.5 ciphertext decrypts to a stand-in, the same each time, whatever this OpenSSL's version does. */
    unsigned char block[256] = {0, 1}, bad[256], first[256], second[256];
    size_t sealed = sizeof bad, one = sizeof first, two = sizeof second;
    cipher(judge, plain, 1, RSA_NO_PADDING, block, sizeof block, bad, &sealed);
    cipher(key, NULL, 0, RSA_PKCS1_PADDING, bad, sealed, first, &one);
    cipher(key, NULL, 0, RSA_PKCS1_PADDING, bad, sealed, second, &two);
    CHECK(one == two && memcmp(first, second, one) == 0);
    puts("implicit rejection");

    /* Nor does it matter whether Garner takes the key. */
    context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    twin = NULL;
    CHECK(EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_CTX_set_rsa_keygen_primes(context, 3) == 1);
    CHECK(EVP_PKEY_generate(context, &twin) == 1);
    EVP_PKEY_CTX_free(context);
    size_t third = sizeof second, fourth = sizeof second;
    unsigned char bad_of_three[256], other[256];
    cipher(twin, NULL, 1, RSA_NO_PADDING, block, sizeof block, bad_of_three, &third);
    third = sizeof second;
    cipher(twin, NULL, 0, RSA_PKCS1_PADDING, bad_of_three, sizeof bad_of_three, second, &third);
    cipher(twin, NULL, 0, RSA_PKCS1_PADDING, bad_of_three, sizeof bad_of_three, other, &fourth);
    CHECK(third == fourth && memcmp(second, other, third) == 0);
    unsigned char sealed_text[256];
    third = sizeof sealed_text, fourth = sizeof other;
    cipher(twin, NULL, 1, RSA_PKCS1_PADDING, (const unsigned char *)"text", 4, sealed_text, &third);
    cipher(twin, NULL, 0, RSA_PKCS1_PADDING, sealed_text, third, other, &fourth);
    CHECK(fourth == 4 && memcmp(other, "text", 4) == 0);
    EVP_PKEY_free(twin);
    puts("implicit rejection of three primes");

    /* Who asks for the error gets it. */
    unsigned off = 0;
    OSSL_PARAM explicit[] = {OSSL_PARAM_uint("implicit-rejection", &off), OSSL_PARAM_END};
    context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    one = sizeof first;
    CHECK(EVP_PKEY_decrypt_init_ex(context, explicit) == 1);
    CHECK(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1);
    CHECK(EVP_PKEY_decrypt(context, first, &one, bad, sealed) != 1);
    ERR_clear_error();
    EVP_PKEY_CTX_free(context);
    puts("explicit rejection");
}

/* ---- beside the plain library ---- */

/* PKCS#1 v1.5, around the digest or, without a hash, around whatever there is. */
static int verify_payload(OSSL_LIB_CTX *library, EVP_PKEY *pkey, const EVP_MD *hash, const unsigned char *payload,
                          size_t length, const unsigned char *signature)
{
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(library, pkey, NULL);
    CHECK(context && EVP_PKEY_verify_init(context) == 1);
    CHECK(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1);
    CHECK(!hash || EVP_PKEY_CTX_set_signature_md(context, hash) == 1);
    int result = EVP_PKEY_verify(context, signature, 256, payload, length);
    EVP_PKEY_CTX_free(context);
    ERR_clear_error();
    return result == 1;
}

static void sign_payload(OSSL_LIB_CTX *library, EVP_PKEY *pkey, const EVP_MD *hash, const unsigned char *payload,
                         size_t length, unsigned char *signature)
{
    size_t written = 256;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(library, pkey, NULL);
    CHECK(context && EVP_PKEY_sign_init(context) == 1);
    CHECK(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1);
    CHECK(!hash || EVP_PKEY_CTX_set_signature_md(context, hash) == 1);
    CHECK(EVP_PKEY_sign(context, signature, &written, payload, length) == 1 && written == 256);
    EVP_PKEY_CTX_free(context);
}

static void judged(void)
{
    const unsigned char payload[64] = {7, 6, 5};
    const EVP_MD *hashes[] = {NULL, EVP_md5_sha1(), EVP_sha256()};
    unsigned char signature[256];
    for (size_t length = 0; length <= sizeof payload; length++) {
        sign_payload(plain, judge, NULL, payload, length, signature);
        for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++) {
            int right = verify_payload(plain, judge, hashes[i], payload, length, signature);
            CHECK(right == (i == 0 ? length > 0 : i == 1 ? length == 36 : 0));
            CHECK(verify_payload(NULL, key, hashes[i], payload, length, signature) == right);
        }
    }
}

enum when { WITH_INIT, BEFORE, AMID, NEVER };

/* TLS's predecessor mixed its master secret into a running hash: the one parameter of a hash that signatures have. */
static void master_secret(EVP_MD_CTX *context, enum when now, enum when when)
{
    unsigned char secret[48] = {9, 8, 7};
    OSSL_PARAM params[] = {OSSL_PARAM_octet_string(OSSL_DIGEST_PARAM_SSL3_MS, secret, sizeof secret), OSSL_PARAM_END};
    CHECK(now != when || EVP_MD_CTX_set_params(context, params) == 1);
}

static void sign_with_secret(OSSL_LIB_CTX *library, EVP_PKEY *pkey, enum when when, unsigned char *signature)
{
    unsigned char secret[48] = {9, 8, 7};
    OSSL_PARAM params[] = {OSSL_PARAM_octet_string(OSSL_DIGEST_PARAM_SSL3_MS, secret, sizeof secret), OSSL_PARAM_END};
    const OSSL_PARAM *first = when == WITH_INIT ? params : NULL;
    size_t length = 256;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    CHECK(EVP_DigestSignInit_ex(context, NULL, "MD5-SHA1", library, NULL, pkey, first) == 1);
    master_secret(context, BEFORE, when);
    CHECK(EVP_DigestSignUpdate(context, "a message", 9) == 1);
    master_secret(context, AMID, when);
    CHECK(EVP_DigestSignFinal(context, signature, &length) == 1 && length == 256);
    EVP_MD_CTX_free(context);

    context = EVP_MD_CTX_new();
    CHECK(EVP_DigestVerifyInit_ex(context, NULL, "MD5-SHA1", library, NULL, pkey, first) == 1);
    master_secret(context, BEFORE, when);
    CHECK(EVP_DigestVerifyUpdate(context, "a message", 9) == 1);
    master_secret(context, AMID, when);
    CHECK(EVP_DigestVerifyFinal(context, signature, length) == 1);
    EVP_MD_CTX_free(context);
}

static void parameters(void)
{
    unsigned char ours[256], theirs[NEVER + 1][256];
    EVP_MD *hash = EVP_MD_fetch(plain, "MD5-SHA1", NULL);
    const OSSL_PARAM *settable = EVP_MD_settable_ctx_params(hash);
    int there = settable && OSSL_PARAM_locate_const(settable, OSSL_DIGEST_PARAM_SSL3_MS);
    EVP_MD_free(hash);
    if (!there) {
        puts("no parameters");
        return;
    }
    for (enum when when = WITH_INIT; when <= NEVER; when++) {
        sign_with_secret(plain, judge, when, theirs[when]);
        sign_with_secret(NULL, key, when, ours);
        CHECK(memcmp(ours, theirs[when], sizeof ours) == 0);
    }
    CHECK(memcmp(theirs[BEFORE], theirs[NEVER], sizeof ours) && memcmp(theirs[AMID], theirs[NEVER], sizeof ours));
}

/* ---- a default library context without algorithms ---- */

static OSSL_LIB_CTX *own; /* with the default provider and Garner */
static unsigned char good_sealed[256], bad_sealed[256], bad_opened[256];
static size_t bad_length = sizeof bad_opened;

static int bare_body(void *argument)
{
    (void)argument;
    unsigned char signature[256], text[256];
    size_t length = sizeof text;
    sign_payload(own, key, EVP_sha256(), prepared_digest, 32, signature);
    CHECK(verify_payload(plain, judge, EVP_sha256(), prepared_digest, 32, signature));
    CHECK(verify_payload(own, key, EVP_sha256(), prepared_digest, 32, signature));
    ERR_clear_error();
    cipher(key, own, 0, RSA_PKCS1_PADDING, good_sealed, 256, text, &length);
    CHECK(length == 4 && memcmp(text, "text", 4) == 0);
    length = sizeof text;
    cipher(key, own, 0, RSA_PKCS1_PADDING, bad_sealed, 256, text, &length);
    CHECK(length == bad_length && memcmp(text, bad_opened, length) == 0 && ERR_peek_error() == 0);
    return 1;
}

static void bare(const char *configuration)
{
    const unsigned char block[256] = {0, 1};
    size_t sealed = 256;
    OSSL_PROVIDER *nothing = OSSL_PROVIDER_load(NULL, "null"), *everything;
    CHECK(nothing && RAND_bytes(bad_opened, 1) != 1);
    ERR_clear_error();
    own = OSSL_LIB_CTX_new();
    CHECK(own && OSSL_LIB_CTX_load_config(own, configuration) == 1);
    key = EVP_PKEY_Q_keygen(own, NULL, "RSA", (size_t)2048);
    CHECK(key && strcmp(provider_of(key), "garner") == 0);
    plain = OSSL_LIB_CTX_new();
    CHECK(plain && (plain_provider = OSSL_PROVIDER_load(plain, "default")));
    judge = copy(plain, key);
    cipher(judge, plain, 1, RSA_PKCS1_PADDING, (const unsigned char *)"text", 4, good_sealed, &sealed);
    cipher(judge, plain, 1, RSA_NO_PADDING, block, sizeof block, bad_sealed, &sealed);
    cipher(key, own, 0, RSA_PKCS1_PADDING, bad_sealed, sealed, bad_opened, &bad_length);
    bare_body(NULL), in_a_job(bare_body, NULL, 0);
    /* From now on Garner can do it, and gives the same. */
    everything = OSSL_PROVIDER_load(NULL, "default");
    CHECK(everything && RAND_bytes(prepared_digest, sizeof prepared_digest) == 1);
    bare_body(NULL), in_a_job(bare_body, NULL, 0);
    tear_down();
    OSSL_LIB_CTX_free(own);
    OSSL_PROVIDER_unload(everything);
    OSSL_PROVIDER_unload(nothing);
}

static void soak(unsigned seconds, const char *self)
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

int main(int count, char **argument)
{
    const char *mode = count > 1 ? argument[1] : "";
    unsigned a = count > 2 ? atoi(argument[2]) : 0, b = count > 3 ? atoi(argument[3]) : 0;
    unsigned c = count > 4 ? atoi(argument[4]) : 0;
    if (!strcmp(mode, "bare") && count > 2)
        return bare(argument[2]), 0;
    set_up();
    if (!strcmp(mode, "threads"))
        threads(a, b);
    else if (!strcmp(mode, "jobs"))
        jobs(a, b, c, 0);
    else if (!strcmp(mode, "shared"))
        jobs(1, a, b, 1);
    else if (!strcmp(mode, "abandon"))
        abandon(a);
    else if (!strcmp(mode, "other"))
        in_a_job(other_body, NULL, 0);
    else if (!strcmp(mode, "callback"))
        callbacks(a);
    else if (!strcmp(mode, "in_place"))
        in_place();
    else if (!strcmp(mode, "full"))
        full(a);
    else if (!strcmp(mode, "fork"))
        forks(a, argument[0]);
    else if (!strcmp(mode, "exec"))
        one_round(1), jobs(1, 2, 1, 0);
    else if (!strcmp(mode, "reload"))
        reload(a);
    else if (!strcmp(mode, "keys"))
        keys();
    else if (!strcmp(mode, "judged"))
        judged();
    else if (!strcmp(mode, "parameters"))
        parameters();
    else if (!strcmp(mode, "soak"))
        soak(a, argument[0]);
    else
        return fprintf(stderr, "evp: %s: unknown mode\n", mode), 2;
    tear_down();
    return 0;
}
