#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "bench/results.h"

namespace attn {
namespace {

// Three digits, and the prefix that keeps them left of the point or near it.
std::string three_digits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string bytes_spelled(double bytes) {
  constexpr std::array<std::string_view, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : three_digits(bytes) + " " + std::string(units[unit]);
}

std::string fraction_spelled(double fraction) { return fmt::format("{:.{}f}", fraction, fraction < 0.0995 ? 3 : 2); }

// "0.71–0.75", the middle half of what was measured.
std::string quartiles(const Spread& spread) { return fmt::format("{:.2f}–{:.2f}", spread.lower, spread.upper); }

double rate(const ShapeMeasured& shape, double seconds) {
  return (shape.limit == Limit::memory ? shape.bytes : shape.operations) / seconds / 1e9;
}

std::string rate_spelled(const ShapeMeasured& shape, double seconds) {
  return three_digits(rate(shape, seconds)) + (shape.limit == Limit::memory ? " GB/s" : "");
}

// "12 layers of width 768 and 12 heads, feed-forward 3072, 32 tokens, 50257 logits."
std::string sizes_of(const Workload& work) {
  const ModelSizes& model = *work.model;
  std::string text = fmt::format("{} of width {} and {}", counted(model.layers, "layer"), work.model_width,
                                 counted(work.heads, "head"));
  if (model.hidden > 0) text += fmt::format(", feed-forward {}", model.hidden);
  text += ", " + (work.batch > 1 ? counted(work.batch, "sequence") + " of " : "") + counted(work.queries, "token");
  if (model.vocabulary > 0) text += ", " + counted(model.vocabulary, "logit");
  return text + ".";
}

using Texts = std::vector<std::string>;

// What stands where there is nothing to say.
const std::string nothing = "–";

class Teller {
 public:
  explicit Teller(const BenchReport& report) : report_(report) {}

  Document told() {
    headline(1, (is_of_model() ? "A model on " : "Attention on ") + report_.device);
    if (report_.shapes.empty()) return std::move(document_);
    times();
    for (const ShapeMeasured& shape : report_.shapes) {
      if (shape.kernels.size() > 1) ladder(shape);
    }
    memory_and_errors();
    if (!report_.libraries.empty()) compared();
    return std::move(document_);
  }

 private:
  void headline(int level, std::string text) { document_.blocks.emplace_back(Headline{level, {std::move(text)}}); }
  bool is_of_model() const { return !report_.shapes.empty() && report_.shapes.front().workload.model; }
  void prose(std::string text) { document_.blocks.emplace_back(Prose{{std::move(text)}}); }

  // A row for each of them.
  template <class Row, class Cells>
  void table_of_numbers(const Texts& header, const std::vector<Row>& rows, Cells cells) {
    const auto row_of = [](const Texts& texts) {
      std::vector<Inline> row;
      for (const std::string& text : texts) row.push_back({text});
      return row;
    };
    Table table{.caption = {}, .header = row_of(header), .rows = {}, .numbers = true};
    for (const Row& row : rows) table.rows.push_back(row_of(cells(row)));
    document_.blocks.emplace_back(std::move(table));
  }

  void times() {
    const Dtype dtype = report_.shapes.front().workload.dtype;
    headline(2, fmt::format("Time and speed, {}", name(dtype)));
    prose((is_of_model() ? sizes_of(report_.shapes.front().workload) : "batch×heads×queries×width.") +
          " GFLOP/s: of the median call. Of peak: the best call of the best peak; the median, "
          "and the middle half, of what calls reached of the peak measured just before and after them.");
    table_of_numbers({"shape", "median", "best", "GFLOP/s", "best", "median", "middle half"}, report_.shapes,
                     [](const ShapeMeasured& shape) {
                       const KernelMeasured& kernel = shape.kernels.back();
                       const bool of_peak = shape.limit != Limit::calling;
                       return Texts{spelled(shape.workload),
                                    spelled_seconds(kernel.seconds.median),
                                    spelled_seconds(kernel.seconds.least),
                                    rate_spelled(shape, kernel.seconds.median),
                                    of_peak ? fraction_spelled(kernel.best_fraction) : nothing,
                                    of_peak ? fraction_spelled(kernel.fraction.median) : nothing,
                                    of_peak ? quartiles(kernel.fraction) : nothing};
                     });
    prose(peaks());
  }

  // "Peaks: 298 GFLOP/s at best (median 291, …)"
  std::string peaks() const {
    double arithmetic = 0, memory = 0, lowest = 0;
    for (const ShapeMeasured& shape : report_.shapes) {
      double& best = shape.limit == Limit::memory ? memory : arithmetic;
      best = std::max(best, shape.roof.most);
      if (shape.limit != Limit::memory) lowest = lowest > 0 ? std::min(lowest, shape.roof.median) : shape.roof.median;
    }
    std::string text;
    if (arithmetic > 0) {
      text += fmt::format("Peak of multiplying and adding: {} GFLOP/s at best, {} in the median of the slowest shape.",
                          three_digits(arithmetic / 1e9), three_digits(lowest / 1e9));
    }
    if (memory > 0) {
      text += fmt::format("{}Reading memory: {} GB/s at best.", text.empty() ? "" : " ", three_digits(memory / 1e9));
    }
    return text;
  }

