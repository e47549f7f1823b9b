// SPDX-License-Identifier: Apache-2.0
// garner_top behind the interface of device.h: drives the clock, and is the bus slave of the AXI4 master and the bus
// master of the registers. Beats are answered in order, one a cycle, unless stalls are asked for.
#include "device.h"

#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <type_traits>

#include "Vgarner_top.h"
#include "verilated.h"
#include "verilated_syms.h"

namespace {

constexpr uint32_t kOkay = 0;
constexpr uint32_t kSlaveError = 2;

struct Burst {
  uint64_t address;
  uint32_t beats;
};

}  // namespace

struct garner_device {
  VerilatedContext context;
  std::unique_ptr<Vgarner_top> top;
  garner_memory memory;
  std::deque<Burst> reads, writes;
  std::deque<uint32_t> answers;  // of writes: BRESP
  uint32_t read_beat = 0, write_beat = 0;
  uint32_t write_answer = kOkay;
  bool beat_fetched = false;     // R shows the beat at the head of `reads`
  uint32_t stall_percent = 0;
  std::mt19937_64 random;

  using Data = std::remove_reference_t<decltype(top->m_axi_rdata)>;

  bool pause() { return stall_percent != 0 && random() % 100 < stall_percent; }

  void quiet() {
    reads.clear();
    writes.clear();
    answers.clear();
    read_beat = write_beat = 0;
    write_answer = kOkay;
    beat_fetched = false;
    top->s_axil_awvalid = top->s_axil_wvalid = top->s_axil_arvalid = 0;
    top->s_axil_bready = top->s_axil_rready = 1;
    top->s_axis_tvalid = 0;
    top->m_axis_tready = 1;
    top->m_axi_rdata = 0;
    top->m_axi_arready = top->m_axi_rvalid = top->m_axi_awready = top->m_axi_wready = top->m_axi_bvalid = 0;
  }

  // One cycle: inputs settle, the handshakes of this cycle are noted, the clock rises.
  void step() {
    top->m_axi_arready = !pause();
    top->m_axi_awready = !pause();
    top->m_axi_wready = !writes.empty() && !pause();
    if (!beat_fetched && !reads.empty() && !pause()) {
      Data data = 0;
      const int failed = memory.read(memory.context, reads.front().address + read_beat * sizeof(Data), &data, sizeof(Data));
      top->m_axi_rdata = data;
      top->m_axi_rresp = failed ? kSlaveError : kOkay;
      top->m_axi_rlast = read_beat + 1 == reads.front().beats;
      beat_fetched = true;
    }
    top->m_axi_rvalid = beat_fetched;
    if (!top->m_axi_bvalid && !answers.empty() && !pause()) {
      top->m_axi_bvalid = 1;
      top->m_axi_bresp = answers.front();
    }
    top->clk_i = 0;
    top->eval();

    const bool ar = top->m_axi_arvalid && top->m_axi_arready;
    const bool aw = top->m_axi_awvalid && top->m_axi_awready;
    const Burst read{top->m_axi_araddr, top->m_axi_arlen + 1u}, write{top->m_axi_awaddr, top->m_axi_awlen + 1u};
    const bool r = top->m_axi_rvalid && top->m_axi_rready;
    const bool w = top->m_axi_wvalid && top->m_axi_wready;
    const bool b = top->m_axi_bvalid && top->m_axi_bready;
    if (w) take_beat();

    top->clk_i = 1;
    top->eval();

    if (ar) reads.push_back(read);
    if (aw) writes.push_back(write);
    if (r) {
      beat_fetched = false;
      top->m_axi_rdata = 0;
      if (++read_beat == reads.front().beats) {
        reads.pop_front();
        read_beat = 0;
      }
    }
    if (b) {
      answers.pop_front();
      top->m_axi_bvalid = 0;
    }
  }

  void take_beat() {
    const Data data = top->m_axi_wdata;
    const uint64_t address = writes.front().address + write_beat * sizeof(Data);
    for (size_t i = 0; i < sizeof(Data); i += 4) {  // the master strobes whole words
      if (!(top->m_axi_wstrb >> i & 1)) continue;
      if (memory.write(memory.context, address + i, reinterpret_cast<const char *>(&data) + i, 4)) write_answer = kSlaveError;
    }
    if (++write_beat == writes.front().beats) {
      answers.push_back(write_answer);
      writes.pop_front();
      write_beat = 0;
      write_answer = kOkay;
    }
  }
};

garner_device *garner_device_new(const garner_memory *memory) {
  auto *device = new garner_device;
  device->memory = *memory;
  device->top = std::make_unique<Vgarner_top>(&device->context, "garner_top");
  garner_device_reset(device);
  return device;
}

void garner_device_free(garner_device *device) {
  if (device != nullptr) device->top->final();
  delete device;
}

void garner_device_reset(garner_device *device) {
  device->quiet();
  device->top->rst_ni = 0;
  for (int i = 0; i < 4; i++) device->step();
  device->quiet();
  device->top->rst_ni = 1;
  device->step();
}

uint32_t garner_device_read(garner_device *device, uint32_t offset) {
  Vgarner_top &top = *device->top;
  top.s_axil_araddr = offset;
  top.s_axil_arvalid = 1;
  for (;;) {
    top.clk_i = 0;
    top.eval();
    const bool taken = top.s_axil_arvalid && top.s_axil_arready;
    const bool answered = top.s_axil_rvalid;
    const uint32_t value = top.s_axil_rresp == kOkay ? top.s_axil_rdata : 0xFFFFFFFFu;
    device->step();
    if (taken) top.s_axil_arvalid = 0;
    if (answered) return value;
  }
}

void garner_device_write(garner_device *device, uint32_t offset, uint32_t value) {
  Vgarner_top &top = *device->top;
  top.s_axil_awaddr = offset;
  top.s_axil_wdata = value;
  top.s_axil_wstrb = 15;
  top.s_axil_awvalid = top.s_axil_wvalid = 1;
  for (;;) {
    top.clk_i = 0;
    top.eval();
    const bool address = top.s_axil_awvalid && top.s_axil_awready;
    const bool data = top.s_axil_wvalid && top.s_axil_wready;
    const bool answered = top.s_axil_bvalid;
    device->step();
    if (address) top.s_axil_awvalid = 0;
    if (data) top.s_axil_wvalid = 0;
    if (answered) return;
  }
}

uint64_t garner_device_run(garner_device *device, uint64_t cycles) {
  const uint32_t before = device->top->irq_o;
  for (uint64_t done = 1; done <= cycles; done++) {
    device->step();
    if (device->top->irq_o & ~before) return done;
  }
  return cycles;
}

uint32_t garner_device_interrupts(const garner_device *device) { return device->top->irq_o; }

void garner_device_state(const garner_device *device, void *context,
                         void (*visit)(void *context, const char *path, const char *name, const void *data, size_t size)) {
  for (const auto &[path, scope] : *const_cast<VerilatedContext &>(device->context).scopeNameMap()) {
    if (scope->varsp() == nullptr) continue;
    for (const auto &[name, variable] : *scope->varsp()) {
      // of a struct, its members: they have no padding
      const bool whole = variable.vltype() == VLVT_STRUCT || variable.vltype() == VLVT_UNION;
      if (!whole && !variable.isParam()) visit(context, path, name, variable.datap(), variable.totalSize());
    }
  }
}

void garner_device_stall(garner_device *device, uint32_t percent, uint64_t seed) {
  device->stall_percent = percent;
  device->random.seed(seed);
}
