#include "cli/hardware.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "backend/backends.h"
#include "backend/cpu/instructions.h"
#include "base/text.h"
#include "cli/options.h"

namespace attn {

void HardwareOptions::declare(CommandLine& line) {
  line.add_option("--backend", backend, "where steps are computed, auto for what is there",
                  {.value = "NAME", .choices = {"cpu", "cuda", "auto"}});
  line.add_option("--threads", threads, "how many work (default: all processors); the bits are the same for any number",
                  {.value = "N"});
  line.add_option("--instructions", instructions, "vectors of this instruction set and none beyond it",
                  {.value = "NAME"});
}

void HardwareOptions::check() const {
  std::vector<std::string> names = names_of(backends());
  names.emplace_back("auto");
  if (std::ranges::find(names, backend) == names.end()) {
    throw unknown("no backend is called", backend, names, "--backend takes " + listed(names))
        .at({"--backend", backend});
  }
  thread_count();
  const std::vector<std::string> sets = instruction_sets();
  if (!instructions.empty() && std::ranges::find(sets, instructions) == sets.end()) {
    throw unknown("this machine has no instruction set", instructions, sets, "--instructions takes " + listed(sets))
        .at({"--instructions", instructions});
  }
}

std::size_t HardwareOptions::thread_count() const {
  if (threads.empty()) return std::max(1U, std::thread::hardware_concurrency());
  return whole_number("--threads", threads, "number of threads", 1, 1024);
}

std::unique_ptr<Backend> HardwareOptions::select() const {
  use_instruction_set(instructions);
  // The devices furthest from the processor come last in the table, and first for "auto".
  const auto row = std::find_if(backends().rbegin(), backends().rend(), [&](const BackendRow& one) {
    return backend == "auto" ? !one.devices().empty() : backend == one.name;
  });
  Result<std::unique_ptr<Backend>> made = row->make(thread_count());
  if (!made) throw Refusal(made.faults().front(), Exit::wrong_environment).at({"--backend", backend});
  return std::move(made.value());
}

}  // namespace attn
