#include "explain/provenance.h"

namespace attn {
namespace {

// In the order of their enumerations.
constexpr std::string_view binaries[] = {"add", "subtract", "multiply", "divide", "minimum"};
constexpr std::string_view unaries[] = {"multiply", "divide", "add",  "exp",  "tanh",      "softcap",
                                        "square",   "sqrt",   "relu", "gelu", "gelu_tanh", "silu"};
constexpr std::string_view reducers[] = {"sum", "maximum", "norm"};
constexpr std::string_view waves_kinds[] = {"sine", "cosine", "alternating"};
constexpr std::string_view thens[] = {"add", "divide"};
constexpr std::string_view parts[] = {"maximum", "exponentials", "sum", "weights", "shares"};
constexpr std::string_view online_parts[] = {"largest", "maximum", "factor", "powers", "sum", "weighted", "quotient"};
constexpr std::string_view norm_parts[] = {"mean", "variance", "mean_square", "normalized", "affine"};

template <auto last, std::size_t count>
std::string name(const std::string_view (&names)[count], decltype(last) value) {
  static_assert(count == static_cast<std::size_t>(last) + 1);
  return std::string(names[static_cast<std::size_t>(value)]);
}

struct Teller {
  const Reading& reading;

  Operation operator()(const Given&) const { return {}; }
  Operation operator()(const Copy&) const { return {"copy"}; }
  Operation operator()(const Split&) const { return {"split"}; }
  Operation operator()(const Merge&) const { return {"merge"}; }
  Operation operator()(const Join&) const { return {"join"}; }
  Operation operator()(const Repeat&) const { return {"repeat"}; }
  Operation operator()(const Pick&) const { return {"pick"}; }
  Operation operator()(const Waves& waves) const {
    return {"waves",
            {{"function", name<Waves::Kind::alternating>(waves_kinds, waves.kind)},
             {"positions", waves.positions.axis},
             {"features", waves.features.axis},
             {"first", waves.first},
             {"base", waves.base},
             {"width", waves.width}}};
  }
  Operation operator()(const Rotate& rotate) const {
    return {"rotate",
            {{"axis", rotate.axis},
             {"interleaved", rotate.interleaved},
             {"pairs", reading.operands[1].shape.size(rotate.pair)}}};
  }
  Operation operator()(const Contract& sum) const {
    return {"contract", {{"then", name<Contract::Then::divide>(thens, sum.then)}}};
  }
  Operation operator()(const Combine& combine) const {
    return {"combine", {{"function", name<Binary::minimum>(binaries, combine.function)}}};
  }
  Operation operator()(const Map& map) const {
    return {"map",
            {{"function", name<Unary::silu>(unaries, map.function)},
             {"parameter", map.parameter},
             {"spelling", map.spelling}}};
  }
  Operation operator()(const Reduce& reduce) const {
    return {"reduce", {{"function", name<Reducer::norm>(reducers, reduce.function)}}};
  }
  Operation operator()(const Gate& gate) const {
    return {"gate", {{"function", name<Unary::silu>(unaries, gate.function)}}};
  }
  Operation operator()(const Normalize& norm) const {
    return {"normalize",
            {{"part", name<Normalize::Part::affine>(norm_parts, norm.part)},
             {"over", norm.over},
             {"eps", norm.eps},
             {"outside", norm.eps_outside}}};
  }
  Operation operator()(const Close&) const { return {"close"}; }
  Operation operator()(const Softmax& softmax) const {
    return {
        "softmax",
        {{"part", name<Softmax::Part::shares>(parts, softmax.part)}, {"over", softmax.over}, {"base", softmax.base}}};
  }
  Operation operator()(const Online& online) const {
    return {"online",
            {{"part", name<Online::Part::result>(online_parts, online.part)},
             {"over", online.over},
             {"size", online.size},
             {"base", online.base}}};
  }
};

// How many operands must be there.
std::size_t least_read(const Op& op) {
  if (std::holds_alternative<Waves>(op)) return 0;
  if (std::holds_alternative<Rotate>(op)) return 3;
  if (std::holds_alternative<Gate>(op)) return 2;
  if (const auto* norm = std::get_if<Normalize>(&op)) {
    const bool is_row = norm->part == Normalize::Part::mean || norm->part == Normalize::Part::mean_square;
    return is_row ? 1 : norm->part == Normalize::Part::affine ? 3 : 2;
  }
  if (const auto* online = std::get_if<Online>(&op)) {
    constexpr std::size_t read[] = {1, 2, 1, 2, 3, 4, 2};  // a part, with what it says of the block before
    return read[static_cast<std::size_t>(online->part)];
  }
  const auto* sum = std::get_if<Contract>(&op);
  return !sum ? 1 : sum->then == Contract::Then::divide ? 4 : 2;
}

}  // namespace

Operation operation_of(const Reading& reading) {
  if (reading.operands.size() < least_read(reading.op)) return {};
  return std::visit(Teller{reading}, reading.op);
}

}  // namespace attn
