// Every step is compared with the exact result of its own inputs, and with that of the
// numbers that are given, over the families that are hard for arithmetic: no number may be
// farther from it than its bound says.
//
//   attn_bounds_hold [--cells N] [--seed N] [--seconds N] [--json FILE]
//
// Ctest has it go on for a few seconds; the long run is
//
//   attn_bounds_hold --cells 10000000 --json bounds.json

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "backend/cpu/cpu.h"
#include "base/numbers.h"
#include "bounds/exactly.h"
#include "bounds/families.h"
#include "bounds/number.h"
#include "trace/bounds.h"
#include "trace/compute.h"
#include "trace/recipe.h"

namespace attn::bounds {
namespace {

// What was found of one operation.
struct Tally {
  std::size_t cells = 0;       // compared
  std::size_t exact = 0;       // of which the bound says that they are
  std::size_t unknown = 0;     // of which nothing is known: they are no numbers, or overflowed
  std::size_t violations = 0;  // of the bound, and of what is promised of the operation
  double own = 0, since = 0;   // the largest share of its bound that an error took in double precision
  double promised = 0;         // and of what the operation promises
};

void give(Recipe& recipe, const char* id, const Tensor<double>& numbers) {
  recipe.append({.heading = {.id = id},
                 .op = Given{},
                 .given = GivenNumbers(LateTensor<double>(numbers)),
                 .kind = Instruction::Kind::given});
}

Recipe recipe_of(const Drawn& all) {
  Recipe recipe(Vectors::rows, all.dtype);
  give(recipe, "q", all.q);
  give(recipe, "k", all.k);
  give(recipe, "v", all.v);
  give(recipe, "open", all.open);
  give(recipe, "cells", all.cells);
  give(recipe, "others", all.others);
  give(recipe, "gain", all.gain);
  give(recipe, "bias", all.bias);
  const auto add = [&](const char* id, Op op, std::vector<Operand> operands, bool is_masked = false) {
    recipe.append({.heading = {.id = id},
                   .op = std::move(op),
                   .operands = std::move(operands),
                   .open = is_masked ? std::optional<Operand>("open") : std::nullopt});
  };
  const auto softmax = [](Softmax::Part part) { return Softmax{part, "key"}; };
  const auto norm = [](Normalize::Part part) { return Normalize{part, "feature", epsilon}; };
  const double width = static_cast<double>(all.features);
  add("scores", Contract{"feature"}, {"q", "k"});
  add("scaled", Map{Unary::divide, std::sqrt(width), "√" + std::to_string(all.features)}, {"scores"});
  add("masked", Close{}, {"scaled"}, true);
  add("maximum", softmax(Softmax::Part::maximum), {"masked"}, true);
  add("exponentials", softmax(Softmax::Part::exponentials), {"masked", "maximum"}, true);
  add("sums", softmax(Softmax::Part::sum), {"exponentials"});
  add("weights", softmax(Softmax::Part::weights), {"exponentials", "sums"}, true);
  add("context", Contract{"key"}, {"weights", "v"}, true);
  add("row_sums", Reduce{Reducer::sum, "feature"}, {"q"});
  add("norms", Reduce{Reducer::norm, "feature"}, {"q"});
  add("mean", norm(Normalize::Part::mean), {"q"});
  add("variance", norm(Normalize::Part::variance), {"q", "mean"});
  add("normalized", norm(Normalize::Part::normalized), {"q", "mean", "variance"});
  add("affine", norm(Normalize::Part::affine), {"normalized", "gain", "bias"});
  add("mean_square", norm(Normalize::Part::mean_square), {"q"});
  add("by_mean_square", norm(Normalize::Part::normalized), {"q", "mean_square"});
  if (const std::size_t pairs = all.features / 2; pairs > 0) {
    Waves waves{Waves::Kind::cosine, {"query", all.queries}, {"pair", pairs}, first_position, wave_base, 2 * pairs};
    add("cosines", waves, {});
    waves.kind = Waves::Kind::sine;
    add("sines", waves, {});
    add("turned", Rotate{"feature", "pair"}, {"q", "cosines", "sines"});
  }
  const auto map = [&](const char* id, Unary function, double parameter = 0) {
    add(id, Map{function, parameter, ""}, {function == Unary::sqrt ? "square" : "cells"});
  };
  map("exp", Unary::exp);
  map("tanh", Unary::tanh);
  map("softcap", Unary::softcap, cap);
  map("square", Unary::square);
  map("sqrt", Unary::sqrt);
  map("relu", Unary::relu);
  map("gelu", Unary::gelu);
  map("gelu_tanh", Unary::gelu_tanh);
  map("silu", Unary::silu);
  map("multiplied", Unary::multiply, factor);
  map("shifted", Unary::add, factor);
  add("sum", Combine{Binary::add, {}}, {"cells", "others"});
  add("difference", Combine{Binary::subtract, {}}, {"cells", "others"});
  add("product", Combine{Binary::multiply, {}}, {"cells", "others"});
  add("quotient", Combine{Binary::divide, {}}, {"cells", "others"});
  add("gated", Gate{Unary::silu}, {"cells", "others"});
  return recipe;
}

std::vector<Exact> exactly(const Tensor<double>& numbers) { return {numbers.data().begin(), numbers.data().end()}; }

constexpr double infinity = std::numeric_limits<double>::infinity();

// How much of its bound the error takes: more than 1 where the bound is violated.
double share(double computed, const Exact& exact, const Exact& bound) {
  if (bound.is_infinite()) return 0;
  if (exact.is_nan()) return infinity;
  if (exact.is_infinite()) return exact.number() == computed ? 0 : infinity;
  const Exact error = abs(Exact(computed) - exact);
  if (error.is_zero()) return 0;
  return bound.is_zero() ? infinity : (error / bound).above();
}

// The distance of a number from its neighbour.
double ulp(double number) { return std::nextafter(std::abs(number), infinity) - std::abs(number); }

// What is promised of an operation in double precision beside its bound, of finite numbers:
// γₙ of a sum of n products, 0.61 ulp of e^x, half an ulp of a
// quotient. Nothing where nothing is.
class Promises {
 public:
  Promises(const Drawn& all, const Recipe& recipe, const Values<double>& made)
      : all_(all), recipe_(recipe), made_(made) {}

