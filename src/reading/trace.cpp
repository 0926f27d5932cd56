#include "reading/trace.h"

#include <optional>
#include <string>
#include <utility>

#include "reading/json/json.h"

namespace attn {
namespace {

constexpr std::string_view schema = "attn/trace/1";

Diagnostic fault(std::string where, std::string message) {
  return {.code = "not-a-trace",
          .where = std::move(where),
          .message = std::move(message),
          .help = "attn golden --update writes the golden anew; attn schema trace says what a trace file holds"};
}

// What is gathered while a file is read: faults, with where they stand.
class Reader {
 public:
  StoredTrace read(JsonValue& root) {
    StoredTrace trace;
    JsonObject* members = root.object();
    if (!members) {
      faults.push_back(fault("", "a trace is an object, this is " + in_words(root)));
      return trace;
    }
    if (text(*members, "", "schema") != schema && faults.empty()) {
      faults.push_back(fault("/schema", "the schema is not \"" + std::string(schema) + "\""));
    }
    trace.statement = text(*members, "", "statement");
    trace.result = text(*members, "", "result");
    read_arithmetic(*members, trace);
    dtype_ = dtype_named(trace.dtype);
    read_steps(*members, trace);
    return trace;
  }

  Diagnostics faults;

 private:
  static JsonValue* find(JsonObject& members, std::string_view key) {
    return const_cast<JsonValue*>(std::as_const(members).find(key));
  }

  std::string text(const JsonObject& members, std::string_view parent, std::string_view key) {
    const JsonValue* value = members.find(key);
    if (!value) {
      faults.push_back(fault(std::string(parent), "there is no \"" + std::string(key) + "\""));
      return "";
    }
    if (const std::string* found = value->text()) return *found;
    faults.push_back(fault(pointer(parent, key), "a text is wanted here, this is " + in_words(*value)));
    return "";
  }

  void read_arithmetic(const JsonObject& members, StoredTrace& trace) {
    const JsonValue* arithmetic = members.find("arithmetic");
    if (!arithmetic || !arithmetic->object()) {
      faults.push_back(fault(arithmetic ? "/arithmetic" : "", "there is no object \"arithmetic\""));
      return;
    }
    trace.dtype = text(*arithmetic->object(), "/arithmetic", "dtype");
    const JsonValue* rounding = arithmetic->object()->find("hand_rounding");
    if (rounding && rounding->text()) trace.hand_rounding = *rounding->text();
  }

  void read_steps(JsonObject& members, StoredTrace& trace) {
    JsonValue* steps = find(members, "steps");
    JsonList* list = steps ? std::get_if<JsonList>(&steps->held) : nullptr;
    if (!list) {
      faults.push_back(fault(steps ? "/steps" : "", "there is no list \"steps\""));
      return;
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string where = pointer("/steps", std::to_string(i));
      JsonObject* step = (*list)[i].object();
      if (!step) {
        faults.push_back(fault(where, "a step is an object, this is " + in_words((*list)[i])));
        continue;
      }
      const std::string id = text(*step, where, "id");
      if (auto value = tensor(*step, where)) trace.steps.push_back({id, std::move(*value)});
    }
  }

  std::optional<Tensor<double>> tensor(JsonObject& step, const std::string& where) {
    JsonValue* data = find(step, "data");
    JsonNumbers* numbers = data ? data->numbers() : nullptr;
    if (!numbers || numbers->odd || numbers->first_boolean) {
      faults.push_back(fault(data ? pointer(where, "data") : where, "\"data\" holds no lists of numbers"));
      return std::nullopt;
    }
    const auto sizes = numbers->numbers.shape();
    if (!sizes) {
      faults.push_back(fault(pointer(where, "data"), "the rows of \"data\" are not of one size"));
      return std::nullopt;
    }
    const JsonValue* axes = step.find("axes");
    const JsonList* names = axes ? axes->list() : nullptr;
    if (!names || names->size() != sizes->size()) {
      faults.push_back(fault(axes ? pointer(where, "axes") : where, "\"axes\" does not name each axis of \"data\""));
      return std::nullopt;
    }
    Shape shape;
    for (std::size_t axis = 0; axis < names->size(); ++axis) {
      const std::string* name = (*names)[axis].text();
      if (!name || shape.has(*name)) {
        faults.push_back(fault(pointer(where, "axes"), "\"axes\" is no list of different names"));
        return std::nullopt;
      }
      shape.append({*name, (*sizes)[axis]});
    }
    std::vector<double> values = numbers->numbers.take_values();
    // The fewest digits of a float are those of another double.
    if (dtype_) {
      for (double& number : values) number = stored(number, *dtype_);
    }
    return Tensor<double>(std::move(shape), std::move(values));
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
  if (!reader.faults.empty()) return reader.faults;
  return trace;
}

}  // namespace attn
