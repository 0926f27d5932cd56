#include "exercises/sketch.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "files/problem_text.h"

namespace attn {
namespace {

using Json = nlohmann::ordered_json;
using Pointer = Json::json_pointer;

// --- Of wishes --------------------------------------------------------------

// Every size of an exercise: those that are wished for, and the others so that none is
// another or another's square.
struct Sizes {
  std::size_t queries = 0, keys = 0, width = 0, key_width = 0, value_width = 0, hidden = 0, pairs = 0;
};

class SizeChooser {
 public:
  explicit SizeChooser(const ExerciseWishes& wishes) {
    for (const auto& wished : {wishes.inputs, wishes.width, wishes.key_width, wishes.value_width}) {
      if (wished) taken_.insert(*wished);
    }
  }

  // What is wished for, or the first of these that goes with all that are taken; the first
  // of all if none does. Of the keys first: ÷√n is ÷d_k where n is its square.
  std::size_t choose(const std::optional<std::size_t>& wished, const std::vector<std::size_t>& liked) {
    std::size_t chosen = wished.value_or(liked.front());
    if (!wished) {
      const auto found = std::ranges::find_if(liked, [&](std::size_t size) {
        return !taken_.contains(size) && (is_of_keys_ ? !taken_.contains(size * size) : size != square_);
      });
      if (found != liked.end()) chosen = *found;
    }
    if (is_of_keys_) square_ = chosen * chosen;
    is_of_keys_ = false;
    taken_.insert(chosen);
    return chosen;
  }

 private:
  std::set<std::size_t> taken_;
  bool is_of_keys_ = true;
  std::size_t square_ = 0;  // of the width of the keys
};

Sizes sizes_of_exercise(const ExerciseWishes& wishes) {
  const bool is_scaled = wishes.score == "scaled_dot";
  SizeChooser sizes(wishes);
  Sizes chosen;
  // Pairs of features are turned; a root is whole, and not 1, which divides nothing.
  const bool is_rotated = wishes.positions == "rope";
  chosen.key_width = is_scaled    ? sizes.choose(wishes.key_width, {4, 9, 16})
                     : is_rotated ? sizes.choose(wishes.key_width, {4, 2, 6})
                                  : sizes.choose(wishes.key_width, {4, 3, 2, 6, 7});
  chosen.queries = chosen.keys = sizes.choose(wishes.inputs, {3, 5, 6, 7});
  if (wishes.cross || wishes.block == "decoder") chosen.keys = sizes.choose(std::nullopt, {5, 6, 7, 3});
  chosen.width = sizes.choose(wishes.width, {5, 6, 7, 8, 10, 11});
  chosen.value_width = sizes.choose(wishes.value_width, {2, 6, 7, 8, 10, 11, 12});
  chosen.hidden = sizes.choose(std::nullopt, {6, 7, 8, 10, 11, 12});
  chosen.pairs = sizes.choose(std::nullopt, {3, 5, 6, 7});
  return chosen;
}

// Puts numbers to be drawn into a problem.
class Sketcher {
 public:
  explicit Sketcher(Sketch& sketch) : sketch_(sketch) {}

  void draw(const std::string& where, std::vector<std::size_t> shape) {
    const Pointer place(where);
    sketch_.problem[place] = nullptr;
    sketch_.numbers.push_back({place, std::move(shape), where.ends_with("/gain")});
  }