  std::optional<Exact> of(const std::string& line, std::size_t cell, const Exact& exact) const {
    constexpr double u = 0x1p-53, least = 0x1p-1074;
    const double size = std::abs(exact.number());
    if (line == "scores") {
      const auto [head, i, j] = score(cell);
      double sum = 0;
      for (std::size_t f = 0; f < all_.features; ++f) {
        sum += std::abs(all_.q[(head * all_.queries + i) * all_.features + f] *
                        all_.k[(head * all_.keys + j) * all_.features + f]);
      }
      return Exact(gamma(all_.features + 2) * sum) + Exact(static_cast<double>(all_.features) * least);
    }
    if (line == "scaled") return Exact(2 * u * size) + Exact(least);
    if (line == "exponentials") {
      const double away = std::abs(at("masked", cell) - at("maximum", cell / all_.keys));
      return Exact((away * u + 1e-20) * size) + of_exp(size);
    }
    if (line == "exp") return of_exp(size);
    if (line == "weights" || line == "quotient") return Exact(ulp(size)) * Exact(0.5);
    if (line == "context") {
      const std::size_t row = cell / all_.values, head = row / all_.queries, i = row % all_.queries;
      double sum = 0;
      for (std::size_t j = 0; j < all_.keys; ++j) {
        if (all_.open[i * all_.keys + j] == 0) continue;
        sum += at("weights", row * all_.keys + j) *
               std::abs(all_.v[(head * all_.keys + j) * all_.values + cell % all_.values]);
      }
      return Exact(gamma(all_.keys) * sum) + Exact(static_cast<double>(all_.keys) * least);
    }
    return std::nullopt;
  }

