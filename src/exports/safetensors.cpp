#include <string>

#include <nlohmann/json.hpp>

#include "exports/export.h"
#include "exports/json_text.h"
#include "exports/numbers.h"
#include "trace/trace.h"

namespace attn {
namespace {

using Json = nlohmann::ordered_json;

// What the numbers alone do not say. The format knows texts only, so axes are
// JSON once more: {"scores": ["query", "key"], …}.
Json metadata(const Trace& trace) {
  Json axes = Json::object();
  for (const Step& step : trace.steps) axes[step.heading.id] = step.result.shape().axes();
  Json words = {{"schema", "attn/trace/1"},     {"title", trace.title},
                {"statement", trace.statement}, {"dtype", std::string(name(trace.arithmetic.dtype))},
                {"backend", trace.backend},     {"result", trace.result},
                {"axes", compact(axes)}};
  if (trace.arithmetic.hand_rounding) words["hand_rounding"] = to_string(*trace.arithmetic.hand_rounding);
  return words;
}

void write_safetensors(const Trace& trace, Sink& sink) {
  constexpr std::string_view words[] = {"F64", "F32", "BF16", "F16"};
  const Dtype dtype = trace.arithmetic.dtype;
  Json header = {{"__metadata__", metadata(trace)}};
  std::size_t end = 0;
  for (const Step& step : trace.steps) {
    const std::size_t begin = end;
    end += step.result.size() * bytes_of(dtype);
    header[step.heading.id] = {{"dtype", std::string(words[static_cast<std::size_t>(dtype)])},
                               {"shape", step.result.shape().sizes()},
                               {"data_offsets", {begin, end}}};
  }
  std::string json = compact(header);
  json.append((8 - json.size() % 8) % 8, ' ');

  Outgoing out(sink);
  out.text() = in_bytes(json.size(), 8) + json;
  for (const Step& step : trace.steps) write_stored(step.result.data(), dtype, out);
  out.hand_over();
}

}  // namespace

Export safetensors_export() {
  return {.name = "safetensors",
          .ending = ".safetensors",
          .summary = "every step under its id, with its axes, in the arithmetic's own dtype",
          .write = write_safetensors,
          .expected_bytes = [](const Trace& trace) { return bytes_stored(trace, trace.arithmetic.dtype); },
          .is_text = false};
}

}  // namespace attn
