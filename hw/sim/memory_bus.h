// SPDX-License-Identifier: Apache-2.0
// The AXI4 slave that the master of the device sees: the host's memory, behind a link that takes its time.
//
//   read    address ---- latency ----> data, as fast as the link brings them (and one beat a cycle)
//   write   last beat -- latency ----> in memory, then the response
//
// Bursts are answered in order, with the IDs they came with. Both directions have the link's bandwidth, each for itself.
//
//   cycle   drive      inputs of the design from what is under way
//           observe    what it offers and takes, just before the clock rises; no input changes
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "Vdevice.h"
#include "device.h"

class MemoryBus {
 public:
  explicit MemoryBus(const garner_host& host) : host_(host) {}

  garner_timing timing{0, std::numeric_limits<double>::infinity(), std::numeric_limits<uint32_t>::max()};
  bool held = false;

  void stall(uint32_t percent, uint64_t seed) {
    stall_percent_ = percent;
    random_.seed(seed);
  }

  // Drops everything that is under way.
  void reset(Vdevice& top) {
    reads_.clear();
    writes_.clear();
    complete_ = 0;
    offered_ = answered_ = false;
    top.m_axi_rdata = 0;
    top.m_axi_rid = top.m_axi_bid = 0;
    top.m_axi_arready = top.m_axi_rvalid = top.m_axi_awready = top.m_axi_wready = top.m_axi_bvalid = 0;
  }

  bool idle() const { return reads_.empty() && writes_.empty() && !answered_; }

  // The inputs of cycle `now`.
  void drive(Vdevice& top, uint64_t now) {
    const bool alive = !held;
    top.m_axi_arready = alive && reads_.size() < timing.outstanding && !pause();
    top.m_axi_awready = alive && writes_.size() < timing.outstanding && !pause();
    top.m_axi_wready = alive && complete_ < writes_.size() && !pause();
    if (alive && !offered_ && !reads_.empty() && reads_.front().ready <= now && !pause()) offer(top);
    if (!offered_) top.m_axi_rdata = 0;
    top.m_axi_rvalid = alive && offered_;
    if (alive && !answered_ && complete_ > 0 && writes_.front().ready <= now && !pause()) {
      top.m_axi_bid = writes_.front().id;
      top.m_axi_bresp = put(writes_.front()) ? kOkay : kSlaveError;
      writes_.pop_front();
      complete_--;
      answered_ = true;
    }
    top.m_axi_bvalid = answered_;
  }

  // Takes note of what the design does in cycle `now`.
  void observe(const Vdevice& top, uint64_t now) {
    if (top.m_axi_rvalid && top.m_axi_rready) {
      offered_ = false;
      if (++reads_.front().beat == reads_.front().beats) reads_.pop_front();
    }
    if (top.m_axi_arvalid && top.m_axi_arready) {
      const uint32_t beats = top.m_axi_arlen + 1u;
      reads_.push_back({top.m_axi_araddr, beats, top.m_axi_arid, pass(down_free_, now, beats), 0, false, {}});
    }
    if (top.m_axi_wvalid && top.m_axi_wready) {
      Write& write = writes_[complete_];
      const Data data = top.m_axi_wdata;
      const auto* bytes = reinterpret_cast<const uint8_t*>(&data);
      write.data.insert(write.data.end(), bytes, bytes + sizeof(Data));
      write.strobes.push_back(top.m_axi_wstrb);
      if (write.strobes.size() == write.beats) {
        write.ready = pass(up_free_, now, write.beats);
        complete_++;
      }
    }
    if (top.m_axi_awvalid && top.m_axi_awready) {
      writes_.push_back({top.m_axi_awaddr, top.m_axi_awlen + 1u, top.m_axi_awid, 0, {}, {}});
    }
    if (top.m_axi_bvalid && top.m_axi_bready) answered_ = false;
  }

 private:
  using Data = std::remove_reference_t<decltype(Vdevice::m_axi_rdata)>;
  static constexpr uint32_t kOkay = 0, kSlaveError = 2;

  struct Read {
    uint64_t address;
    uint32_t beats;
    uint8_t id;
    uint64_t ready;  // the cycle of its first beat
    uint32_t beat;
    bool failed;
    std::vector<Data> data;  // fetched when the first beat is due
  };
  struct Write {
    uint64_t address;
    uint32_t beats;
    uint8_t id;
    uint64_t ready;  // the cycle in which it is in memory
    std::vector<uint8_t> data;
    std::vector<uint8_t> strobes;
  };

  const garner_host& host_;
  std::deque<Read> reads_;
  std::deque<Write> writes_;
  size_t complete_ = 0;    // of writes_, from the front: those whose beats are all there
  bool offered_ = false;   // R shows a beat of the first read
  bool answered_ = false;  // B shows a response
  double down_free_ = 0, up_free_ = 0;  // when each direction of the link is free again
  uint32_t stall_percent_ = 0;
  std::mt19937_64 random_;

  bool pause() { return stall_percent_ != 0 && random_() % 100 < stall_percent_; }

  // When so many beats, started now, are through.
  uint64_t pass(double& free, uint64_t now, uint32_t beats) const {
    free = std::max(free, double(now)) + beats * sizeof(Data) / timing.bytes_per_cycle;
    return uint64_t(free) + timing.latency;
  }

  void offer(Vdevice& top) {
    Read& read = reads_.front();
    if (read.data.empty()) {
      read.data.resize(read.beats);
      read.failed = host_.read(host_.context, read.id, read.address, read.data.data(), read.beats * sizeof(Data)) != 0;
    }
    top.m_axi_rdata = read.failed ? 0 : read.data[read.beat];
    top.m_axi_rid = read.id;
    top.m_axi_rresp = read.failed ? kSlaveError : kOkay;
    top.m_axi_rlast = read.beat + 1 == read.beats;
    offered_ = true;
  }

  // Writes what the strobes say, run by run; whether memory took all of it.
  bool put(const Write& write) {
    const auto strobed = [&](size_t byte) { return write.strobes[byte / sizeof(Data)] >> byte % sizeof(Data) & 1; };
    for (size_t begin = 0, end = 0; begin < write.data.size(); begin = end + 1) {
      for (end = begin; end < write.data.size() && strobed(end);) end++;
      if (end == begin) continue;
      if (host_.write(host_.context, write.id, write.address + begin, &write.data[begin], end - begin)) return false;
    }
    return true;
  }
};
