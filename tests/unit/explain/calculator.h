#pragma once

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include "explain/document.h"

namespace attn {

// Reads arithmetic as people write it and works it out: + − × / ( ) ^ √ ² ³, e, π, ½, max(…), min(…), sin(…), cos(…),
// tanh(…), erf(…). The word "sink" is passed over.
class Calculator {
 public:
  explicit Calculator(std::string_view text) : text_(text) {}

  double result() {
    const double value = sum();
    done_ = at_ == text_.size();
    return value;
  }
  bool done() const { return done_; }

 private:
  bool eat(std::string_view sign) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }

  double sum() {
    double value = product();
    for (;;) {
      if (eat("+")) {
        value += product();
      } else if (eat("−")) {
        value -= product();
      } else {
        return value;
      }
    }
  }

  double product() {
    double value = factor();
    for (;;) {
      if (eat("×")) {
        value *= factor();
      } else if (eat("/")) {
        value /= factor();
      } else {
        return value;
      }
    }
  }

  double factor() {
    const double value = bare();
    if (eat("^")) return std::pow(value, bare());
    if (eat("³")) return value * value * value;
    return eat("²") ? value * value : value;
  }

  // What stands before the closing parenthesis.
  double within() {
    const double value = sum();
    eat(")");
    return value;
  }

  double bare() {
    if (eat("−")) return -bare();
    if (eat("∞")) return std::numeric_limits<double>::infinity();
    if (eat("e^")) return std::exp(bare());
    if (eat("sink")) return bare();
    if (eat("sin(")) return std::sin(within());
    if (eat("cos(")) return std::cos(within());
    if (eat("tanh(")) return std::tanh(within());
    if (eat("erf(")) return std::erf(within());
    if (eat("½")) return 0.5;
    if (eat("π")) return std::acos(-1.0);
    if (eat("√")) return std::sqrt(bare());
    if (eat("max(")) return list([](double a, double b) { return std::fmax(a, b); });
    if (eat("min(")) return list([](double a, double b) { return std::fmin(a, b); });
    if (eat("(")) return within();
    char* end = nullptr;
    const std::string rest(text_.substr(at_));
    const double value = std::strtod(rest.c_str(), &end);
    at_ += static_cast<std::size_t>(end - rest.c_str());
    return value;
  }

  template <class Pick>
  double list(Pick pick) {
    double value = sum();
    while (eat(",")) value = pick(value, sum());
    eat(")");
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool done_ = false;
};

inline std::string written_out(const Expression& side) {
  std::string text;
  for (const Inline& term : side.terms) text += (text.empty() ? "" : " ") + plain(term);
  return text;
}

}  // namespace attn
