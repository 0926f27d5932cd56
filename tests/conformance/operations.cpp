// Single operations of ONNX, each done by the operations of the library: rotary
// embedding, layer and RMS normalization, softmax.
//
//   operations --cases DIR
//
// Each case file holds attributes, inputs and outputs as the framework computed
// them. Exit code 0: all agree; 1: some do not; 77: no cases there.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "reference_backend.h"
#include "trace/recipe_builder.h"
#include "unit/trace/by_hand.h"

namespace {

using namespace attn;  // NOLINT(google-build-using-namespace)
using Json = nlohmann::json;

constexpr int skipped = 77;

// A tensor without names for its axes.
struct Plain {
  std::vector<std::size_t> sizes;
  std::vector<double> numbers;

  std::size_t count(std::size_t from, std::size_t to) const {
    std::size_t product = 1;
    for (std::size_t axis = from; axis < to; ++axis) product *= sizes[axis];
    return product;
  }
};

double number_of(const Json& value) {
  if (!value.is_string()) return value.get<double>();
  const std::string text = value.get<std::string>();
  return text == "inf" ? INFINITY : text == "-inf" ? -INFINITY : NAN;
}

void flatten(const Json& nested, std::vector<double>& into) {
  if (!nested.is_array()) return into.push_back(number_of(nested));
  for (const Json& part : nested) flatten(part, into);
}

Plain plain(const Json& tensor) {
  Plain made{tensor.at("shape").get<std::vector<std::size_t>>(), {}};
  flatten(tensor.at("data"), made.numbers);
  return made;
}

Tensor<double> named(const Plain& tensor, const std::vector<Axis>& axes) {
  std::vector<Dim> dims;
  for (std::size_t i = 0; i < axes.size(); ++i) dims.push_back({axes[i], tensor.sizes.at(i)});
  return Tensor<double>(Shape(std::move(dims)), tensor.numbers);
}

// One case, done in one arithmetic.
class Case {
 public:
  Case(const Json& described, Dtype dtype) : case_(described), work_(Arithmetic{dtype, {}}) {}

  // What the library makes, by the names of the case's outputs.
  std::map<std::string, std::vector<double>> outputs() {
    const std::string op = case_.at("op");
    if (op == "Softmax") return softmax();
    if (op == "LayerNormalization") return normalization(true);
    if (op == "RMSNormalization") return normalization(false);
    if (op == "RotaryEmbedding") return rotary();
    return {};
  }

 private:
  template <class Value>
  Value attribute(const char* name, Value otherwise) const {
    return case_.at("attributes").value(name, otherwise);
  }
  bool has(const char* name) const { return case_.at("inputs").contains(name); }
  Plain input(const char* name) const { return plain(case_.at("inputs").at(name)); }

  std::size_t axis(const Plain& x) const {
    const int given = attribute("axis", -1);
    return static_cast<std::size_t>(given < 0 ? given + static_cast<int>(x.sizes.size()) : given);
  }

  std::string given(const char* id, const Tensor<double>& value) {
    return work_.given({.id = id}, LateTensor(Tensor<double>(value)));
  }

  // The numbers of each of these steps, under the names of the outputs.
  std::map<std::string, std::vector<double>> kept(const std::map<std::string, std::string>& outputs) {
    std::map<std::string, std::vector<double>> made;
    const Trace trace = worked_out(work_);
    for (const Step& step : trace.steps) {
      for (const auto& [output, id] : outputs) {
        if (id == step.heading.id) made[output] = {step.result.data().begin(), step.result.data().end()};
      }
    }
    return made;
  }

