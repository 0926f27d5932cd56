#include "bench/memory.h"

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/resource.h>

namespace attn {

std::size_t peak_memory() {
  // A line of Linux' file, "VmHWM:     1234 kB".
  constexpr std::string_view key = "VmHWM:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return static_cast<std::size_t>(std::stoull(line.substr(key.size()))) * 1024;
  }
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::size_t>(usage.ru_maxrss) * 1024 : 0;
}

bool restart_peak_memory() {
  // "5" resets the peak of the resident set: proc(5).
  std::FILE* file = std::fopen("/proc/self/clear_refs", "w");
  if (!file) return false;
  const bool written = std::fputs("5", file) >= 0;
  return std::fclose(file) == 0 && written;
}

}  // namespace attn
