#pragma once

#include <cstddef>
#include <memory>
#include <optional>
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

  // What is wrong with them, if anything; said on standard error.
  std::optional<Exit> wrong() const;

  // How many threads work: all processors unless --threads says otherwise.
  // REQUIRES: !wrong().
  std::size_t thread_count() const;

  // The backend, or the exit code after it was said why it is not there.
  // REQUIRES: !wrong().
  struct Selected {
    std::unique_ptr<Backend> backend;
    Exit code = Exit::done;
  };
  Selected select() const;
};

}  // namespace attn
