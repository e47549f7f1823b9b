// SPDX-License-Identifier: Apache-2.0
// Runs the compiled system: its console is standard input and output. Called by garner_hw.soc, which gives it
//   +memory=FILE  +cycles=LIMIT  [+fault=hang|corrupt|silent|spurious]  [+resets=COUNT]
// Ends with the code that the firmware gives to the register STOP, the first COUNT times of which are resets instead; with 124
// when the limit is reached; with 0 when the firmware prompts (">") and standard input has ended.
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>

#include "Vsoc.h"
#include "verilated.h"

namespace {

constexpr uint64_t PollEvery = 1024;  // cycles between two looks at standard input

std::string option(VerilatedContext& context, const char* name) {
  const std::string prefix = std::string(name) + "=";
  const std::string found = context.commandArgsPlusMatch(prefix.c_str());
  return found.empty() ? found : found.substr(prefix.size() + 1);
}

// What has come in; false at its end.
bool receive(std::deque<char>& bytes, int wait_ms) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (poll(&input, 1, wait_ms) <= 0) return true;
  char buffer[4096];
  const ssize_t count = read(STDIN_FILENO, buffer, sizeof buffer);
  if (count <= 0) return false;
  bytes.insert(bytes.end(), buffer, buffer + count);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  VerilatedContext context;
  context.commandArgs(argc, argv);
  const std::string limit_text = option(context, "cycles"), fault = option(context, "fault");
  const uint64_t limit = strtoull(limit_text.c_str(), nullptr, 10);
  if (limit == 0) {
    fprintf(stderr, "soc: +cycles=LIMIT is missing: every run has a limit\n");
    return 2;
  }
  Vsoc top{&context};
  if (fault == "hang") top.fault_i = 1;
  else if (fault == "corrupt") top.fault_i = 2;
  else if (fault == "silent") top.fault_i = 4;
  else if (fault == "spurious") top.fault_i = 8;
  else if (!fault.empty()) {
    fprintf(stderr, "soc: +fault=%s: not hang, corrupt, silent or spurious\n", fault.c_str());
    return 2;
  }
  std::deque<char> bytes;
  bool open = true;
  uint64_t resets = strtoull(option(context, "resets").c_str(), nullptr, 10), reset_until = 10;
  for (uint64_t cycle = 0; cycle < limit; cycle++) {
    top.rst_ni = cycle >= reset_until;
    if (open && bytes.empty() && cycle % PollEvery == 0) open = receive(bytes, 0);
    top.console_valid_i = !bytes.empty();
    top.console_data_i = bytes.empty() ? 0 : bytes.front();
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
    if (top.console_take_o && !bytes.empty()) {
      bytes.pop_front();
    }
    if (top.console_valid_o) {
      putchar(top.console_data_o);
      if (top.console_data_o == '\n') fflush(stdout);
    }
    if (top.stop_valid_o && top.rst_ni) {
      if (resets == 0) return static_cast<int>(top.stop_code_o);
      resets--;
      reset_until = cycle + 10;
    }
    // The firmware says that it waits for input by a prompt; until there is some, no cycle need be simulated.
    if (top.console_valid_o && top.console_data_o == '>') {
      fflush(stdout);
      if (open && bytes.empty()) open = receive(bytes, -1);
      if (!open && bytes.empty()) return 0;
    }
  }
  fprintf(stderr, "soc: stopped after %llu cycles, the limit\n", static_cast<unsigned long long>(limit));
  return 124;
}
