#include "exports/json.h"

#include <cmath>

#include "exports/export.h"
#include "exports/json_text.h"
#include "exports/spelling.h"

namespace attn {
namespace {

template <class List, class Write>
std::string joined(const List& list, Write write) {
  std::string text;
  for (const auto& item : list) {
    if (!text.empty()) text += ", ";
    text += write(item);
  }
  return "[" + text + "]";
}

void append_number(double value, NumberSpelling& spelling, Outgoing& out) {
  std::string& text = out.text();
  if (std::isfinite(value)) {
    spelling.append(value, text);
  } else {  // JSON has no spelling of infinities and NaN
    text += '"';
    spelling.append(value, text);
    text += '"';
  }
  out.hand_over_if_enough();
}

// Appends the cells from `at` on, along `axis` and those after it, as nested
// arrays, one innermost array a line; `at` moves past them.
void append_cells(const Tensor<double>& tensor, NumberSpelling& spelling, std::size_t axis, std::size_t& at,
                  Outgoing& out) {
  const Shape& shape = tensor.shape();
  if (axis == shape.rank()) return append_number(tensor[at++], spelling, out);
  const bool row = axis + 1 == shape.rank();
  const std::string line = row ? "" : "\n" + std::string(8 + 2 * axis, ' ');
  const std::string next = row ? ", " : "," + line;
  out.text() += '[';
  for (std::size_t i = 0; i < shape[axis].size; ++i) {
    out.text() += i > 0 ? next : line;
    append_cells(tensor, spelling, axis + 1, at, out);
  }
  if (!row) out.text() += "\n" + std::string(6 + 2 * axis, ' ');
  out.text() += ']';
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

void append_step(const Step& step, NumberSpelling& spelling, Outgoing& out) {
  const Heading& heading = step.heading;
  const auto& dims = step.result.shape().dims();
  std::string& text = out.text();
  text += "    {\n";
  text += "      \"id\": " + quoted(heading.id) + ",\n";
  text += "      \"symbol\": " + quoted(heading.symbol.text()) + ",\n";
  text += "      \"title\": " + quoted(heading.title) + ",\n";
  text += "      \"formula\": " + quoted(heading.formula.text()) + ",\n";
  text += "      \"axes\": " + joined(dims, [](const Dim& dim) { return quoted(dim.axis); }) + ",\n";
  text += "      \"shape\": " + joined(dims, [](const Dim& dim) { return std::to_string(dim.size); }) + ",\n";
  text += "      \"data\": ";
  std::size_t at = 0;
  append_cells(step.result, spelling, 0, at, out);
  text += "\n    }";
}

// Appends the items, one a line or more, as the value of a member of the outermost object.
template <class List, class Append>
void append_lines(const List& list, Append append, Outgoing& out) {
  out.text() += '[';
  const char* before = "\n";
  for (const auto& item : list) {
    out.text() += before;
    append(item);
    out.hand_over_if_enough();
    before = ",\n";
  }
  out.text() += list.empty() ? "]" : "\n  ]";
}

}  // namespace

void write_json(const Trace& trace, Sink& sink) {
  const Arithmetic& arithmetic = trace.arithmetic;
  const std::string rounding = arithmetic.hand_rounding ? quoted(to_string(*arithmetic.hand_rounding)) : "null";

  Outgoing out(sink);
  std::string& text = out.text();
  text = "{\n  \"schema\": \"attn/trace/1\",\n";
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
      trace.notes, [&](const Note& note) { text += "    " + note_json(note); }, out);
  text += ",\n  \"steps\": ";
  NumberSpelling spelling(arithmetic.dtype);
  append_lines(
      trace.steps, [&](const Step& step) { append_step(step, spelling, out); }, out);
  text += "\n}\n";
  out.hand_over();
}

std::string trace_json(const Trace& trace) {
  StringSink sink;
  write_json(trace, sink);
  return sink.take();
}

Export json_export() {
  return {.name = "json",
          .ending = ".json",
          .summary = "the trace, for programs (attn schema trace describes it)",
          .write = write_json};
}

}  // namespace attn
