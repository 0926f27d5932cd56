#include "cli/hardware.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "backend/cpu/instructions.h"
#include "backend/select.h"
#include "base/numbers.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/console.h"

namespace attn {
namespace {

constexpr std::size_t most_threads = 1024;

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const BackendRow& row : backends()) names.push_back(row.name);
  names.emplace_back("auto");
  return names;
}

}  // namespace

void HardwareOptions::declare(CommandLine& line) {
  line.add_option("--backend", backend, "where steps are computed: cpu, cuda, or auto for what is there")
      .type_name("NAME");
  line.add_option("--threads", threads, "how many work (default: all processors); the bits are the same for any number")
      .type_name("N");
  line.add_option("--instructions", instructions, "vectors of this instruction set and none beyond it")
      .type_name("NAME");
}

std::optional<Exit> HardwareOptions::wrong() const {
  const std::vector<std::string> names = backend_names();
  if (std::ranges::find(names, backend) == names.end()) {
    return complain("no backend is called `" + backend + "`" + did_you_mean(backend, names),
                    "--backend takes " + listed(names));
  }
  std::size_t count = 1;
  if (!threads.empty() && (!parse_natural(threads, count) || count == 0 || count > most_threads)) {
    return complain("`" + threads + "` is no number of threads",
                    "--threads takes a whole number from 1 to " + std::to_string(most_threads));
  }
  const std::vector<std::string> sets = instruction_sets();
  if (!instructions.empty() && std::ranges::find(sets, instructions) == sets.end()) {
    return complain("this machine has no instruction set `" + instructions + "`" + did_you_mean(instructions, sets),
                    "--instructions takes " + listed(sets));
  }
  return std::nullopt;
}

std::size_t HardwareOptions::thread_count() const {
  std::size_t count = std::max(1U, std::thread::hardware_concurrency());
  if (!threads.empty()) parse_natural(threads, count);
  return count;
}

HardwareOptions::Selected HardwareOptions::select() const {
  const BackendOptions options{.threads = thread_count()};
  use_instruction_set(instructions);
  Result<std::unique_ptr<Backend>> made = select_backend(backend, options);
  if (made) return {std::move(made.value()), Exit::done};
  const Diagnostic& fault = made.faults().front();
  return {nullptr, complain(fault.message, fault.help, Exit::wrong_environment)};
}

}  // namespace attn