 private:
  Sketch& sketch_;
};

void draw_attention(Sketcher& sketcher, const std::string& at, const ExerciseWishes& wishes, const Sizes& sizes,
                    bool has_output) {
  const std::size_t heads = wishes.heads.value_or(1);
  sketcher.draw(at + "/weights/key", {sizes.width, heads * sizes.key_width});
  sketcher.draw(at + "/weights/query", {sizes.width, heads * sizes.key_width});
  sketcher.draw(at + "/weights/value", {sizes.width, heads * sizes.value_width});
  if (has_output) sketcher.draw(at + "/weights/output", {heads * sizes.value_width, sizes.width});
}

void draw_score(Sketcher& sketcher, Json& problem, const ExerciseWishes& wishes, const Sizes& sizes) {
  const std::size_t width = sizes.key_width;
  if (wishes.score == "general") {
    problem["score"] = {{"type", "general"}};
    sketcher.draw("/score/weight", {width, width});
  } else if (wishes.score == "additive") {
    problem["score"] = {{"type", "additive"}};
    sketcher.draw("/score/query", {width, sizes.pairs});
    sketcher.draw("/score/key", {width, sizes.pairs});
    sketcher.draw("/score/v", {sizes.pairs});
  } else if (wishes.score == "concat") {
    problem["score"] = {{"type", "concat"}};
    sketcher.draw("/score/weight", {2 * width, sizes.pairs});
    sketcher.draw("/score/v", {sizes.pairs});
  } else {
    problem["score"] = wishes.score;
  }
}

void draw_positions(Sketcher& sketcher, Json& problem, const ExerciseWishes& wishes, const Sizes& sizes) {
  if (wishes.positions.empty()) return;
  if (wishes.positions == "learned") {
    problem["positions"] = {{"type", "learned"}};
    sketcher.draw("/positions/table", {std::max(sizes.queries, sizes.keys), sizes.width});
  } else if (wishes.positions == "relative") {
    problem["positions"] = {{"type", "relative"}};
    sketcher.draw("/positions/keys", {3, sizes.key_width});
    sketcher.draw("/positions/values", {3, sizes.value_width});
  } else {
    problem["positions"] = wishes.positions;
  }
}

void draw_norm(Sketcher& sketcher, const std::string& at, const Sizes& sizes) {
  sketcher.draw(at + "/gain", {sizes.width});
  sketcher.draw(at + "/bias", {sizes.width});
}

// One layer of the kind that is asked for, as Vaswani et al. (2017) have it.
void draw_block(Sketcher& sketcher, Json& problem, const ExerciseWishes& wishes, const Sizes& sizes) {
  const bool has_memory = wishes.block == "decoder";
  // An eps of 10⁻⁵ would show in no number that is written by hand.
  problem["block"] = {{"kind", wishes.block}, {"norm", "post"}, {"eps", 1}, {"layers", Json::array({Json::object()})}};
  const std::string layer = "/block/layers/0";
  draw_attention(sketcher, layer + "/self", wishes, sizes, true);
  draw_norm(sketcher, layer + "/norm1", sizes);
  if (has_memory) {
    draw_attention(sketcher, layer + "/cross", wishes, sizes, true);
    if (wishes.heads) problem[Pointer(layer + "/cross/heads")] = *wishes.heads;
    draw_norm(sketcher, layer + "/norm2", sizes);
    sketcher.draw("/block/memory", {sizes.keys, sizes.width});
  }
  sketcher.draw(layer + "/ffn/in", {sizes.width, sizes.hidden});
  sketcher.draw(layer + "/ffn/in_bias", {sizes.hidden});
  sketcher.draw(layer + "/ffn/out", {sizes.hidden, sizes.width});
  sketcher.draw(layer + "/ffn/out_bias", {sizes.width});
  draw_norm(sketcher, layer + (has_memory ? "/norm3" : "/norm2"), sizes);
}

// --- Like another -----------------------------------------------------------

// Keys whose numbers say what is to be computed, and on what.
bool is_about_the_task(const std::string& key) {
  static const std::set<std::string> keys = {"mask",           "lengths",    "offset",    "window", "memory_mask",
                                             "memory_lengths", "max_tokens", "softmax",   "shape",  "vocabulary",
                                             "tokens",         "notes",      "arithmetic"};
  return keys.contains(key) || key.starts_with("x-");
}

// The shape of nested lists of numbers; nothing where they are something else.
std::optional<std::vector<std::size_t>> shape_of_numbers(const Json& value) {
  std::vector<std::size_t> shape;
  const Json* at = &value;
  while (at->is_array() && !at->empty()) {
    shape.push_back(at->size());
    at = &at->front();
  }
  if (shape.empty() || !(at->is_number() || at->is_string())) return std::nullopt;
  return shape;
}

// Whether all rows are as long as the first.
bool has_shape(const Json& value, const std::vector<std::size_t>& shape, std::size_t axis = 0) {
  if (axis == shape.size()) return !value.is_structured();
  return value.is_array() && value.size() == shape[axis] &&
         std::ranges::all_of(value, [&](const Json& item) { return has_shape(item, shape, axis + 1); });
}

// Where a reference to a file stands; nothing where none does.
std::optional<std::string> find_file(const Json& value, const Pointer& where) {
  if (value.is_object() && value.contains("file")) return where.to_string();
  if (!value.is_structured()) return std::nullopt;
  std::size_t index = 0;
  for (const auto& [name, member] : value.items()) {
    if (auto found = find_file(member, value.is_array() ? where / index++ : where / name)) return found;
  }
  return std::nullopt;
}

std::optional<std::string> find_numbers(const Json& value, const std::string& key, const Pointer& where,
                                        Sketch& sketch) {
  const auto shape = shape_of_numbers(value);
  if (shape && has_shape(value, *shape)) {
    sketch.numbers.push_back({where, *shape, key == "gain"});
    return std::nullopt;
  }
  const bool has_tokens_for_keys = key == "embeddings";
  if (value.is_object() && !has_tokens_for_keys && value.contains("file")) return where.to_string();
  if (value.is_object() && !has_tokens_for_keys && value.contains("random") && value.contains("shape")) {
    sketch.numbers.push_back({where, value["shape"].get<std::vector<std::size_t>>(), key == "gain"});
    return std::nullopt;
  }
  if (!value.is_structured()) return std::nullopt;
  std::size_t index = 0;
  for (const auto& [name, member] : value.items()) {
    const Pointer place = value.is_array() ? where / index++ : where / name;
    if (value.is_object() && !has_tokens_for_keys && is_about_the_task(name)) {
      if (auto unread = find_file(member, place)) return unread;
      continue;
    }
    const bool has_own_name = value.is_object() && !has_tokens_for_keys;
    if (auto unread = find_numbers(member, has_own_name ? name : key + "/", place, sketch)) return unread;
  }
  return std::nullopt;
}

// --- The text ---------------------------------------------------------------

Json number_json(double value) {
  if (value == std::floor(value)) return static_cast<long long>(value);
  return value;
}

Json nested(const std::vector<double>& values, std::size_t& next, const std::vector<std::size_t>& shape,
            std::size_t axis = 0) {
  if (axis == shape.size()) return number_json(values[next++]);
  Json list = Json::array();
  for (std::size_t i = 0; i < shape[axis]; ++i) list.push_back(nested(values, next, shape, axis + 1));
  return list;
}

Diagnostic contradiction(std::string message, std::string help) {
  return {.code = "wishes-contradict", .message = std::move(message), .help = std::move(help)};
}

// Whether each query is left one key to attend to, by which wishes, whatever the numbers are.
std::optional<Diagnostic> keys_alone(const ExerciseWishes& wishes) {
  const auto fault = [](const std::string& one, const std::string& other, std::string help) {
    return contradiction(one + " stands against " + other + ": a key alone has all the weight", std::move(help));
  };
  if (wishes.inputs == 1 && !wishes.cross) return fault("--inputs 1", "every exercise", "--inputs 2 or more");
  const auto [before, behind] = wishes.window.value_or(std::pair(-1, -1));
  const std::string window = "--window " + std::to_string(before) + "," + std::to_string(behind);
  const bool is_causal_block = wishes.block.starts_with("decoder");
  const std::string what_hides = wishes.causal     ? "--causal"
                                 : is_causal_block ? "--block " + wishes.block
                                 : behind == 0     ? window
                                                   : "";
  if (what_hides.empty()) return std::nullopt;
  if (wishes.inputs == 1) return fault("--inputs 1", what_hides, "--inputs 2 or more");
  if (before != 0) return std::nullopt;
  return fault(window, what_hides == window ? "every exercise" : what_hides, "--window 1,0 or 1,1");
}

}  // namespace

std::size_t Sketch::Numbers::count() const {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies());
}

