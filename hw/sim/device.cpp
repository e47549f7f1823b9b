// SPDX-License-Identifier: Apache-2.0
// Verilator's model of garner_board, or of garner_top alone, behind device.h: clock, registers, interrupts, faults, waves.
// The memory bus is memory_bus.h's.
#include "device.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "Vdevice.h"
#include "memory_bus.h"
#include "verilated.h"
#include "verilated_syms.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

namespace {

constexpr uint32_t kOkay = 0;
constexpr int kResetCycles = 4;
constexpr int kRegisterLimit = 10'000;  // cycles within which a register answers
// StDecode of rsa_intake: neither in it nor in the one it leads to, StLookup, does the core answer or begin anything.
constexpr uint8_t kStopped = 2;

}  // namespace

struct garner_device {
  const garner_host host;
  VerilatedContext context;
  std::unique_ptr<Vdevice> top;
  MemoryBus bus{host};
  uint64_t now = 0;
  uint64_t quiet_since = 0;
  uint32_t lines = 0;  // irq_o
  uint32_t rose = 0;   // of these, since garner_device_run began
  // What device.vlt opens to us.
  std::vector<VerilatedVar*> memories;
  std::vector<uint64_t> bits_up_to;  // of the memories, added up
  VerilatedVar* core_state = nullptr;
  bool core_stopped = false;
#if VM_TRACE
  std::unique_ptr<VerilatedFstC> wave;
  std::string wave_path;
  uint64_t wave_from = 0, wave_to = 0;
#endif

  garner_device(const garner_host& around, uint32_t seed) : host(around) {
    context.randReset(2);
    context.randSeed(int(seed));
#if VM_TRACE
    context.traceEverOn(true);
#endif
    top = std::make_unique<Vdevice>(&context, "device");
    find();
    top->s_axil_awprot = top->s_axil_arprot = 0;
    top->s_axis_tvalid = top->s_axis_tlast = 0;
    top->s_axis_tdata = 0;
    top->m_axis_tready = 1;
    reset();
  }

  // Finds the memories of the cores, and the state of the first.
  void find() {
    std::string first;
    for (const auto& [path, scope] : *context.scopeNameMap()) {
      if (scope->varsp() == nullptr || std::strstr(path, "u_core") == nullptr) continue;
      for (auto& [name, variable] : *scope->varsp()) {
        if (std::strcmp(name, "memory") == 0) {
          const uint64_t before = bits_up_to.empty() ? 0 : bits_up_to.back();
          memories.push_back(&variable);
          bits_up_to.push_back(before + uint64_t(variable.elements(1)) * variable.entBits());
        } else if (std::strcmp(name, "state_q") == 0 && (first.empty() || path < first)) {
          first = path;
          core_state = &variable;
        }
      }
    }
  }

  void reset() {
    bus.reset(*top);
    top->s_axil_awvalid = top->s_axil_wvalid = top->s_axil_arvalid = 0;
    top->s_axil_bready = top->s_axil_rready = 1;
    top->rst_ni = 0;
    core_stopped = false;
    for (int i = 0; i < kResetCycles; i++) step([](const Vdevice&) {});
    top->rst_ni = 1;
    quiet_since = now;
  }

  // One cycle: the inputs settle, the handshakes of this cycle are noted, the clock rises. `observe` sees the outputs just
  // before it does.
  template <typename Observe>
  void step(Observe observe) {
    const bool on = top->rst_ni;
    begin_wave();
    if (on) bus.drive(*top, now);
    top->clk_i = 0;
    eval(2 * now);
    // Before every edge: written once, it would be a state the core goes on from.
    if (core_stopped) *static_cast<uint8_t*>(core_state->datap()) = kStopped;
    if (on) bus.observe(*top, now);
    observe(*top);
    top->clk_i = 1;
    eval(2 * now + 1);
    now++;
    if (!bus.idle()) quiet_since = now;
    const uint32_t came_up = top->irq_o & ~lines;
    lines = top->irq_o;
    rose |= came_up;
    if (on && came_up != 0 && host.interrupt != nullptr) host.interrupt(host.context, came_up);
  }

  void step() {
    step([](const Vdevice&) {});
  }

#if VM_TRACE
  void begin_wave() {
    if (!wave && now >= wave_from && now < wave_to) {
      wave = std::make_unique<VerilatedFstC>();
      top->trace(wave.get(), 99);
      wave->open(wave_path.c_str());
    } else if (wave && now >= wave_to) {
      wave->close();
      wave.reset();
    }
  }

  void eval(uint64_t half_cycles) {
    top->eval();
    if (wave) wave->dump(half_cycles);
  }
#else
  void begin_wave() {}
  void eval(uint64_t) { top->eval(); }
#endif
};

uint32_t garner_device_version() { return GARNER_DEVICE_VERSION; }