  // Steps are of the best calls, which other programs disturbed least.
  void ladder(const ShapeMeasured& shape) {
    headline(2, "The ladder at " + spelled(shape.workload));
    const double first = shape.kernels.front().seconds.least;
    double before = first;
    table_of_numbers(
        {"kernel", "median", shape.limit == Limit::memory ? "GB/s" : "GFLOP/s", "of peak", "step", "in all", "memory"},
        shape.kernels, [&](const KernelMeasured& kernel) {
          const double now = kernel.seconds.least;
          return Texts{kernel.kernel,
                       spelled_seconds(kernel.seconds.median),
                       three_digits(rate(shape, kernel.seconds.median)),
                       fraction_spelled(kernel.best_fraction),
                       three_digits(std::exchange(before, now) / now) + "×",
                       three_digits(first / now) + "×",
                       bytes_spelled(static_cast<double>(kernel.working_memory))};
        });
  }

  void memory_and_errors() {
    headline(2, "Memory and errors");
    prose(is_of_model() ? "Beyond: memory that a call takes besides what is given. Error: the largest, of the largest "
                          "number of the result, against the steps in double precision; beside it that of the steps "
                          "in this dtype."
                        : "Beyond: memory that a call takes besides inputs and outputs. Error: the largest, on rows "
                          "drawn from the result, against attention in double precision; beside it that of plain "
                          "operations of the same dtype.");
    table_of_numbers({"shape", is_of_model() ? "given" : "in and out", "beyond", "process", "error", "plain", "ratio"},
                     report_.shapes, [](const ShapeMeasured& shape) {
                       const KernelMeasured& kernel = shape.kernels.back();
                       const MeasurableRun::Error& error = kernel.error;
                       return Texts{spelled(shape.workload),
                                    bytes_spelled(shape.bytes),
                                    bytes_spelled(static_cast<double>(kernel.working_memory)),
                                    bytes_spelled(static_cast<double>(shape.peak_memory)),
                                    fmt::format("{:.1e}", error.kernel),
                                    fmt::format("{:.1e}", error.plain),
                                    error.plain > 0 ? three_digits(error.kernel / error.plain) : nothing};
                     });
  }

  void compared() {
    headline(2, "Beside other libraries");
    prose(
        "Times as much as ours takes: the median of neighbouring calls, and the best call of theirs over the best of "
        "ours. Above 1 ours is faster.");
    std::string versions;
    for (const PeerLibrary& library : report_.libraries) {
      if (library.missing.empty()) {
        versions += (versions.empty() ? "" : "; ") + library.name + " " + library.version;
      } else {
        document_.blocks.emplace_back(Remark{{library.name + " is not installed here (" + library.missing + ")."}});
      }
    }
    for (const ShapeMeasured& shape : report_.shapes) peers(shape);
    if (!versions.empty()) prose(versions + ".");
  }

  void peers(const ShapeMeasured& shape) {
    const auto row = [](const std::string& who, const Spread& seconds, std::string ratio, std::string of_bests) {
      return Texts{who, spelled_seconds(seconds.median), spelled_seconds(seconds.least), std::move(ratio),
                   std::move(of_bests)};
    };
    std::vector<Texts> rows = {row("attn", shape.kernels.back().seconds, "1", "1")};
    std::string left_out;
    for (const PeerMeasured& peer : shape.peers) {
      if (peer.left_out.empty()) {
        rows.push_back(row(peer.peer, peer.seconds, three_digits(peer.ratio.median), three_digits(peer.best_ratio)));
      } else {
        left_out += (left_out.empty() ? "" : "; ") + peer.peer + ": " + peer.left_out;
      }
    }
    table_of_numbers({spelled(shape.workload), "median", "best", "ratio", "of bests"}, rows, std::identity());
    if (!left_out.empty()) prose("Left out: " + left_out + ".");
  }

  const BenchReport& report_;
  Document document_;
};

}  // namespace

std::string spelled_seconds(double seconds) {
  constexpr std::array<std::string_view, 4> units = {"s", "ms", "µs", "ns"};
  std::size_t unit = 0;
  while (seconds < 0.9995 && unit + 1 < units.size()) {
    seconds *= 1000;
    ++unit;
  }
  return three_digits(seconds) + " " + std::string(units[unit]);
}

Document told_benchmark(const BenchReport& report) { return Teller(report).told(); }

Document told_kernels(const BenchReport& report) {
  Document document;
  document.blocks.emplace_back(Headline{1, {"Kernels on " + report.device}});
  document.blocks.emplace_back(Prose{{"Slowest first; a run uses the last that can do what it asks for."}});
  Table table;
  for (const MeasurableKernel& kernel : report.ladder) table.rows.push_back({{kernel.name}, {kernel.summary}});
  document.blocks.emplace_back(std::move(table));
  return document;
}

}  // namespace attn