  std::map<std::string, std::vector<double>> softmax() {
    const Plain x = input("input");
    std::vector<Axis> axes;
    for (std::size_t i = 0; i < x.sizes.size(); ++i) axes.push_back("axis " + std::to_string(i));
    const Axis over = axes[axis(x)];
    const std::string scores = given("scores", named(x, axes));
    const auto part = [&](Softmax::Part which, const char* id, std::vector<Operand> operands) {
      return work_.step({.id = id}, Softmax{which, over}, std::move(operands));
    };
    const auto maximum = part(Softmax::Part::maximum, "maximum", {scores});
    const auto exponentials = part(Softmax::Part::exponentials, "exponentials", {scores, maximum});
    const auto sum = part(Softmax::Part::sum, "sum", {exponentials});
    return kept({{"output", part(Softmax::Part::weights, "weights", {exponentials, sum})}});
  }

  // All axes from the given one on are normalized together: as one.
  std::map<std::string, std::vector<double>> normalization(bool layer) {
    const Plain x = input("X");
    const std::size_t first = axis(x);
    const std::size_t rank = x.sizes.size();
    const Plain flat{{x.count(0, first), x.count(first, rank)}, x.numbers};
    const std::string given_x = given("x", named(flat, {"row", "feature"}));

    using Part = Normalize::Part;
    const double eps = attribute("epsilon", 1e-5);
    const auto step = [&](const char* id, Op op, std::vector<Operand> operands) {
      return work_.step({.id = id}, std::move(op), std::move(operands));
    };
    std::vector<Operand> measured = {given_x};
    if (layer) measured.emplace_back(step("mean", Normalize{Part::mean, "feature"}, {given_x}));
    const std::string spread =
        step("spread", Normalize{layer ? Part::variance : Part::mean_square, "feature"}, measured);
    measured.emplace_back(spread);
    std::string y = step("normalized", Normalize{Part::normalized, "feature", eps}, measured);
    const char* gain = layer ? "Scale" : "scale";
    if (has(gain) && has("B")) {
      y = step("affine", Normalize{Part::affine, "feature"},
               {y, given("gain", broadcast(input(gain), x, first)), given("bias", broadcast(input("B"), x, first))});
    } else if (has(gain)) {
      y = step("scaled", Combine{Binary::multiply, {}}, {y, given("gain", broadcast(input(gain), x, first))});
    }
    auto made = kept({{"Y", y}, {"Mean", "mean"}, {"InvStdDev", spread}});
    for (double& number : made["InvStdDev"]) number = 1 / std::sqrt(number + eps);
    return made;
  }

  // A gain or a bias along all the axes that are normalized.
  static Tensor<double> broadcast(const Plain& part, const Plain& x, std::size_t first) {
    const std::size_t width = x.count(first, x.sizes.size());
    Tensor<double> made(Shape{{"feature", width}});
    const std::size_t offset = x.sizes.size() - part.sizes.size();
    for (std::size_t at = 0; at < width; ++at) {
      std::size_t place = 0, stride = 1, rest = at;
      for (std::size_t axis = x.sizes.size(); axis-- > first;) {
        const std::size_t index = rest % x.sizes[axis];
        rest /= x.sizes[axis];
        if (axis < offset) continue;
        if (part.sizes[axis - offset] > 1) place += index * stride;
        stride *= part.sizes[axis - offset];
      }
      made[at] = part.numbers.at(place);
    }
    return made;
  }

  // Cosines and sines of each position of each sequence.
  std::string table(const char* id, const char* name) {
    const Plain cache = input(name);
    if (!has("position_ids")) return given(id, named(cache, {"batch", "query", "pair"}));
    const Plain positions = input("position_ids");
    std::vector<std::int64_t> rows;
    for (const double position : positions.numbers) rows.push_back(static_cast<std::int64_t>(position));
    const Shape each{{"batch", positions.sizes.at(0)}, {"query", positions.sizes.at(1)}};
    const std::string all = given((std::string("all.") + id).c_str(), named(cache, {"position", "pair"}));
    return work_.step({.id = id}, Pick{"position", Rows(Tensor<std::int64_t>(each, std::move(rows)))}, {all});
  }

