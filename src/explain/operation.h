#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "explain/provenance.h"

namespace attn {

// An operation as data, for who writes down its arithmetic without knowing ops:
// what it is called, and what there is to say of it.
struct Operation {
  using Fact = std::variant<std::string, double, std::size_t, bool>;

  std::string_view kind = "given";
  std::vector<std::pair<std::string_view, Fact>> facts = {};  // "function": "add"

  bool is_given() const { return kind == "given"; }
};

// Given is also what cannot be written down, since a factor, an angle or a
// summand of it is not in the trace.
Operation operation_of(const Reading& reading);

}  // namespace attn
