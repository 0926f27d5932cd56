#include "reading/trace.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_spelling.h"
#include "problem/faults.h"
#include "reading/json/json.h"

namespace attn {
namespace {

constexpr std::string_view schema = "attn/trace/1";

class Reader {
 public:
  StoredTrace read(const JsonValue& root) {
    StoredTrace trace;
    text_ = root.spelling();
    if (root.kind() != JsonValue::Kind::object) {
      faults.add(not_a_trace("", "a trace is an object, { … }; this is " + in_words(root)));
      return trace;
    }
    const auto [stated, statement, result, arithmetic, steps] =
        members_called(root, {"schema", "statement", "result", "arithmetic", "steps"});
    if (text(stated, "", "schema") != schema && !faults.any()) {
      fault_of("/schema", "is not \"" + std::string(schema) + "\"");
    }
    trace.statement = text(statement, "", "statement");
    trace.result = text(result, "", "result");
    read_arithmetic(arithmetic, trace);
    dtype_ = dtype_named(trace.dtype);
    if (!dtype_ && !faults.any()) {
      fault_of("/arithmetic/dtype", "is \"" + shown(trace.dtype) + "\"; one of " +
                                        listed({dtype_names.begin(), dtype_names.end()}) + " is wanted");
    }
    read_steps(steps, trace);
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

  std::nullopt_t other_kind(const std::string& where, const JsonValue& value, std::string_view wanted) {
    if (faults.are_enough()) return faults.count_one_more();
    fault_of(where, "is " + in_words(value) + "; " + std::string(wanted));
    return std::nullopt;
  }

  // A member that is called so, where there is one.
  using Member = std::optional<JsonValue>;

  std::string text(const Member& value, const std::string& parent, std::string_view key) {
    const auto found = value ? value->text() : std::nullopt;
    if (!value) missing(parent, key);
    if (value && !found) other_kind(pointer(parent, key), *value, "a text is wanted");
    return found.value_or("");
  }

  void read_arithmetic(const Member& arithmetic, StoredTrace& trace) {
    if (!arithmetic) return static_cast<void>(missing("", "arithmetic"));
    if (arithmetic->kind() != JsonValue::Kind::object)
      return static_cast<void>(other_kind("/arithmetic", *arithmetic, "an object is wanted"));
    const auto [dtype, rounding] = members_called(*arithmetic, {"dtype", "hand_rounding"});
    trace.dtype = text(dtype, "/arithmetic", "dtype");
    if (!rounding || rounding->kind() == JsonValue::Kind::null) return;
    trace.hand_rounding = rounding->text();
    if (!trace.hand_rounding) other_kind("/arithmetic/hand_rounding", *rounding, "a text is wanted, or null");
  }

  void read_steps(const Member& steps, StoredTrace& trace) {
    if (!steps) return static_cast<void>(missing("", "steps"));
    if (steps->kind() != JsonValue::Kind::list || steps->holds_numbers())
      return static_cast<void>(other_kind("/steps", *steps, "a list of steps is wanted"));
    JsonKeys ids(text_);
    std::size_t index = 0;
    for (JsonWalk walk(*steps); walk.next(); ++index) {
      // Of faults that are only counted nobody asks where they are.
      const std::string where = faults.are_enough() ? "" : pointer("/steps", ListPlace{index});
      step_.clear();
      if (walk.value().kind() != JsonValue::Kind::object) {
        other_kind(where, walk.value(), "a step is an object");
        continue;
      }
      const auto [id, data, axes, shape] = members_called(walk.value(), {"id", "data", "axes", "shape"});
      step_ = id_of(id, where, ids);
      if (auto value = tensor(data, axes, shape, where)) trace.steps.push_back({step_, std::move(*value)});
    }
    report_repeated(*steps, ids);
  }

  std::string id_of(const Member& given, const std::string& where, JsonKeys& ids) {
    std::string id = text(given, where, "id");
    if (!given || given->kind() != JsonValue::Kind::text) return id;
    if (id.empty()) {
      fault_of(pointer(where, "id"), "is empty");
    } else {
      ids.add(given->spelling());
    }
    return id;
  }

  void report_repeated(const JsonValue& steps, JsonKeys& ids) {
    JsonWalk walk(steps);
    walk.next();
    std::size_t index = 0;
    for (const std::uint32_t repeated : ids.repeated()) {
      while (place_in(text_, walk.value().spelling()).end <= repeated) {
        walk.next();
        ++index;
      }
      if (faults.are_enough()) {
        faults.count_one_more();
        continue;
      }
      step_ = unescaped_json(ids.spelling_at(repeated));
      fault_of(pointer(pointer("/steps", ListPlace{index}), "id"), "is the id of a step before it, too");
    }
  }

  std::optional<Tensor<double>> tensor(const Member& data, const Member& axes, const Member& said,
                                       const std::string& where) {
    if (!data) return missing(where, "data");
    auto numbers = numbers_of(*data, pointer(where, "data"));
    if (!numbers) return std::nullopt;
    const auto sizes = numbers->shape();
    if (!sizes) return uneven(*numbers, pointer(where, "data"));
    const auto shape = shape_of(axes, where, *sizes);
    if (!shape || !is_said_so(said, where, *sizes)) return std::nullopt;
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

  std::optional<Shape> shape_of(const Member& axes, const std::string& where, const std::vector<std::size_t>& sizes) {
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
  bool is_said_so(const Member& said, const std::string& where, const std::vector<std::size_t>& sizes) {
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

  std::string_view text_;  // of the trace
  std::optional<Dtype> dtype_;
  std::string step_;  // the id of the one that is read
};

// Whether it says of itself that it is a trace, of whatever version.
bool is_trace(const JsonValue& root) {
  if (root.kind() != JsonValue::Kind::object) return false;
  const auto [stated, steps, inputs] = members_called(root, {"schema", "steps", "inputs"});
  const auto called = stated ? stated->text() : std::nullopt;
  return called ? called->starts_with("attn/trace/") : steps && !inputs;
}

Result<StoredTrace> read(const ParsedJson& parsed) {
  if (!parsed.faults.empty()) return parsed.faults;
  Reader reader;
  StoredTrace trace = reader.read(parsed.root);
  if (reader.faults.any()) return reader.faults.take();
  return trace;
}

}  // namespace

Result<StoredTrace> read_trace(std::string_view text) {
  const Result<ParsedJson> parsed = parse_json(text);
  if (!parsed) return parsed.faults();
  return read(parsed.value());
}

bool is_stored_trace(std::string_view text) {
  const Result<ParsedJson> parsed = parse_json(text);
  return parsed && is_trace(parsed.value().root);
}

std::optional<Result<StoredTrace>> read_if_trace(std::string_view text) {
  const Result<ParsedJson> parsed = parse_json(text);
  if (!parsed || !is_trace(parsed.value().root)) return std::nullopt;
  return read(parsed.value());
}

}  // namespace attn