  std::map<std::string, std::vector<double>> rotary() {
    const Plain x = input("X");
    const bool flat = x.sizes.size() == 3;
    const std::string cosines = table("cosines", "cos_cache");
    const std::string sines = table("sines", "sin_cache");
    std::string heads = given("x", named(x, flat ? std::vector<Axis>{"batch", "query", "wide"}
                                                 : std::vector<Axis>{"batch", "head", "query", "d_k"}));
    if (flat)
      heads =
          work_.step({.id = "heads"}, Split{"wide", "head", "d_k", attribute<std::size_t>("num_heads", 1)}, {heads});
    const Rotate turning{"d_k", "pair", attribute("interleaved", 0) != 0};
    std::string turned = work_.step({.id = "turned"}, turning, {heads, cosines, sines});
    if (flat) turned = work_.step({.id = "merged"}, Merge{"head", "d_k", "wide"}, {turned});
    return kept({{"Y", turned}});
  }

  const Json& case_;
  RecipeBuilder work_;
};

// Relative and absolute, by the type the framework computed in.
bool near(double expected, double got, const std::string& dtype) {
  const double relative = dtype == "float64" ? 1e-12 : dtype == "float32" ? 1e-5 : dtype == "float16" ? 2e-3 : 2e-2;
  const double absolute = relative / 5;
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  return expected == got || std::abs(expected - got) <= absolute + relative * std::abs(expected);
}

// What is wrong with a case; empty where nothing is.
std::string fault(const Json& described, Dtype dtype) {
  const auto made = Case(described, dtype).outputs();
  std::size_t compared = 0;
  for (const auto& [name, tensor] : described.at("outputs").items()) {
    const auto ours = made.find(name);
    if (ours == made.end()) return "nobody makes " + name;
    const Plain expected = plain(tensor);
    if (expected.numbers.size() != ours->second.size()) return name + " has another size";
    for (std::size_t i = 0; i < expected.numbers.size(); ++i, ++compared) {
      if (near(expected.numbers[i], ours->second[i], tensor.at("dtype"))) continue;
      return name + " number " + std::to_string(i + 1) + ": " + std::to_string(expected.numbers[i]) + " expected, " +
             std::to_string(ours->second[i]) + " got";
    }
  }
  return compared == 0 ? "nothing was compared" : "";
}

bool is_ours(const Json& described) {
  const std::string op = described.value("op", "");
  return op == "Softmax" || op == "LayerNormalization" || op == "RMSNormalization" || op == "RotaryEmbedding";
}

}  // namespace

int main(int count, char** words) {
  const std::filesystem::path folder = count == 3 && std::string(words[1]) == "--cases" ? words[2] : "";
  if (!std::filesystem::is_directory(folder)) {
    std::printf("skipped: no cases in %s\n", folder.string().c_str());
    return skipped;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::map<std::string, int> agreed;
  int failed = 0;
  for (const auto& file : files) {
    std::ifstream stream(file);
    const Json described = Json::parse(stream, nullptr, false);
    if (!described.is_object() || !is_ours(described)) continue;
    for (const Dtype dtype : {Dtype::f64, Dtype::f32}) {
      std::string wrong;
      try {
        wrong = fault(described, dtype);
      } catch (const std::exception& error) {
        wrong = error.what();
      }
      if (wrong.empty()) {
        ++agreed[described.at("op")];
        continue;
      }
      ++failed;
      std::printf("%s in %s: %s\n", file.stem().string().c_str(), std::string(name(dtype)).c_str(), wrong.c_str());
    }
  }
  for (const auto& [op, cases] : agreed) std::printf("%s: %d agree, each case in f64 and in f32\n", op.c_str(), cases);
  if (agreed.empty() && failed == 0) {
    std::printf("skipped: no cases of these operations in %s\n", folder.string().c_str());
    return skipped;
  }
  return failed == 0 ? 0 : 1;
}
