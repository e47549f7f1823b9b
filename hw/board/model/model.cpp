// SPDX-License-Identifier: Apache-2.0
// Verilator's model of garner_top behind model.h.
#include "model.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "Vgarner_top.h"
#include "verilated.h"
#include "verilated_syms.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

// StDecode of rsa_intake: neither in it nor in the one it leads to, StLookup, does the core answer or begin anything.
constexpr uint8_t kStopped = 2;

struct GarnerModel {
  VerilatedContext context;
  std::unique_ptr<Vgarner_top> top;
#if VM_TRACE
  std::unique_ptr<VerilatedFstC> wave;
#endif
  uint64_t half_cycles = 0;
  // What model.vlt opens to us.
  std::vector<VerilatedVar*> memories;
  std::vector<uint64_t> bits_up_to;  // of the memories, added up
  VerilatedVar* core_state = nullptr;
  bool core_stopped = false;

  // Finds the memories of the cores, and the state of the first.
  void find() {
    uint64_t bits = 0;
    std::string first;
    for (const auto& [name, scope] : *context.scopeNameMap()) {
      if (!scope->varsp() || !std::strstr(name, "u_core")) continue;
      for (auto& [variable, var] : *scope->varsp()) {
        if (!std::strcmp(variable, "memory")) {
          bits += uint64_t(var.elements(1)) * var.entBits();
          memories.push_back(&var);
          bits_up_to.push_back(bits);
        } else if (!std::strcmp(variable, "state_q") && (first.empty() || name < first)) {
          first = name;
          core_state = &var;
        }
      }
    }
  }

  void eval() {
    top->eval();
#if VM_TRACE
    if (wave) wave->dump(half_cycles);
#endif
    half_cycles++;
  }
};

uint32_t garner_model_version() { return 2; }

uint32_t garner_model_sizes() { return sizeof(GarnerIn) << 16 | sizeof(GarnerOut); }

GarnerModel* garner_model_new() {
  auto* model = new GarnerModel;
  model->context.randReset(2);  // registers without a reset start at random
#if VM_TRACE
  model->context.traceEverOn(true);
#endif
  model->top = std::make_unique<Vgarner_top>(&model->context);
  Vgarner_top& top = *model->top;
  model->find();
  top.clk_i = 0;
  top.s_axis_tvalid = 0;
  top.s_axis_tlast = 0;
  top.s_axis_tdata = 0;
  top.m_axis_tready = 1;
  top.m_axi_rid = 0;
  top.m_axi_bid = 0;
  top.s_axil_awprot = 0;
  top.s_axil_arprot = 0;
  return model;
}

void garner_model_free(GarnerModel* model) {
  garner_model_wave_stop(model);
  model->top->final();
  delete model;
}

void garner_model_cycle(GarnerModel* model, const GarnerIn* in, GarnerOut* out) {
  Vgarner_top& top = *model->top;
  top.rst_ni = in->rst_n;
  top.s_axil_awvalid = in->awvalid;
  top.s_axil_awaddr = in->awaddr;
  top.s_axil_wvalid = in->wvalid;
  top.s_axil_wdata = in->wdata;
  top.s_axil_wstrb = 15;
  top.s_axil_bready = in->bready;
  top.s_axil_arvalid = in->arvalid;
  top.s_axil_araddr = in->araddr;
  top.s_axil_rready = in->rready;
  top.m_axi_arready = in->m_arready;
  top.m_axi_rvalid = in->m_rvalid;
  top.m_axi_rdata = in->m_rdata;
  top.m_axi_rresp = in->m_rresp;
  top.m_axi_rlast = in->m_rlast;
  top.m_axi_awready = in->m_awready;
  top.m_axi_wready = in->m_wready;
  top.m_axi_bvalid = in->m_bvalid;
  top.m_axi_bresp = in->m_bresp;
  top.clk_i = 0;
  model->eval();
  if (!in->rst_n) model->core_stopped = false;
  // Before every edge: written once, it would be a state the core goes on from.
  if (model->core_stopped) *static_cast<uint8_t*>(model->core_state->datap()) = kStopped;
  out->awready = top.s_axil_awready;
  out->wready = top.s_axil_wready;
  out->bvalid = top.s_axil_bvalid;
  out->bresp = top.s_axil_bresp;
  out->arready = top.s_axil_arready;
  out->rvalid = top.s_axil_rvalid;
  out->rresp = top.s_axil_rresp;
  out->rdata = top.s_axil_rdata;
  out->m_arvalid = top.m_axi_arvalid;
  out->m_araddr = top.m_axi_araddr;
  out->m_arlen = top.m_axi_arlen;
  out->m_rready = top.m_axi_rready;
  out->m_awvalid = top.m_axi_awvalid;
  out->m_awaddr = top.m_axi_awaddr;
  out->m_awlen = top.m_axi_awlen;
  out->m_wvalid = top.m_axi_wvalid;
  out->m_wdata = top.m_axi_wdata;
  out->m_wstrb = top.m_axi_wstrb;
  out->m_wlast = top.m_axi_wlast;
  out->m_bready = top.m_axi_bready;
  out->irq = top.irq_o;
  top.clk_i = 1;
  model->eval();
}

void garner_model_flip_memory(GarnerModel* model, uint64_t dice) {
  uint64_t bit = dice % model->bits_up_to.back();
  size_t i = 0;
  while (bit >= model->bits_up_to[i]) i++;
  if (i > 0) bit -= model->bits_up_to[i - 1];
  VerilatedVar& memory = *model->memories[i];
  const uint64_t width = memory.entBits();
  auto* word = static_cast<uint8_t*>(memory.datap()) + bit / width * memory.entSize();
  word[bit % width / 8] ^= 1 << bit % width % 8;
}

void garner_model_stop_core(GarnerModel* model) { model->core_stopped = true; }

int garner_model_wave_start(GarnerModel* model, const char* path) {
#if VM_TRACE
  model->wave = std::make_unique<VerilatedFstC>();
  model->top->trace(model->wave.get(), 99);
  model->wave->open(path);
  return 0;
#else
  (void)model;
  (void)path;
  return 1;
#endif
}

void garner_model_wave_stop(GarnerModel* model) {
#if VM_TRACE
  if (model->wave) model->wave->close();
  model->wave.reset();
#else
  (void)model;
#endif
}
