#include "exports/json.h"

#include <cmath>
#include <span>

#include <nlohmann/json.hpp>

#include "base/numbers.h"
#include "exports/export.h"

namespace attn {
namespace {

// Text as a JSON string; bytes that are not UTF-8 become U+FFFD.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <class List, class Write>
std::string joined(const List& list, Write write) {
  std::string text;
  for (const auto& item : list) {
    if (!text.empty()) text += ", ";
    text += write(item);
  }
  return "[" + text + "]";
}

std::string number(double value, Dtype dtype) {
  const std::string digits = shortest(value, dtype);
  // JSON has no spelling of these.
  return std::isfinite(value) ? digits : "\"" + digits + "\"";
}

// Appends the cells from `at` on, along `axis` and those after it, as nested
// arrays, one innermost array a line; `at` moves past them.
void append_cells(const Tensor<double>& tensor, Dtype dtype, std::size_t axis, std::size_t& at, std::string& out) {
  const Shape& shape = tensor.shape();
  if (axis == shape.rank()) {
    out += number(tensor[at++], dtype);
    return;
  }
  const bool row = axis + 1 == shape.rank();
  const std::string line = row ? "" : "\n" + std::string(8 + 2 * axis, ' ');
  out += '[';
  for (std::size_t i = 0; i < shape[axis].size; ++i) {
    if (i > 0) out += row ? ", " : ",";
    out += line;
    append_cells(tensor, dtype, axis + 1, at, out);
  }
  if (!row) out += "\n" + std::string(6 + 2 * axis, ' ');
  out += ']';
}

std::string labels(const std::vector<std::vector<std::string>>& sequences, bool batched) {
  const auto list = [](const std::vector<std::string>& names) { return joined(names, quoted); };
  if (!batched) return sequences.empty() ? "[]" : list(sequences[0]);
  return joined(sequences, list);
}

std::string note_json(const Note& note) {
  return "{\"step\": " + quoted(note.step) +
         ", \"index\": " + joined(note.index, [](std::size_t i) { return std::to_string(i); }) +
         ", \"kind\": " + quoted(note.kind) + ", \"message\": " + quoted(note.message) + "}";
}

void append_step(const Step& step, Dtype dtype, std::string& out) {
  const Heading& heading = step.heading;
  const auto& dims = step.result.shape().dims();
  out += "    {\n";
  out += "      \"id\": " + quoted(heading.id) + ",\n";
  out += "      \"symbol\": " + quoted(heading.symbol) + ",\n";
  out += "      \"title\": " + quoted(heading.title) + ",\n";
  out += "      \"formula\": " + quoted(heading.formula) + ",\n";
  out += "      \"axes\": " + joined(dims, [](const Dim& dim) { return quoted(dim.axis); }) + ",\n";
  out += "      \"shape\": " + joined(dims, [](const Dim& dim) { return std::to_string(dim.size); }) + ",\n";
  out += "      \"data\": ";
  std::size_t at = 0;
  append_cells(step.result, dtype, 0, at, out);
  out += "\n    }";
}

// Appends the items, one a line or more, as the value of a member of the outermost object.
template <class List, class Append>
void append_lines(const List& list, Append append, std::string& out) {
  out += '[';
  const char* before = "\n";
  for (const auto& item : list) {
    out += before;
    append(item);
    before = ",\n";
  }
  out += list.empty() ? "]" : "\n  ]";
}

}  // namespace

std::string trace_json(const Trace& trace) {
  const Arithmetic& arithmetic = trace.arithmetic;
  const std::string rounding = arithmetic.hand_rounding ? quoted(to_string(*arithmetic.hand_rounding)) : "null";

  std::string text = "{\n  \"schema\": \"attn/trace/1\",\n";
  text += "  \"title\": " + quoted(trace.title) + ",\n";
  text += "  \"statement\": " + quoted(trace.statement) + ",\n";
  text += "  \"arithmetic\": {\"dtype\": " + quoted(std::string(name(arithmetic.dtype))) +
          ", \"hand_rounding\": " + rounding + "},\n";
  text += "  \"backend\": " + quoted(trace.backend) + ",\n";
  text += "  \"labels\": {\"query\": " + labels(trace.labels.query, trace.batched) +
          ", \"key\": " + labels(trace.labels.key, trace.batched) + "},\n";
  text += "  \"result\": " + quoted(trace.result) + ",\n";
  text += "  \"notes\": ";
  append_lines(
      trace.notes, [&](const Note& note) { text += "    " + note_json(note); }, text);
  text += ",\n  \"steps\": ";
  append_lines(
      trace.steps, [&](const Step& step) { append_step(step, arithmetic.dtype, text); }, text);
  text += "\n}\n";
  return text;
}

Export json_export() {
  return {.name = "json",
          .ending = ".json",
          .summary = "the trace, for programs (attn schema trace describes it)",
          .write = trace_json};
}

}  // namespace attn
