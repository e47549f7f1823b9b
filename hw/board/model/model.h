/* SPDX-License-Identifier: Apache-2.0 */
// The C interface of a compiled model of garner_top: pins in, pins out, one clock cycle a call.
//
// What is behind the pins (memory, a link, a driver) is the caller's. The Rust twin of the structures is
// hw/board/src/model.rs: change both.
#pragma once
#include <cstdint>

extern "C" {

// What the board drives into the design, stable over the cycle.
struct GarnerIn {
  uint8_t rst_n;
  uint8_t awvalid, wvalid, bready, arvalid, rready;  // AXI4-Lite: registers
  uint16_t awaddr, araddr;
  uint32_t wdata;
  uint8_t m_arready, m_rvalid, m_rresp, m_rlast, m_awready, m_wready, m_bvalid, m_bresp;  // AXI4: host memory
  uint64_t m_rdata;
};

// What the design drives in the same cycle, seen just before its clock edge.
struct GarnerOut {
  uint8_t awready, wready, bvalid, bresp, arready, rvalid, rresp;
  uint8_t m_arvalid, m_arlen, m_rready, m_awvalid, m_awlen, m_wvalid, m_wstrb, m_wlast, m_bready;
  uint8_t irq;
  uint32_t rdata;
  uint64_t m_araddr, m_awaddr, m_wdata;
};

struct GarnerModel;

// Layouts of this header; a caller built for another version must not go on.
uint32_t garner_model_version();
// Bytes of GarnerIn and GarnerOut, for the same reason.
uint32_t garner_model_sizes();
GarnerModel* garner_model_new();
void garner_model_free(GarnerModel* model);
// One clock cycle with these inputs.
void garner_model_cycle(GarnerModel* model, const GarnerIn* in, GarnerOut* out);
// Turns over one bit of the memories in the cores, chosen by `dice`.
void garner_model_flip_memory(GarnerModel* model, uint64_t dice);
// Stops the first core, idle or busy: it may take one more job, and answers none until a reset.
void garner_model_stop_core(GarnerModel* model);
// Starts a waveform (FST) at this cycle. 0: done; 1: the model was built without.
int garner_model_wave_start(GarnerModel* model, const char* path);
void garner_model_wave_stop(GarnerModel* model);
}