 private:
  // γₙ, and what adding up the absolute values loses.
  static double gamma(std::size_t n) { return static_cast<double>(n) * 0x1p-53 * (1 + 1e-9); }

  // 0.61 ulp, of subnormal results 0.76.
  static Exact of_exp(double size) { return Exact(ulp(size)) * Exact(size < 0x1p-1022 ? 0.76 : 0.61); }

  double at(const char* line, std::size_t cell) const { return (*made_[*recipe_.line(line)])[cell]; }

  std::array<std::size_t, 3> score(std::size_t cell) const {
    const std::size_t row = cell / all_.keys;
    return {row / all_.queries, row % all_.queries, cell % all_.keys};
  }

  const Drawn& all_;
  const Recipe& recipe_;
  const Values<double>& made_;
};

class Run {
 public:
  explicit Run(CpuBackend& backend) : backend_(backend) {}

  void compare(std::uint64_t seed) {
    const Drawn all = drawn(seed);
    bits = all.family == Family::exponents_1000 || all.family == Family::overflows ? 2300 : 420;
    const Recipe recipe = recipe_of(all);
    ComputingPolicy policy(backend_, {.dtype = all.dtype, .hand_rounding = {}});
    const Evaluation<double> made = evaluate(recipe, policy);
    const std::vector<Bounds> found = bounds_of(recipe, made.computed);
    const Promises promises(all, recipe, made.computed);

    Numbers computed, exact;
    for (std::size_t line = 0; line < recipe.size(); ++line) {
      const std::string& id = recipe.instruction(line).id();
      const Tensor<double>& numbers = made.result(line);
      std::vector<Exact> own = made_exactly(id, all, computed);
      std::vector<Exact> since = made_exactly(id, all, exact);
      for (std::size_t cell = 0; cell < own.size(); ++cell) {
        Tally& tally = tallies_[id];
        ++tally.cells;
        tally.exact += found[line].own[cell] == 0 ? 1 : 0;
        if (found[line].own[cell] == infinity) {
          ++tally.unknown;
          continue;
        }
        const double of_own = share(numbers[cell], own[cell], found[line].own[cell]);
        const double of_since = share(numbers[cell], since[cell], found[line].since[cell]);
        double of_promise = 0;
        if (all.dtype == Dtype::f64 && std::isfinite(numbers[cell])) {
          if (const auto promise = promises.of(id, cell, own[cell]))
            of_promise = share(numbers[cell], own[cell], *promise);
        }
        if (all.dtype == Dtype::f64 && of_own <= 1) tally.own = std::max(tally.own, of_own);
        if (all.dtype == Dtype::f64 && of_since <= 1) tally.since = std::max(tally.since, of_since);
        tally.promised = std::max(tally.promised, of_promise);
        if (of_own <= 1 && of_since <= 1 && of_promise <= 1) continue;
        if (++tally.violations > 3) continue;
        std::printf(
            "violated: %s, cell %zu, seed %llu (%s, %s): %.17g, exactly %.17g, bound %g (%.3g of it); "
            "from what is given %.17g, bound %g (%.3g of it); %.3g of what is promised\n",
            id.c_str(), cell, static_cast<unsigned long long>(seed),
            std::string(family_names[static_cast<std::size_t>(all.family)]).c_str(),
            std::string(name(all.dtype)).c_str(), numbers[cell], own[cell].number(), found[line].own[cell], of_own,
            since[cell].number(), found[line].since[cell], of_since, of_promise);
      }
      if (id == "weights" && all.family == Family::equal_scores) check_equal(all, numbers, seed);
      computed[id] = exactly(numbers);
      exact[id] = own.empty() ? exactly(numbers) : std::move(since);
    }
    ++families_[std::string(family_names[static_cast<std::size_t>(all.family)])];
  }

