#include "problem/faults.h"

#include <algorithm>

#include "base/text.h"

namespace attn {
namespace {

// Nobody reads more, and a file can have a fault for every few bytes.
constexpr std::size_t most_kept = 1000;

}  // namespace

std::nullopt_t Faults::add(std::string_view code, std::string where, std::string message, Help help) {
  return add(
      {.code = std::string(code), .where = std::move(where), .message = std::move(message), .help = std::move(help)});
}

std::nullopt_t Faults::add_of(std::string_view code, const std::string& where, const std::string& message, Help help) {
  if (are_enough()) return count_one_more();
  return add(code, where, shown(where) + " " + message, std::move(help));
}

std::nullopt_t Faults::add(std::string_view code, std::string where, TextRange range, std::string message, Help help) {
  return add({.code = std::string(code),
              .where = std::move(where),
              .message = std::move(message),
              .help = std::move(help),
              .range = range});
}

std::nullopt_t Faults::add_at_key(std::string_view code, std::string where, std::string message, Help help) {
  return add({.code = std::string(code),
              .where = std::move(where),
              .message = std::move(message),
              .help = std::move(help),
              .range = std::nullopt,
              .at_key = true});
}

std::nullopt_t Faults::count_one_more() {
  ++list_.back().unkept;
  return std::nullopt;
}

bool Faults::are_enough() const { return list_.size() == most_kept; }

// Inputs that serve as queries and keys have their faults once.
std::nullopt_t Faults::add(Diagnostic fault) {
  if (are_enough()) return count_one_more();
  const auto same = [&](const Diagnostic& other) {
    return other.where == fault.where && other.message == fault.message && other.range == fault.range;
  };
  if (std::ranges::none_of(list_, same)) list_.push_back(std::move(fault));
  return std::nullopt;
}

}  // namespace attn
