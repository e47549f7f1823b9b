/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated device as a C library: garner_board, or garner_top alone, compiled by Verilator, with everything around its
 * pins.
 *
 * It is to its user what a board is to a driver: for each engine a page of 32-bit registers at the offsets of
 * docs/integration.md and three interrupt lines, and a bus master that reads and writes the host's memory by itself.
 *
 *   AXI4-Lite   garner_device_read, garner_device_write      one access at a time
 *   AXI4        garner_host.read, .write                     one call a burst; garner_timing says when, stalls at random
 *   interrupts  garner_host.interrupt, garner_device_interrupts
 *   clock       runs in garner_device_run, _read, _write and _reset alone
 *
 * hw/garner_hw/device.py builds the library for a set of parameters and binds it to Python; hw/board/src/device.rs binds it
 * to Rust. Both declare what is declared here and compare garner_device_version first: change all three.
 *
 * Not thread-safe: one caller at a time for each device; it may be another thread each time.
 */
#ifndef GARNER_DEVICE_H
#define GARNER_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header. A user that was made for another version must call nothing else. */
#define GARNER_DEVICE_VERSION 4u
uint32_t garner_device_version(void);

/* What is around the device. Each function is called from within a call of this library, on its thread, and may itself
 * call garner_device_cycles and nothing else. `engine` is the one whose rings or data these are, from 0. */
typedef struct {
  void *context; /* their first argument */
  /* Fills `data` with `length` bytes of memory at `address`; not 0: the bus answers the burst with an error. */
  int (*read)(void *context, uint32_t engine, uint64_t address, void *data, size_t length);
  /* Puts `data` there. Of a burst, the bytes whose strobes are set; one call if there is no gap between them. */
  int (*write)(void *context, uint32_t engine, uint64_t address, const void *data, size_t length);
  /* These lines came up (bits as in garner_device_interrupts). May be NULL. */
  void (*interrupt)(void *context, uint32_t lines);
} garner_host;

/* What the memory bus takes, in cycles. */
typedef struct {
  uint64_t latency;       /* from a read's address to its first beat, and from a write's last beat to its being in memory */
  double bytes_per_cycle; /* in each direction, of all bursts; INFINITY: as fast as the bus, a beat a cycle */
  uint32_t outstanding;   /* bursts under way in each direction, at most */
} garner_timing;

typedef struct garner_device garner_device;

/* A device out of reset, its bus as fast as can be. Registers and memories that no reset sets start at random, the same for
 * each `seed` but 0. `host` is copied. */
garner_device *garner_device_new(const garner_host *host, uint32_t seed);
void garner_device_free(garner_device *device);
/* Drops what is under way on the buses. */
void garner_device_reset(garner_device *device);

/* Registers. `offset` is a multiple of 4. 0: done; GARNER_REFUSED: by the device; GARNER_NO_ANSWER: none for a long time. */
#define GARNER_REFUSED 1
#define GARNER_NO_ANSWER 2
int garner_device_read(garner_device *device, uint32_t offset, uint32_t *value);
int garner_device_write(garner_device *device, uint32_t offset, uint32_t value);

/* Runs for at most `cycles`; less when an interrupt line comes up. The cycles run. */
uint64_t garner_device_run(garner_device *device, uint64_t cycles);
/* Cycles so far, all of them: those of resets and register accesses, too. */
uint64_t garner_device_cycles(const garner_device *device);
/* For how many cycles there has been nothing under way on the memory bus; 0 while something is. */
uint64_t garner_device_quiet(const garner_device *device);
/* The interrupt lines: bit 0 completion, 1 idle, 2 error; of the second engine bits 3 to 5, and so on. */
uint32_t garner_device_interrupts(const garner_device *device);
/* How many engines the library was built with: 1, RSA, or 3, with AES encryption and decryption. Each has a page of 4096
 * bytes of registers, in this order. */
uint32_t garner_device_engines(void);

/* The memory bus from now on. */
void garner_device_timing(garner_device *device, const garner_timing *timing);
/* Every handshake of the memory bus pauses at random in `percent` of the cycles. */
void garner_device_stall(garner_device *device, uint32_t percent, uint64_t seed);

/* Faults on purpose. The last two want a device of RSA cores. */
/* The memory bus takes and brings nothing any more, until it is told 0. A reset does not heal it. */
void garner_device_hold_bus(garner_device *device, int held);
/* Turns over one bit of the memories in the cores, chosen by `dice`. */
void garner_device_flip_memory(garner_device *device, uint64_t dice);
/* Stops the first core, idle or busy: it may take one more job, and answers none until a reset. */
void garner_device_stop_core(garner_device *device);

/* A waveform (FST) of `cycles` cycles from cycle `from` on. Not 0: the library was built without (--waves). */
int garner_device_wave(garner_device *device, const char *path, uint64_t from, uint64_t cycles);

/* Shows every signal and memory of the device, by the path of its instance and its name, to `visit`: all of them only if the
 * library was built with public=True of device.py. The inputs of the memory bus show what was offered last until it is
 * taken, then zeros. */
void garner_device_state(const garner_device *device, void *context,
                         void (*visit)(void *context, const char *path, const char *name, const void *data, size_t size));

#ifdef __cplusplus
}
#endif

#endif
