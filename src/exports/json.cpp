#include "exports/json.h"

#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/sink.h"
#include "explain/document.h"
#include "exports/export.h"
#include "exports/json_text.h"
#include "exports/numbers.h"

namespace attn {
namespace {

using Json = nlohmann::ordered_json;

void append_number(double value, NumberSpelling& spelling, std::string& text) {
  if (std::isfinite(value)) {
    spelling.append(value, text);
  } else {  // JSON has no spelling of infinities and NaN
    text += '"';
    spelling.append(value, text);
    text += '"';
  }
}

// Appends the cells from `at` on, along `axis` and those after it, as nested
// arrays, one innermost array a line; `at` moves past them.
void append_cells(const Tensor<double>& tensor, NumberSpelling& spelling, std::size_t axis, std::size_t& at,
                  Outgoing& out) {
  const Shape& shape = tensor.shape();
  if (axis == shape.rank()) {
    append_number(tensor[at++], spelling, out.text());
    return out.hand_over_if_enough();
  }
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

Json labels(const std::vector<std::vector<std::string>>& sequences, bool batched) {
  if (batched) return sequences;
  return sequences.empty() ? Json::array() : Json(sequences[0]);
}

// How far the numbers of a step are from exact ones; null of what is not known.
Json bound(const Step& step) {
  const Goodness since = goodness_of(step.result, step.bounds()->since);
  const Goodness own = goodness_of(step.result, step.bounds()->own);
  const auto absolute = [](const Goodness& good) { return good.unknown > 0 ? Json() : Json(good.absolute); };
  return {
      {"absolute", absolute(since)}, {"digits", since.is_exact ? Json() : Json(since.digits)}, {"own", absolute(own)}};
}

Json heading(const Trace& trace, const Step& step) {
  const Shape& shape = step.result.shape();
  const std::string part = part_title(trace, step);
  Json said = {{"id", step.heading.id},       {"symbol", dotted(part, step.heading.symbol.text())},
               {"title", step.heading.title}, {"formula", step.heading.formula.text()},
               {"axes", shape.axes()},        {"shape", shape.sizes()}};
  if (step.bounds()) said["bound"] = bound(step);
  return said;
}

// What is said before the notes.
std::string front(const Trace& trace) {
  const auto& rounding = trace.arithmetic.hand_rounding;
  const Json said = {
      {"schema", "attn/trace/1"},
      {"title", trace.title},
      {"statement", trace.statement},
      {"arithmetic",
       {{"dtype", name(trace.arithmetic.dtype)}, {"hand_rounding", rounding ? Json(to_string(*rounding)) : Json()}}},
      {"backend", trace.backend},
      {"labels",
       {{"query", labels(trace.labels.query, trace.batched)}, {"key", labels(trace.labels.key, trace.batched)}}},
      {"result", trace.result}};
  return members(said, "  ");
}

std::string line_of(const Note& note) {
  return "\n    " +
         spaced({{"step", note.step}, {"index", note.index}, {"kind", note.kind}, {"message", note.message}});
}

void write_json(const Trace& trace, Sink& sink) {
  Outgoing out(sink);
  out.text() = "{\n" + front(trace) + "  \"notes\": [";
  for (const Note& note : trace.notes) {
    if (&note != &trace.notes.front()) out.text() += ',';
    out.text() += line_of(note);
    out.hand_over_if_enough();
  }
  out.text() += trace.notes.empty() ? "],\n" : "\n  ],\n";
  out.text() += "  \"steps\": [";
  NumberSpelling spelling(trace.arithmetic.dtype);
  for (const Step& step : trace.steps) {
    out.text() += &step == &trace.steps.front() ? "\n    {\n" : ",\n    {\n";
    out.text() += members(heading(trace, step), "      ") + "      \"data\": ";
    std::size_t at = 0;
    append_cells(step.result, spelling, 0, at, out);
    out.text() += "\n    }";
    out.hand_over_if_enough();
  }
  out.text() += trace.steps.empty() ? "]\n}\n" : "\n  ]\n}\n";
  out.hand_over();
}

std::size_t expected_json(const Trace& trace) {
  constexpr double between = 2;  // numbers: a comma and a space
  auto bytes = static_cast<double>(front(trace).size());
  for (const Note& note : trace.notes) bytes += static_cast<double>(line_of(note).size());
  NumberSpelling spelling(trace.arithmetic.dtype);
  for (const Step& step : trace.steps) {
    const auto append = [&](double value, std::string& text) { append_number(value, spelling, text); };
    bytes += static_cast<double>(step.result.size()) * (usual_length(step.result.data(), append) + between);
  }
  return static_cast<std::size_t>(bytes);
}

}  // namespace

std::string trace_json(const Trace& trace) {
  StringSink sink;
  write_json(trace, sink);
  return sink.take();
}

Export json_export() {
  return {"json", ".json", "the trace, for programs (attn schema trace describes it)", write_json, expected_json};
}

}  // namespace attn
