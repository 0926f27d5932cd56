#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/core.h>

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

// A row of a table of numbers.
std::vector<Inline> cells(const std::vector<std::string>& texts) {
  std::vector<Inline> row;
  for (const std::string& text : texts) row.push_back({text});
  return row;
}

Table table_of_numbers(const std::vector<std::string>& header) {
  return {.caption = {}, .header = cells(header), .rows = {}, .numbers = true};
}

class Teller {
 public:
  explicit Teller(const BenchReport& report) : report_(report) {}

  Document told() {
    headline(1, "Attention on " + report_.device);
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
  void prose(std::string text) { document_.blocks.emplace_back(Prose{{std::move(text)}}); }

  void times() {
    const Dtype dtype = report_.shapes.front().workload.dtype;
    headline(2, fmt::format("Time and speed, {}", name(dtype)));
    prose(
        "batch×heads×queries×width. GFLOP/s: of the median call. Of peak: the best call of the best peak; the median, "
        "and the middle half, of what calls reached of the peak measured just before and after them.");
    Table table = table_of_numbers({"shape", "median", "best", "GFLOP/s", "best", "median", "middle half"});
    for (const ShapeMeasured& shape : report_.shapes) {
      const KernelMeasured& kernel = shape.kernels.back();
      std::vector<std::string> row = {spelled(shape.workload), spelled_seconds(kernel.seconds.median),
                                      spelled_seconds(kernel.seconds.least),
                                      rate_spelled(shape, kernel.seconds.median)};
      if (shape.limit == Limit::calling) {
        row.insert(row.end(), {"–", "–", "–"});
      } else {
        row.insert(row.end(), {fraction_spelled(kernel.best_fraction), fraction_spelled(kernel.fraction.median),
                               quartiles(kernel.fraction)});
      }
      table.rows.push_back(cells(row));
    }
    document_.blocks.emplace_back(std::move(table));
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
    Table table = table_of_numbers(
        {"kernel", "median", shape.limit == Limit::memory ? "GB/s" : "GFLOP/s", "of peak", "step", "in all", "memory"});
    const double first = shape.kernels.front().seconds.least;
    double before = first;
    for (const KernelMeasured& kernel : shape.kernels) {
      const double now = kernel.seconds.least;
      table.rows.push_back(cells(
          {kernel.kernel, spelled_seconds(kernel.seconds.median), three_digits(rate(shape, kernel.seconds.median)),
           fraction_spelled(kernel.best_fraction), three_digits(before / now) + "×", three_digits(first / now) + "×",
           bytes_spelled(static_cast<double>(kernel.working_memory))}));
      before = now;
    }
    document_.blocks.emplace_back(std::move(table));
  }

  void memory_and_errors() {
    headline(2, "Memory and errors");
    prose(
        "Beyond: memory that a call takes besides inputs and outputs. Error: the largest, on rows drawn from the "
        "result, against attention in double precision; beside it that of plain operations of the same dtype.");
    Table table = table_of_numbers({"shape", "in and out", "beyond", "process", "error", "plain", "ratio"});
    for (const ShapeMeasured& shape : report_.shapes) {
      const KernelMeasured& kernel = shape.kernels.back();
      std::vector<std::string> row = {spelled(shape.workload), bytes_spelled(shape.bytes),
                                      bytes_spelled(static_cast<double>(kernel.working_memory)),
                                      bytes_spelled(static_cast<double>(shape.peak_memory))};
      if (kernel.error) {
        row.insert(row.end(),
                   {fmt::format("{:.1e}", kernel.error->kernel), fmt::format("{:.1e}", kernel.error->plain),
                    kernel.error->plain > 0 ? three_digits(kernel.error->kernel / kernel.error->plain) : "–"});
      } else {
        row.insert(row.end(), {"–", "–", "–"});
      }
      table.rows.push_back(cells(row));
    }
    document_.blocks.emplace_back(std::move(table));
  }

  void compared() {
    headline(2, "Beside other libraries");
    prose(
        "Times as much as ours takes: the median of neighbouring calls, and the best call of theirs over the best of "
        "ours. Above 1 ours is faster.");
    for (const PeerLibrary& library : report_.libraries) {
      if (library.missing.empty()) continue;
      document_.blocks.emplace_back(Remark{{library.name + " is not installed here (" + library.missing + ")."}});
    }
    for (const ShapeMeasured& shape : report_.shapes) peers(shape);
    std::string versions;
    for (const PeerLibrary& library : report_.libraries) {
      if (!library.missing.empty()) continue;
      versions += (versions.empty() ? "" : "; ") + library.name + " " + library.version;
    }
    if (!versions.empty()) prose(versions + ".");
  }

  void peers(const ShapeMeasured& shape) {
    Table table = table_of_numbers({spelled(shape.workload), "median", "best", "ratio", "of bests"});
    const Spread& ours = shape.kernels.back().seconds;
    table.rows.push_back(cells({"attn", spelled_seconds(ours.median), spelled_seconds(ours.least), "1", "1"}));
    std::string left_out;
    for (const PeerMeasured& peer : shape.peers) {
      if (peer.left_out.empty()) {
        table.rows.push_back(
            cells({peer.peer, spelled_seconds(peer.seconds.median), spelled_seconds(peer.seconds.least),
                   three_digits(peer.ratio.median), three_digits(peer.best_ratio)}));
      } else {
        left_out += (left_out.empty() ? "" : "; ") + peer.peer + ": " + peer.left_out;
      }
    }
    document_.blocks.emplace_back(std::move(table));
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
