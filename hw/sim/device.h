/* SPDX-License-Identifier: Apache-2.0 */
/* The accelerator as a C library: garner_top, verilated, with the host's memory behind its AXI4 master.
 *
 * What a board is to a driver: 32-bit registers at offsets of docs/integration.md, three interrupt lines, and a device
 * that reads and writes memory by itself. Time passes only in garner_device_run and while a register is accessed.
 * Not thread-safe: one caller at a time for each device.
 */
#ifndef GARNER_DEVICE_H
#define GARNER_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Access to the host's memory, `length` bytes at `address`; 0 if it went well, else the bus answers with an error. */
typedef struct {
  void *context;
  int (*read)(void *context, uint64_t address, void *data, size_t length);
  int (*write)(void *context, uint64_t address, const void *data, size_t length);
} garner_memory;

typedef struct garner_device garner_device;

/* A device out of reset. */
garner_device *garner_device_new(const garner_memory *memory);
void garner_device_free(garner_device *device);
void garner_device_reset(garner_device *device);

/* Registers. `offset` is a multiple of 4 below 4096. An unmapped register reads as 0xFFFFFFFF. */
uint32_t garner_device_read(garner_device *device, uint32_t offset);
void garner_device_write(garner_device *device, uint32_t offset, uint32_t value);

/* Runs for at most `cycles`; less when an interrupt line comes up. The cycles run. */
uint64_t garner_device_run(garner_device *device, uint64_t cycles);

/* The interrupt lines: bit 0 completion, 1 idle, 2 error. */
uint32_t garner_device_interrupts(const garner_device *device);

/* Shows every signal and memory of the model, by the path of its instance and its name, to `visit`. Only a model that was
 * built with public signals (build(..., public=True) of device.py) has any. The inputs of the bus show what was offered
 * last until it is taken, then zeros. */
void garner_device_state(const garner_device *device, void *context,
                         void (*visit)(void *context, const char *path, const char *name, const void *data, size_t size));

/* From now on every handshake of the memory bus pauses at random in `percent` of the cycles. */
void garner_device_stall(garner_device *device, uint32_t percent, uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif
