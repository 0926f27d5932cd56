#include "reading/trace.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "problem/faults.h"
#include "reading/json/json.h"

namespace attn {
namespace {

constexpr std::string_view schema = "attn/trace/1";

class Reader {
 public:
  StoredTrace read(const JsonValue& root) {
    StoredTrace trace;
    const auto members = root.object();
    if (!members) {
      faults.add(not_a_trace("", "a trace is an object, { … }; this is " + in_words(root)));
      return trace;
    }
    if (text(*members, "", "schema") != schema && !faults.any()) {
      fault_of("/schema", "is not \"" + std::string(schema) + "\"");
    }
    trace.statement = text(*members, "", "statement");
    trace.result = text(*members, "", "result");
    read_arithmetic(*members, trace);
    dtype_ = dtype_named(trace.dtype);
    if (!dtype_ && !faults.any()) {
      fault_of("/arithmetic/dtype", "is \"" + shown(trace.dtype) + "\"; one of " +
                                        listed({dtype_names.begin(), dtype_names.end()}) + " is wanted");
    }
    read_steps(*members, trace);
    return trace;
  }

  Faults faults;

 private:
  static Diagnostic not_a_trace(std::string where, std::string message) {
    return {.code = "not-a-trace",
            .where = std::move(where),
            .message = std::move(message),
            .help = "attn schema trace says what a trace file holds; a golden is written anew by attn golden --update"};
  }

  // The same, and the message begins with the place, and the step that it is of.
  void fault_of(const std::string& where, const std::string& message) {
    faults.add([&] {
      const std::string step = step_.empty() ? "" : " (" + shown(step_) + ")";
      return not_a_trace(where, (where.empty() ? "the trace" : shown(where)) + step + " " + message);
    });
  }

  std::nullopt_t missing(const std::string& parent, std::string_view key) {
    if (faults.are_enough()) return faults.count_one_more();
    fault_of(parent, "has no \"" + std::string(key) + "\"");
    return std::nullopt;
  }

  std::nullopt_t other_kind(const std::string& where, const JsonValue& value, const std::string& wanted) {
    fault_of(where, "is " + in_words(value) + "; " + wanted);
    return std::nullopt;
  }

  std::string text(const JsonObject& members, const std::string& parent, std::string_view key) {
    const auto value = members.find(key);
    const auto found = value ? value->text() : std::nullopt;
    if (!value) missing(parent, key);
    if (value && !found) other_kind(pointer(parent, key), *value, "a text is wanted");
    return found.value_or("");
  }

  void read_arithmetic(const JsonObject& members, StoredTrace& trace) {
    const auto value = members.find("arithmetic");
    const auto arithmetic = value ? value->object() : std::nullopt;
    if (!value) missing("", "arithmetic");
    if (value && !arithmetic) other_kind("/arithmetic", *value, "an object is wanted");
    if (!arithmetic) return;
    trace.dtype = text(*arithmetic, "/arithmetic", "dtype");
    const auto rounding = arithmetic->find("hand_rounding");
    if (!rounding || rounding->kind() == JsonValue::Kind::null) return;
    trace.hand_rounding = rounding->text();
    if (!trace.hand_rounding) other_kind("/arithmetic/hand_rounding", *rounding, "a text is wanted, or null");
  }

  void read_steps(const JsonObject& members, StoredTrace& trace) {
    const auto steps = members.find("steps");
    const auto list = steps ? steps->list() : std::nullopt;
    if (!steps) missing("", "steps");
    if (steps && !list) other_kind("/steps", *steps, "a list of steps is wanted");
    if (!list) return;
    std::set<std::string> ids;
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string where = pointer("/steps", ListPlace{i});
      step_.clear();
      const auto step = (*list)[i].object();
      if (!step) {
        other_kind(where, (*list)[i], "a step is an object");
        continue;
      }
      const std::string id = text(*step, where, "id");
      if (const auto given = step->find("id"); given && given->text() == "") fault_of(pointer(where, "id"), "is empty");
      step_ = id;
      if (!id.empty() && !ids.insert(id).second) fault_of(pointer(where, "id"), "is the id of a step before it, too");
      if (auto value = tensor(*step, where)) trace.steps.push_back({id, std::move(*value)});
    }
  }

