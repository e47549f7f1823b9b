// SPDX-License-Identifier: Apache-2.0
// Where the processor spends its cycles while it is in one function, and in what that calls: of each instruction its own, and
// of each call how often and how long. Called by call_profile.sv; written when the simulation ends, addresses in hexadecimal:
//   self PC CYCLES
//   call FROM TO COUNT CYCLES      FROM: the instruction that calls; TO: the first of what is called
//
// A cycle counts for the instruction that is done next: waiting counts for who waits. A call is a jump that leaves its return
// address in `ra`; it lasts until the instruction at that address. A function that ends in a jump to another one has that one's
// cycles: the firmware that is profiled is compiled without such jumps.
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

constexpr uint32_t Jal = 0x6f, Jalr = 0x67, Ra = 1;  // opcodes, and the register of return addresses

struct Call {
  uint32_t from, to;
  uint64_t begun;
};

struct Cost {
  uint64_t count = 0, cycles = 0;
};

class Profile {
 public:
  void begin(const char* path, uint32_t root) {
    path_ = path;
    root_ = root;
  }

  void done(uint32_t pc, uint32_t instruction, uint64_t cycle) {
    if (calls_next_ && (!stack_.empty() || pc == root_)) {
      stack_.push_back({from_, pc, last_});
    } else if (!stack_.empty() && pc == stack_.back().from + 4) {
      const Call& call = stack_.back();
      Cost& cost = calls_[{call.from, call.to}];
      cost.count++;
      cost.cycles += last_ - call.begun;
      stack_.pop_back();
    }
    if (!stack_.empty()) own_[pc] += cycle - last_;
    const uint32_t opcode = instruction & 0x7f;
    calls_next_ = (opcode == Jal || opcode == Jalr) && (instruction >> 7 & 0x1f) == Ra;
    from_ = pc;
    last_ = cycle;
  }

  ~Profile() {
    if (path_.empty()) return;
    FILE* file = fopen(path_.c_str(), "w");
    if (!file) {
      fprintf(stderr, "soc: %s cannot be written\n", path_.c_str());
      return;
    }
    for (const auto& [pc, cycles] : own_) fprintf(file, "self %x %llu\n", pc, static_cast<unsigned long long>(cycles));
    for (const auto& [call, cost] : calls_)
      fprintf(file, "call %x %x %llu %llu\n", call.first, call.second, static_cast<unsigned long long>(cost.count),
              static_cast<unsigned long long>(cost.cycles));
    fclose(file);
  }

 private:
  std::string path_;
  uint32_t root_ = 0, from_ = 0;
  bool calls_next_ = false;
  uint64_t last_ = 0;
  std::vector<Call> stack_;
  std::unordered_map<uint32_t, uint64_t> own_;
  std::map<std::pair<uint32_t, uint32_t>, Cost> calls_;
};

Profile profile;

}  // namespace

extern "C" void call_profile_begin(const char* path, unsigned root) { profile.begin(path, root); }

extern "C" void call_profile_instruction(unsigned pc, unsigned instruction, unsigned long long cycle) {
  profile.done(pc, instruction, cycle);
}
