#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "backend/backend.h"
#include "cli/command.h"

namespace attn {

// The options that say where something is computed, as typed.
struct HardwareOptions {
  std::string backend = "cpu";
  std::string threads;
  std::string instructions;

  void declare(CommandLine& line);

  // Refuses what means nothing.
  void check() const;

  // How many threads work: all processors unless --threads says otherwise.
  std::size_t thread_count() const;

  // The backend; refuses where it is not there. REQUIRES: check() has nothing against it.
  std::unique_ptr<Backend> select() const;
};

}  // namespace attn