  std::optional<Tensor<double>> tensor(const JsonObject& step, const std::string& where) {
    const auto data = step.find("data");
    if (!data) return missing(where, "data");
    auto numbers = numbers_of(*data, pointer(where, "data"));
    if (!numbers) return std::nullopt;
    const auto sizes = numbers->shape();
    if (!sizes) return uneven(*numbers, pointer(where, "data"));
    const auto shape = shape_of(step, where, *sizes);
    if (!shape || !is_said_so(step, where, *sizes)) return std::nullopt;
    std::vector<double> values = numbers->take_values();
    // The fewest digits of a float are those of another double.
    if (dtype_) {
      for (double& number : values) number = stored(number, *dtype_);
    }
    return Tensor<double>(*shape, std::move(values));
  }

  std::optional<NestedNumbers> numbers_of(const JsonValue& data, const std::string& where) {
    auto numbers = data.numbers();
    if (!numbers) {
      const auto [leaf, place] = first_leaf(data, where);
      if (leaf.kind() != JsonValue::Kind::list) return other_kind(place, leaf, "lists of numbers are wanted");
      fault_of(place, "is empty; lists of numbers are wanted");
      return std::nullopt;
    }
    if (numbers->odd) {
      fault_of(pointer(where, numbers->odd->place),
               "is " + numbers->odd->what + ", where " + numbers->odd->elsewhere + " is wanted");
      return std::nullopt;
    }
    if (numbers->first_boolean) {
      fault_of(pointer(where, *numbers->first_boolean), "is a boolean; a number is wanted");
      return std::nullopt;
    }
    return std::move(numbers->numbers);
  }

  // Says which list has another size than the first beside it. REQUIRES: there is one.
  std::nullopt_t uneven(const NestedNumbers& numbers, const std::string& where) {
    std::size_t level = 0;
    while (numbers.is_even(level)) ++level;
    const std::size_t odd = numbers.first_uneven(level);
    const char* const thing = level + 1 == numbers.rank() ? "number" : "list";
    fault_of(pointer(where, numbers.place_of_list(level, odd)),
             "has " + counted(numbers.size(level, odd), thing) + ", and " +
                 shown(pointer(where, numbers.place_of_list(level, 0))) + " has " +
                 std::to_string(numbers.size(level, 0)));
    return std::nullopt;
  }

  std::optional<Shape> shape_of(const JsonObject& step, const std::string& where,
                                const std::vector<std::size_t>& sizes) {
    const auto axes = step.find("axes");
    const auto names = axes ? axes->list() : std::nullopt;
    if (!axes) return missing(where, "axes");
    if (!names || names->size() != sizes.size()) {
      fault_of(pointer(where, "axes"), "does not name each axis of \"data\", which is " + spelled_sizes(sizes));
      return std::nullopt;
    }
    Shape shape;
    for (std::size_t axis = 0; axis < names->size(); ++axis) {
      const auto name = (*names)[axis].text();
      if (!name || shape.has(*name)) {
        fault_of(pointer(where, "axes"), "is no list of different names");
        return std::nullopt;
      }
      shape.append({*name, sizes[axis]});
    }
    return shape;
  }

  // Whether "shape" has the sizes of "data".
  bool is_said_so(const JsonObject& step, const std::string& where, const std::vector<std::size_t>& sizes) {
    const auto said = step.find("shape");
    if (!said) {
      missing(where, "shape");
      return false;
    }
    const auto numbers = said->numbers();
    const auto is_same = [](double one, std::size_t size) { return one == static_cast<double>(size); };
    if (numbers && !numbers->odd && numbers->numbers.rank() == 1 &&
        std::ranges::equal(numbers->numbers.values(), sizes, is_same)) {
      return true;
    }
    fault_of(pointer(where, "shape"), "is not the shape of \"data\", which is " + spelled_sizes(sizes));
    return false;
  }

  std::optional<Dtype> dtype_;
  std::string step_;  // the id of the one that is read
};

}  // namespace

Result<StoredTrace> read_trace(std::string_view text) {
  Result<ParsedJson> parsed = parse_json(text);
  if (!parsed) return parsed.faults();
  if (!parsed.value().faults.empty()) return parsed.value().faults;

  Reader reader;
  StoredTrace trace = reader.read(parsed.value().root);
  if (reader.faults.any()) return reader.faults.take();
  return trace;
}

bool is_stored_trace(std::string_view text) {
  const Result<ParsedJson> parsed = parse_json(text);
  const auto root = parsed ? parsed.value().root.object() : std::nullopt;
  if (!root) return false;
  const auto schema = root->find("schema");
  const auto name = schema ? schema->text() : std::nullopt;
  return name ? name->starts_with("attn/trace/") : root->find("steps") && !root->find("inputs");
}

}  // namespace attn
