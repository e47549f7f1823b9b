// SPDX-License-Identifier: Apache-2.0
// Hello, world: one Montgomery multiplication on a simulated `mont`, a * b / R mod n with R = 2^(W * Rows * passes).
//
//   1. reset
//   2. n's constant Nb and the operands a and b go in by the host port, word by word
//   3. one operation is given; busy_o falls when its result is stored
//   4. the result comes out by the host port, and is compared with the same number by shift and add
//
// The random numbers come from a seed, the only argument (1 if there is none).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>

#include "Vmont.h"
#include "verilated.h"

namespace {

using Number = unsigned __int128;

// The parameters of the model: see multiply.core
constexpr unsigned W = 16, Rows = 2, Bits = 62;
// Sizes of an operation, as mont_pkg has them
constexpr unsigned Words = (Bits + W + 2 + W - 1) / W, Passes = (Words + Rows - 1) / Rows, RadixBits = W * Rows * Passes;
constexpr unsigned IndexWidth = 9, AddressWidth = 13, HostReadLatency = 4;
// Where things lie: words of the operand memory, and of the modulus memory of context 0
constexpr unsigned A = 0, B = 16, D = 32, ModulusMemory = 1u << AddressWidth;

// One step of the clock at a time; inputs change between two edges.
class Multiplier {
public:
  Multiplier() {
    model.rst_ni = 0;
    for (int i = 0; i < 3; i++) step();
    model.rst_ni = 1;
    model.config_i = (Words << IndexWidth | Passes) << IndexWidth | Words;
    wait();
  }
  ~Multiplier() { model.final(); }

  void write(unsigned address, Number number) {
    model.host_write_enable_i = 1;
    for (unsigned i = 0; i < Words; i++, number >>= W) {
      model.host_write_i = address + i;
      model.host_write_data_i = static_cast<uint32_t>(number & ((1u << W) - 1));
      step();
    }
    model.host_write_enable_i = 0;
  }

  Number read(unsigned address) {
    Number number = 0;
    for (unsigned i = 0; i < Words; i++) {
      model.host_read_i = address + i;
      for (unsigned cycle = 0; cycle < HostReadLatency; cycle++) step();
      number |= static_cast<Number>(model.host_read_data_o) << (W * i);
    }
    return number;
  }

  // d = a * b / R mod n; gives the cycles until the result is stored.
  unsigned multiply(unsigned a, unsigned b, unsigned d) {
    model.op_i = (static_cast<uint64_t>(a) << AddressWidth | b) << AddressWidth | d;  // context 0
    model.op_valid_i = 1;
    step();  // both queues are empty: it is taken at once
    model.op_valid_i = 0;
    return 1 + wait();
  }

private:
  void step() {
    model.clk_i = 0;
    model.eval();
    model.clk_i = 1;
    model.eval();
    if (++cycles > 100000) {
      std::fprintf(stderr, "mont is still busy after 100000 cycles\n");
      std::exit(1);
    }
  }

  unsigned wait() {
    unsigned waited = 0;
    do {
      step();
      waited++;
    } while (model.busy_o);
    return waited;
  }

  VerilatedContext context;
  Vmont model{&context};
  unsigned cycles = 0;
};

// What the array wants of n: N~ = n * (-1/n mod 2^W), which is -1 mod 2^W, and Nb = (N~ + 1) / 2^W.
Number scaled(uint64_t n) {
  Number mu = 0;
  while (((static_cast<Number>(n) * mu + 1) & ((1u << W) - 1)) != 0) mu++;
  return mu * n;
}

// a * b / 2^bits mod n by shift and add alone: no multiplication, and none of the hardware's method.
uint64_t expected(uint64_t a, uint64_t b, uint64_t n, unsigned bits) {
  uint64_t x = 0;
  for (int i = 63; i >= 0; i--) {
    x = 2 * x % n;
    if (b >> i & 1) x = (x + a) % n;
  }
  for (unsigned i = 0; i < bits; i++) x = (x & 1 ? x + n : x) / 2;
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937_64 random(argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 1);
  const uint64_t n = uint64_t{1} << (Bits - 1) | random() >> (65 - Bits) | 1;
  const uint64_t a = random() % n, b = random() % n;

  auto mont = std::make_unique<Multiplier>();
  mont->write(ModulusMemory, (scaled(n) + 1) >> W);
  mont->write(A, a);
  mont->write(B, b);
  const unsigned cycles = mont->multiply(A, B, D);
  const Number redundant = mont->read(D);  // below 2 * N~, a multiple of n too large
  const uint64_t result = static_cast<uint64_t>(redundant % n), wanted = expected(a, b, n, RadixBits);

  std::printf("mont, %u rows of %u-bit words: a * b / 2^%u mod n in %u cycles\n", Rows, W, RadixBits, cycles);
  std::printf("n         %016llx\na         %016llx\nb         %016llx\n", static_cast<unsigned long long>(n),
              static_cast<unsigned long long>(a), static_cast<unsigned long long>(b));
  std::printf("result    %016llx\nexpected  %016llx  %s\n", static_cast<unsigned long long>(result),
              static_cast<unsigned long long>(wanted), result == wanted ? "right" : "WRONG");
  return result == wanted && redundant < 2 * scaled(n) ? 0 : 1;
}
