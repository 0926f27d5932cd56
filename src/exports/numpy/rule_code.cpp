#include <string>
#include <vector>

#include "base/text.h"
#include "exports/numpy/array.h"
#include "exports/numpy/numpy_code.h"
#include "exports/numpy/step_code.h"

namespace attn {
namespace {

std::string in_brackets(const std::vector<std::string>& items) { return "[" + listed(items) + "]"; }

}  // namespace

std::string code_of_rule(const GivenTensor& given) {
  const GivenRule& rule = *given.rule;
  const Shape& shape = given.value.shape();
  const AxisNames axes = shape.axes();
  const auto arange = [&](const Axis& axis) {
    return aligned({"np.arange(" + std::to_string(shape.size(axis)) + ")", {axis}}, axes).text;
  };
  const auto values = [&] {
    if (!shape.has("batch")) return in_python(rule.values[0]);
    std::vector<std::string> all;
    for (std::size_t b = 0; b < shape.size("batch"); ++b) {
      all.push_back(in_python(rule.values[rule.values.size() == 1 ? 0 : b]));
    }
    return aligned({"np.array(" + in_brackets(all) + ")", {"batch"}}, axes).text;
  };
  const std::string name = NumpyCode::variable(given.heading.id);
  const bool has_appended = shape.has("key") && shape.size("key") > rule.keys;
  const auto mask = [&](std::string open) {
    if (has_appended) open = "(" + open + ") | (j >= " + std::to_string(rule.keys) + ")";
    return name + " = np.where(" + open + ", 1.0, 0.0)";
  };
  switch (rule.kind) {
    case GivenRule::Kind::band: {
      const std::string where = "i = " + arange("query") + " + " + values() + "\nj = " + arange("key") + "\n";
      const std::string left = "j >= i - " + std::to_string(rule.left);
      const std::string right = "j <= i" + (rule.right > 0 ? " + " + std::to_string(rule.right) : "");
      const bool has_left = rule.left >= 0, has_right = rule.right >= 0;
      return where + mask(has_left && has_right ? "(" + left + ") & (" + right + ")"
                          : has_left            ? left
                          : has_right           ? right
                                                : "(i < np.inf) & (j >= 0)");
    }
    case GivenRule::Kind::length:
      return "j = " + arange("key") + "\n" + mask("j < " + values());
    case GivenRule::Kind::finite:
      return name + " = np.where(np.isneginf(" + NumpyCode::variable(rule.of) + "), 0.0, 1.0)";
    case GivenRule::Kind::distance: {
      const std::string where = "i = " + arange("query") + " + " + values() + "\nj = " + arange("key") + "\n";
      const std::string distance = "-np.abs(i - j) * 1.0";
      return where + name + " = " +
             (has_appended ? "np.where(j < " + std::to_string(rule.keys) + ", " + distance + ", 0.0)" : distance);
    }
    case GivenRule::Kind::powers: {
      std::vector<std::string> all;
      for (const double value : rule.values) all.push_back(in_python(value));
      return name + " = 2.0 ** " +
             (shape.rank() == 0 ? "np.array(" + all[0] + ")" : "np.array(" + in_brackets(all) + ")");
    }
  }
  return "";
}

}  // namespace attn
