// Reads problems from standard input, each a line of JSON; writes for each a line with the SHA-256 of the bits of
// every number of every step, or with the codes of what is refused. For many_bits.py.
//
//   attn_trace_bits [--threads N] [--instructions NAME] [--result-only] < PROBLEMS
//   attn_trace_bits --list-instructions
//
// With --result-only, what is hashed is the context that the fused core computes, and a problem without a fused
// form is a line "-".

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <sha256.h>
#include <string>
#include <string_view>

#include "backend/cpu/cpu.h"
#include "backend/cpu/instructions.h"
#include "model/attention.h"
#include "model/computation.h"
#include "reading/problem/problem.h"

namespace {

using namespace attn;

constexpr std::size_t most_bytes = std::size_t{1} << 30;

class Sha256 {
 public:
  Sha256() { SHA256_Init(&state_); }

  void text(std::string_view text) {
    integer(text.size());
    SHA256_Update(&state_, reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }

  // The same bytes whichever end of a number a machine stores first.
  void integer(std::uint64_t value) {
    std::array<std::uint8_t, 8> bytes{};
    for (std::uint8_t& byte : bytes) {
      byte = static_cast<std::uint8_t>(value);
      value >>= 8;
    }
    SHA256_Update(&state_, bytes.data(), bytes.size());
  }

  // What a NaN's bits are is not promised, and differs between processors; that it is one is.
  void number(double value) {
    integer(std::bit_cast<std::uint64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value));
  }

  std::string hexadecimal() {
    std::array<char, SHA256_DIGEST_STRING_LENGTH> text{};
    return SHA256_End(&state_, text.data());
  }

 private:
  SHA2_CTX state_{};
};

std::string hash_of(const Trace& trace) {
  Sha256 hash;
  for (const Step& step : trace.steps) {
    hash.text(step.heading.id);
    for (const Dim& dim : step.result.shape().dims()) {
      hash.text(dim.axis);
      hash.integer(dim.size);
    }
    for (const double value : step.result.data()) hash.number(value);
  }
  return hash.hexadecimal();
}

std::string line_of(std::string_view text, const Catalog& known, Backend& backend, bool result_only) {
  const Result<Problem> problem = read_problem(text, known, most_bytes);
  if (!problem) {
    std::string codes = "refused";
    for (const Diagnostic& fault : problem.faults()) codes += ' ' + fault.code;
    return codes;
  }
  if (!result_only) return hash_of(attention(problem.value(), backend));
  const std::optional<Trace> trace = attention_at_once(problem.value(), backend);
  return trace ? hash_of(*trace) : "-";
}

int usage() {
  std::cerr << "usage: attn_trace_bits [--threads N] [--instructions NAME] [--result-only] < PROBLEMS\n"
               "       attn_trace_bits --list-instructions\n";
  return 2;
}

}  // namespace

int main(int count, char** words) {
  std::size_t threads = 1;
  bool result_only = false;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--list-instructions") {
      for (const std::string& name : instruction_sets()) std::cout << name << '\n';
      return 0;
    }
    if (word == "--result-only") {
      result_only = true;
    } else if (word == "--threads" && i + 1 < count) {
      const std::string_view number = words[++i];
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), threads);
      if (error != std::errc() || end != number.data() + number.size() || threads == 0) return usage();
    } else if (word == "--instructions" && i + 1 < count) {
      if (!use_instruction_set(words[++i])) {
        std::cerr << "this machine has no " << words[i] << '\n';
        return 3;
      }
    } else {
      return usage();
    }
  }
  std::ios::sync_with_stdio(false);
  const Catalog known = catalog();
  CpuBackend backend(threads);
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << line_of(line, known, backend, result_only) << '\n';
  }
}
