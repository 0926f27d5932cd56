#include <nlohmann/json.hpp>

#include "bench/results.h"
#include "exports/json_text.h"
#include "tensor/dtype.h"

namespace attn {
namespace {

using Json = nlohmann::ordered_json;

Json written(const Spread& spread) {
  return {{"count", spread.count},   {"least", spread.least},          {"lower_quartile", spread.lower},
          {"median", spread.median}, {"upper_quartile", spread.upper}, {"most", spread.most}};
}

Json written(const ModelSizes& model) {
  return {{"name", model.name},
          {"layers", model.layers},
          {"hidden", model.hidden},
          {"vocabulary", model.vocabulary},
          {"norm", model.norm},
          {"norm_first", model.norm_first},
          {"activation", model.activation},
          {"numbers", model.numbers}};
}

Json written(const Workload& work) {
  return {{"batch", work.batch},
          {"heads", work.heads},
          {"kv_heads", work.kv_heads},
          {"queries", work.queries},
          {"keys", work.keys},
          {"width", work.key_width},
          {"value_width", work.value_width},
          {"model_width", work.model_width},
          {"causal", work.causal},
          {"dtype", name(work.dtype)},
          {"model", work.model ? written(*work.model) : Json()}};
}

std::string_view written(Limit limit) {
  constexpr std::string_view words[] = {"arithmetic", "memory", "calling"};
  return words[static_cast<std::size_t>(limit)];
}

Json written(const KernelMeasured& kernel) {
  return {{"kernel", kernel.kernel},
          {"seconds", written(kernel.seconds)},
          {"of_peak", written(kernel.fraction)},
          {"best_of_peak", kernel.best_fraction},
          {"working_memory", kernel.working_memory},
          {"error",
           {{"kernel", kernel.error.kernel},
            {"plain", kernel.error.plain},
            {"of_bound", kernel.error.of_bound ? Json(*kernel.error.of_bound) : Json()}}}};
}

Json written(const PeerMeasured& peer) {
  if (!peer.left_out.empty()) return {{"peer", peer.peer}, {"left_out", peer.left_out}};
  return {{"peer", peer.peer},
          {"seconds", written(peer.seconds)},
          {"ratio", written(peer.ratio)},
          {"best_ratio", peer.best_ratio}};
}

Json written(const ShapeMeasured& shape) {
  Json object = {{"name", spelled(shape.workload)},
                 {"workload", written(shape.workload)},
                 {"limit", written(shape.limit)},
                 {"operations", shape.operations},
                 {"bytes", shape.bytes},
                 {"peak", written(shape.roof)},
                 {"peak_memory", shape.peak_memory},
                 {"kernels", Json::array()},
                 {"peers", Json::array()}};
  for (const KernelMeasured& kernel : shape.kernels) object["kernels"].push_back(written(kernel));
  for (const PeerMeasured& peer : shape.peers) object["peers"].push_back(written(peer));
  return object;
}

Json written(const PeerLibrary& library) {
  if (!library.missing.empty()) return {{"name", library.name}, {"missing", library.missing}};
  return {{"name", library.name}, {"version", library.version}};
}

}  // namespace

std::string benchmark_json(const BenchReport& report) {
  Json object = {{"schema", "attn/bench/1"}, {"backend", report.backend}, {"device", report.device},
                 {"ladder", Json::array()},  {"shapes", Json::array()},   {"libraries", Json::array()}};
  for (const MeasurableKernel& kernel : report.ladder) {
    object["ladder"].push_back({{"name", kernel.name}, {"summary", kernel.summary}});
  }
  for (const ShapeMeasured& shape : report.shapes) object["shapes"].push_back(written(shape));
  for (const PeerLibrary& library : report.libraries) object["libraries"].push_back(written(library));
  return indented(object);
}

}  // namespace attn