std::size_t Sketch::count() const {
  std::size_t all = 0;
  for (const Numbers& one : numbers) all += one.count();
  return all;
}

std::string Sketch::with(const std::vector<double>& values) const {
  Json filled = problem;
  std::size_t next = 0;
  for (const Numbers& one : numbers) filled[one.where] = nested(values, next, one.shape);
  return problem_text(filled);
}

std::optional<Diagnostic> contradiction_in(const ExerciseWishes& wishes) {
  if (auto alone = keys_alone(wishes)) return alone;
  if (!wishes.key_width) return std::nullopt;
  const std::size_t width = *wishes.key_width;
  if (wishes.score == "scaled_dot" && width == 1) {
    return contradiction("--d-k 1 stands against --score scaled_dot: to divide by √1 changes nothing",
                         "--d-k 4 or 9, or --score dot");
  }
  const std::string typed = "--d-k " + std::to_string(width);
  const auto root = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(width))));
  if (wishes.score == "scaled_dot" && root * root != width) {
    return contradiction(
        typed + " stands against --score scaled_dot: √" + std::to_string(width) + " is no whole number",
        "--d-k 4 or 9, or --score dot");
  }
  if (wishes.positions == "rope" && width % 2 == 1) {
    return contradiction(typed + " stands against --positions rope, which turns pairs of numbers", "an even --d-k");
  }
  return std::nullopt;
}

