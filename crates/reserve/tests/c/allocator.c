/* SPDX-License-Identifier: Apache-2.0 */
/* The program's allocator functions, which those of the C library give way to, for libcrypto and the module too. What a
 * module maps and the threads it starts count as allocations. */
#define _GNU_SOURCE
#include "allocator.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

/* Code in memory: the module's, the C library's and the dynamic linker's. */
enum { OF_MODULE, OF_LIBC, OF_LINKER, FILES };
static struct code { const char *name; uintptr_t start, end; } code[FILES] = {
    { NULL, 0, 0 }, { "/libc.so", 0, 0 }, { "/ld-linux", 0, 0 },
};
static enum callers whose;
static atomic_int counting;
static atomic_ulong counted;
static unsigned long first, last;

static int look(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (struct code *one = code; one < code + FILES; one++)
        for (int i = 0; one->name && strstr(info->dlpi_name, one->name) && i < info->dlpi_phnum; i++)
            if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
                one->start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
                one->end = one->start + info->dlpi_phdr[i].p_memsz;
            }
    return 0;
}

int find_module(const char *name)
{
    code[OF_MODULE].name = name;
    dl_iterate_phdr(look, NULL);
    return !name || code[OF_MODULE].start;
}

static int is_of(void *caller, int file)
{
    return (uintptr_t)caller >= code[file].start && (uintptr_t)caller < code[file].end;
}

void fail_from(enum callers callers, unsigned long begin, unsigned long count)
{
    whose = callers;
    first = begin;
    last = begin && count <= -begin ? begin + count - 1 : begin ? -1UL : 0;
    counted = 0;
    counting = 1;
}

unsigned long end_failing(void)
{
    counting = 0;
    return counted;
}

/* Whether the allocation that `caller` asks for is to fail. */
static int fails(void *caller)
{
    if (!counting)
        return 0;
    if (whose == MODULE && !is_of(caller, OF_MODULE))
        return 0;
    /* For its threads' locals and the like the C library ends the process, whose ever they are: where that is possible is
     * found by limits, not here. */
    if (is_of(caller, OF_LIBC) || is_of(caller, OF_LINKER))
        return 0;
    unsigned long number = ++counted;
    return first && number >= first && number <= last;
}

#define FAIL(result) do { if (fails(__builtin_return_address(0))) return errno = ENOMEM, (result); } while (0)

void *malloc(size_t size)
{
    FAIL(NULL);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    FAIL(NULL);
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    FAIL(NULL);
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
    FAIL(NULL);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    FAIL(NULL);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **place, size_t alignment, size_t size)
{
    FAIL(ENOMEM);
    void *memory = __libc_memalign(alignment, size);
    if (!memory)
        return ENOMEM;
    *place = memory;
    return 0;
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    FAIL(MAP_FAILED);
    return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}

void *mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    FAIL(MAP_FAILED);
    return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    static int (*theirs)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    FAIL(EAGAIN);
    if (!theirs)
        theirs = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
    return theirs(thread, attributes, start, argument);
}

static _Thread_local unsigned notes_here;

unsigned notes(void)
{
    return notes_here;
}

/* For each destructor of a thread's local the C library takes memory for a note, and ends the process where it has none: here
 * where the last allocation failed. */
int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *module)
{
    static int (*theirs)(void (*)(void *), void *, void *);
    if (is_of(__builtin_return_address(0), OF_MODULE)) {
        notes_here++;
        if (counting && first && counted >= first && counted <= last)
            abort();
    }
    if (!theirs)
        theirs = (int (*)(void (*)(void *), void *, void *))dlsym(RTLD_NEXT, "__cxa_thread_atexit_impl");
    return theirs(destructor, object, module);
}

/* What `starve` took, in lists by size. */
static struct taken { struct taken *next; } *taken;

void starve(unsigned long bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = 4096;
    setrlimit(RLIMIT_AS, &limit);
    struct taken *spare = bytes ? __libc_malloc(bytes) : NULL;
    for (size_t size = 1 << 20; size >= 16; size /= 2)
        for (struct taken *block; (block = __libc_malloc(size));) {
            block->next = taken;
            taken = block;
        }
    free(spare);
}

void feed(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_AS, &limit);
    while (taken) {
        struct taken *next = taken->next;
        free(taken);
        taken = next;
    }
}
