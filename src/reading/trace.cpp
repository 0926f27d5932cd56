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
      fault("", "a trace is an object, this is " + in_words(root));
      return trace;
    }
    if (text(*members, "", "schema") != schema && !faults.any()) {
      fault("/schema", "the schema is not \"" + std::string(schema) + "\"");
    }
    trace.statement = text(*members, "", "statement");
    trace.result = text(*members, "", "result");
    read_arithmetic(*members, trace);
    dtype_ = dtype_named(trace.dtype);
    read_steps(*members, trace);
    return trace;
  }

  Faults faults;

 private:
  void fault(std::string where, std::string message) {
    faults.add("not-a-trace", std::move(where), std::move(message),
               "attn golden --update writes the golden anew; attn schema trace says what a trace file holds");
  }

  std::string text(const JsonObject& members, const std::string& parent, std::string_view key) {
    const auto value = members.find(key);
    if (!value) {
      fault(parent, "there is no \"" + std::string(key) + "\"");
      return "";
    }
    if (auto found = value->text()) return *found;
    fault(pointer(parent, key), "a text is wanted here, this is " + in_words(*value));
    return "";
  }

  void read_arithmetic(const JsonObject& members, StoredTrace& trace) {
    const auto value = members.find("arithmetic");
    const auto arithmetic = value ? value->object() : std::nullopt;
    if (!arithmetic) return fault(value ? "/arithmetic" : "", "there is no object \"arithmetic\"");
    trace.dtype = text(*arithmetic, "/arithmetic", "dtype");
    if (const auto rounding = arithmetic->find("hand_rounding")) trace.hand_rounding = rounding->text();
  }

  void read_steps(const JsonObject& members, StoredTrace& trace) {
    const auto steps = members.find("steps");
    const auto list = steps ? steps->list() : std::nullopt;
    if (!list) return fault(steps ? "/steps" : "", "there is no list \"steps\"");
    std::set<std::string> ids;
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string where = pointer("/steps", ListPlace{i});
      const auto step = (*list)[i].object();
      if (!step) {
        fault(where, "a step is an object, this is " + in_words((*list)[i]));
        continue;
      }
      const std::string id = text(*step, where, "id");
      if (!id.empty() && !ids.insert(id).second)
        fault(pointer(where, "id"), "the step " + shown(id) + " is there twice");
      if (auto value = tensor(*step, where)) trace.steps.push_back({id, std::move(*value)});
    }
  }

  std::optional<Tensor<double>> tensor(const JsonObject& step, const std::string& where) {
    const auto data = step.find("data");
    auto numbers = data ? data->numbers() : std::nullopt;
    if (!numbers || numbers->odd || numbers->first_boolean) {
      fault(data ? pointer(where, "data") : where, "\"data\" holds no lists of numbers");
      return std::nullopt;
    }
    const auto sizes = numbers->numbers.shape();
    if (!sizes) {
      fault(pointer(where, "data"), "the rows of \"data\" are not of one size");
      return std::nullopt;
    }
    const auto shape = shape_of(step, where, *sizes);
    if (!shape || !is_said_so(step, where, *sizes)) return std::nullopt;
    std::vector<double> values = numbers->numbers.take_values();
    // The fewest digits of a float are those of another double.
    if (dtype_) {
      for (double& number : values) number = stored(number, *dtype_);
    }
    return Tensor<double>(*shape, std::move(values));
  }

  std::optional<Shape> shape_of(const JsonObject& step, const std::string& where,
                                const std::vector<std::size_t>& sizes) {
    const auto axes = step.find("axes");
    const auto names = axes ? axes->list() : std::nullopt;
    if (!names || names->size() != sizes.size()) {
      fault(axes ? pointer(where, "axes") : where, "\"axes\" does not name each axis of \"data\"");
      return std::nullopt;
    }
    Shape shape;
    for (std::size_t axis = 0; axis < names->size(); ++axis) {
      const auto name = (*names)[axis].text();
      if (!name || shape.has(*name)) {
        fault(pointer(where, "axes"), "\"axes\" is no list of different names");
        return std::nullopt;
      }
      shape.append({*name, sizes[axis]});
    }
    return shape;
  }

  // Whether "shape", where there is one, has the sizes of "data".
  bool is_said_so(const JsonObject& step, const std::string& where, const std::vector<std::size_t>& sizes) {
    const auto said = step.find("shape");
    if (!said) return true;
    const auto numbers = said->numbers();
    const auto is_same = [](double one, std::size_t size) { return one == static_cast<double>(size); };
    if (numbers && !numbers->odd && numbers->numbers.rank() == 1 &&
        std::ranges::equal(numbers->numbers.values(), sizes, is_same)) {
      return true;
    }
    fault(pointer(where, "shape"), "\"data\" is " + spelled_sizes(sizes) + ", and \"shape\" says otherwise");
    return false;
  }

  std::optional<Dtype> dtype_;
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
  const auto schema = root ? root->find("schema") : std::nullopt;
  return schema && schema->text().value_or("").starts_with("attn/trace/");
}

}  // namespace attn
