#pragma once

#include <cassert>
#include <utility>
#include <variant>

#include "base/diagnostic.h"

namespace attn {

// A value, or every reason there is none.
template <class T>
class Result {
 public:
  Result(T value) : held_(std::move(value)) {}                 // NOLINT(google-explicit-constructor)
  Result(Diagnostics faults) : held_(std::move(faults)) {}     // NOLINT(google-explicit-constructor)
  Result(Diagnostic fault) : held_(only(std::move(fault))) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return std::holds_alternative<T>(held_); }

  // REQUIRES: there is a value.
  const T& value() const {
    assert(*this);
    return std::get<T>(held_);
  }
  T& value() {
    assert(*this);
    return std::get<T>(held_);
  }

  // REQUIRES: there is no value.
  const Diagnostics& faults() const {
    assert(!*this);
    return std::get<Diagnostics>(held_);
  }

 private:
  std::variant<T, Diagnostics> held_;
};

}  // namespace attn
