#include "problem/faults.h"

#include <algorithm>

#include "base/text.h"

namespace attn {
namespace {

// Nobody reads more, and a file can have a fault for every few bytes.
constexpr std::size_t most_kept = 1000;

}  // namespace

void Faults::add(std::string code, std::string where, std::string message, std::string help) {
  add({.code = std::move(code), .where = std::move(where), .message = std::move(message), .help = std::move(help)});
}

void Faults::add(std::string code, std::string where, TextRange range, std::string message, std::string help) {
  add({.code = std::move(code),
       .where = std::move(where),
       .message = std::move(message),
       .help = std::move(help),
       .range = range});
}

void Faults::add_at_key(std::string code, std::string where, std::string message, std::string help) {
  add({.code = std::move(code),
       .where = std::move(where),
       .message = std::move(message),
       .help = std::move(help),
       .range = std::nullopt,
       .at_key = true});
}

// Inputs that serve as queries and keys have their faults once.
void Faults::add(Diagnostic fault) {
  if (list_.size() == most_kept) {
    ++list_.back().unkept;
    return;
  }
  const auto same = [&](const Diagnostic& other) {
    return other.where == fault.where && other.message == fault.message && other.range == fault.range;
  };
  if (std::ranges::none_of(list_, same)) list_.push_back(std::move(fault));
}

std::string shown(std::string_view text) { return shortened(printable(text.substr(0, 400)), 60); }

}  // namespace attn