garner_device* garner_device_new(const garner_host* host, uint32_t seed) { return new garner_device(*host, seed); }

void garner_device_free(garner_device* device) {
  if (device == nullptr) return;
#if VM_TRACE
  if (device->wave) device->wave->close();
#endif
  device->top->final();
  delete device;
}

void garner_device_reset(garner_device* device) { device->reset(); }

int garner_device_read(garner_device* device, uint32_t offset, uint32_t* value) {
  Vdevice& top = *device->top;
  top.s_axil_araddr = offset;
  top.s_axil_arvalid = 1;
  int outcome = GARNER_NO_ANSWER;
  for (int i = 0; i < kRegisterLimit && outcome == GARNER_NO_ANSWER; i++) {
    bool taken = false;
    device->step([&](const Vdevice& out) {
      taken = out.s_axil_arready;
      if (!out.s_axil_rvalid) return;
      outcome = out.s_axil_rresp == kOkay ? 0 : GARNER_REFUSED;
      *value = out.s_axil_rdata;
    });
    if (taken) top.s_axil_arvalid = 0;
  }
  top.s_axil_arvalid = 0;
  return outcome;
}

int garner_device_write(garner_device* device, uint32_t offset, uint32_t value) {
  Vdevice& top = *device->top;
  top.s_axil_awaddr = offset;
  top.s_axil_wdata = value;
  top.s_axil_wstrb = 15;
  top.s_axil_awvalid = top.s_axil_wvalid = 1;
  int outcome = GARNER_NO_ANSWER;
  for (int i = 0; i < kRegisterLimit && outcome == GARNER_NO_ANSWER; i++) {
    bool address_taken = false, data_taken = false;
    device->step([&](const Vdevice& out) {
      address_taken = out.s_axil_awready;
      data_taken = out.s_axil_wready;
      if (out.s_axil_bvalid) outcome = out.s_axil_bresp == kOkay ? 0 : GARNER_REFUSED;
    });
    if (address_taken) top.s_axil_awvalid = 0;
    if (data_taken) top.s_axil_wvalid = 0;
  }
  top.s_axil_awvalid = top.s_axil_wvalid = 0;
  return outcome;
}

uint64_t garner_device_run(garner_device* device, uint64_t cycles) {
  device->rose = 0;
  uint64_t done = 0;
  while (done < cycles && device->rose == 0) {
    device->step();
    done++;
  }
  return done;
}

uint64_t garner_device_cycles(const garner_device* device) { return device->now; }

uint64_t garner_device_quiet(const garner_device* device) { return device->now - device->quiet_since; }

uint32_t garner_device_interrupts(const garner_device* device) { return device->lines; }

uint32_t garner_device_engines() { return GARNER_ENGINES; }

void garner_device_timing(garner_device* device, const garner_timing* timing) { device->bus.timing = *timing; }

void garner_device_stall(garner_device* device, uint32_t percent, uint64_t seed) { device->bus.stall(percent, seed); }

void garner_device_hold_bus(garner_device* device, int held) { device->bus.held = held != 0; }

void garner_device_flip_memory(garner_device* device, uint64_t dice) {
  const std::vector<uint64_t>& up_to = device->bits_up_to;
  uint64_t bit = dice % up_to.back();
  size_t i = 0;
  while (bit >= up_to[i]) i++;
  if (i > 0) bit -= up_to[i - 1];
  VerilatedVar& memory = *device->memories[i];
  const uint64_t width = memory.entBits();
  auto* word = static_cast<uint8_t*>(memory.datap()) + bit / width * memory.entSize();
  word[bit % width / 8] ^= 1 << bit % width % 8;
}

void garner_device_stop_core(garner_device* device) { device->core_stopped = true; }

int garner_device_wave(garner_device* device, const char* path, uint64_t from, uint64_t cycles) {
#if VM_TRACE
  device->wave_path = path;
  device->wave_from = from;
  device->wave_to = cycles > UINT64_MAX - from ? UINT64_MAX : from + cycles;
  return 0;
#else
  (void)device, (void)path, (void)from, (void)cycles;
  return 1;
#endif
}

void garner_device_state(const garner_device* device, void* context,
                         void (*visit)(void* context, const char* path, const char* name, const void* data, size_t size)) {
  for (const auto& [path, scope] : *const_cast<VerilatedContext&>(device->context).scopeNameMap()) {
    if (scope->varsp() == nullptr) continue;
    for (const auto& [name, variable] : *scope->varsp()) {
      // of a struct, its members: they have no padding
      const bool whole = variable.vltype() == VLVT_STRUCT || variable.vltype() == VLVT_UNION;
      if (!whole && !variable.isParam()) visit(context, path, name, variable.datap(), variable.totalSize());
    }
  }
}