  std::size_t cells() const {
    std::size_t all = 0;
    for (const auto& [id, tally] : tallies_) all += tally.cells;
    return all;
  }
  std::size_t violations() const {
    std::size_t all = unequal_;
    for (const auto& [id, tally] : tallies_) all += tally.violations;
    return all;
  }

  void tell() const {
    std::printf("%-16s %10s %10s %9s  largest share of the bound in f64: of its own inputs, from what is given on\n",
                "operation", "cells", "exact", "unknown");
    for (const auto& [id, tally] : tallies_) {
      std::printf("%-16s %10zu %10zu %9zu  %.3f  %.3f", id.c_str(), tally.cells, tally.exact, tally.unknown, tally.own,
                  tally.since);
      if (tally.promised > 0) std::printf("  %.3f of what is promised", tally.promised);
      std::printf("\n");
    }
    std::printf("%zu cells, %zu violations\n", cells(), violations());
  }

  void write(const std::string& file) const {
    nlohmann::ordered_json operations = nlohmann::ordered_json::object();
    for (const auto& [id, tally] : tallies_) {
      operations[id] = {{"cells", tally.cells},           {"exact", tally.exact}, {"unknown", tally.unknown},
                        {"violations", tally.violations}, {"own", tally.own},     {"since", tally.since},
                        {"promised", tally.promised}};
    }
    const nlohmann::ordered_json all = {
        {"cells", cells()}, {"violations", violations()}, {"cases", families_}, {"operations", operations}};
    std::ofstream(file) << all.dump(2) << "\n";
  }

 private:
  // Equal scores have weights with equal bits, and of a power of two, or where the dtype has
  // few digits, 1/n.
  void check_equal(const Drawn& all, const Tensor<double>& weights, std::uint64_t seed) {
    for (std::size_t row = 0; row < all.heads * all.queries; ++row) {
      std::size_t open = 0;
      for (std::size_t j = 0; j < all.keys; ++j) open += all.open[row % all.queries * all.keys + j] != 0 ? 1 : 0;
      const double count = stored(static_cast<double>(open), all.dtype);
      for (std::size_t j = 0; j < all.keys; ++j) {
        if (all.open[row % all.queries * all.keys + j] == 0) continue;
        const double weight = weights[row * all.keys + j];
        if (all.dtype == Dtype::f64 ? weight == 1 / count : weight == stored(1 / count, all.dtype)) continue;
        if (++unequal_ < 4) {
          std::printf("seed %llu: of %zu equal scores one has the weight %.17g\n",
                      static_cast<unsigned long long>(seed), open, weight);
        }
      }
    }
  }

  CpuBackend& backend_;
  std::map<std::string, Tally> tallies_;
  std::map<std::string, std::size_t> families_;
  std::size_t unequal_ = 0;
};

int run(const std::map<std::string, std::string>& options) {
  const auto number = [&](const char* option, std::size_t by_default) {
    const auto found = options.find(option);
    return found == options.end() ? by_default : static_cast<std::size_t>(std::stoull(found->second));
  };
  const std::size_t cells = number("--cells", 200'000), seconds = number("--seconds", 1'000'000);
  const auto start = std::chrono::steady_clock::now();
  CpuBackend backend(1);
  Run all(backend);
  for (std::uint64_t seed = number("--seed", 0); all.cells() < cells; ++seed) {
    all.compare(seed);
    if (std::chrono::steady_clock::now() - start > std::chrono::seconds(seconds)) break;
  }
  all.tell();
  if (const auto file = options.find("--json"); file != options.end()) all.write(file->second);
  return all.violations() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace attn::bounds

int main(int count, char** words) {
  std::map<std::string, std::string> options;
  for (int i = 1; i + 1 < count; i += 2) options[words[i]] = words[i + 1];
  return attn::bounds::run(options);
}