std::vector<std::string> coincidences_in(const ExerciseWishes& wishes) {
  std::vector<std::pair<std::string, std::size_t>> sizes;
  const auto add = [&](const char* option, const std::optional<std::size_t>& size) {
    if (size) sizes.emplace_back(option + (" " + std::to_string(*size)), *size);
  };
  add("--inputs", wishes.inputs);
  add("--width", wishes.width);
  add("--d-k", wishes.key_width);
  add("--d-v", wishes.value_width);
  add("--heads", wishes.heads);
  std::vector<std::string> all;
  for (auto one = sizes.begin(); one != sizes.end(); ++one) {
    for (auto other = one + 1; other != sizes.end(); ++other) {
      const std::size_t a = one->second, b = other->second;
      if (a == b || a == b * b || b == a * a) all.push_back(one->first + " stands against " + other->first);
    }
  }
  return all;
}

Sketch sketch_of(const ExerciseWishes& wishes) {
  const Sizes sizes = sizes_of_exercise(wishes);
  Sketch sketch;
  sketch.problem = Json::object();
  Sketcher sketcher(sketch);
  if (wishes.cross) {
    sketcher.draw("/inputs/query", {sizes.queries, sizes.width});
    sketcher.draw("/inputs/key", {sizes.keys, sizes.width});
  } else {
    sketcher.draw("/inputs", {sizes.queries, sizes.width});
  }
  if (wishes.block.empty()) draw_attention(sketcher, "", wishes, sizes, wishes.heads.has_value());
  if (wishes.heads) sketch.problem["heads"] = *wishes.heads;
  draw_score(sketcher, sketch.problem, wishes, sizes);
  draw_positions(sketcher, sketch.problem, wishes, sizes);
  if (wishes.causal) sketch.problem["causal"] = true;
  if (wishes.window) sketch.problem["window"] = {wishes.window->first, wishes.window->second};
  if (!wishes.block.empty()) draw_block(sketcher, sketch.problem, wishes, sizes);
  sketch.problem["digits"] = wishes.digits;
  return sketch;
}

Result<Sketch> sketch_like(std::string_view problem, int digits) {
  Sketch sketch;
  sketch.problem = Json::parse(problem, nullptr, true, true);
  for (const char* own : {"$schema", "title", "notes"}) sketch.problem.erase(own);
  for (auto member = sketch.problem.begin(); member != sketch.problem.end();) {
    member = member.key().starts_with("x-") ? sketch.problem.erase(member) : std::next(member);
  }
  if (const auto file = find_numbers(sketch.problem, "", Pointer(), sketch)) {
    return Diagnostic{.code = "not-drawn",
                      .where = *file,
                      .message = "stands in another file, and numbers there are not drawn anew",
                      .help = "take a problem whose numbers stand in it"};
  }
  sketch.problem["digits"] = digits;
  return sketch;
}

}  // namespace attn
