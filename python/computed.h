#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "explain/document.h"
#include "explain/telling/steps.h"
#include "explain/telling/why.h"
#include "files/tensor_file.h"
#include "given.h"
#include "trace/trace.h"

// What the commands of the program do, for who has a problem at hand: the same
// functions of the library, and results in memory. Nothing here knows Python.

namespace attn::python {

// Thrown where no step is called so, or several are.
struct NoSuchStep final : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown where a computation would take more memory than it may.
struct NoRoom final : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Where a problem is computed, and what of it.
struct Computing {
  std::string backend = "cpu";
  std::size_t threads = 0;  // 0: as many as there are processors
  std::size_t max_bytes = std::size_t{1} << 31;
  std::function<void()> before_step = [] {};  // may throw to stop
};

// A trace, and the problem that it is of.
struct Computed {
  std::shared_ptr<const GivenProblem> given;
  Trace trace;

  // The id of the step that somebody means by an id, a symbol or "result"; or NoSuchStep.
  std::string id_of(const std::string& name) const;

  // Whether it has all that it would have with these steps kept, or with `whole` all.
  bool holds(const std::vector<std::string>& kept, bool whole) const;
};

// Computes it. Steps are not left out for their size that are called by one of these
// names; none is with `whole`.
std::shared_ptr<const Computed> computed(std::shared_ptr<const GivenProblem> given, const Computing& computing,
                                         const std::vector<std::string>& kept, bool whole);

// How a format for people writes.
struct Looks {
  std::size_t width = 80;
  bool ascii = false, full = false;
};

// What a format for programs writes.
struct Exported {
  std::string bytes;
  bool is_text = true;
};

// Each throws std::invalid_argument where there is no such format.
bool is_for_people(const std::string& format);
std::string told_in(const Document& document, const std::string& format, const Looks& looks);
Exported exported(const Trace& trace, const std::string& format);

// How one number came about, or a whole step; as attn why says it.
// Throws NoRoom where that would take more bytes, about.
Document reason(const Computed& computed, const std::string& question, const WhyOptions& options,
                std::size_t max_bytes);

// Something that people and programs are told.
struct Told {
  Document document;
  std::string json;
};

// Answers as a file has them, or as if one did.
struct HandedAnswers {
  std::string text;
  std::string file;       // its ending says how it is read
  bool is_file = false;   // whether there is a text that people can be pointed into
  std::string step = {};  // what a table holds
};

// Marks them; as attn check does. `reveal`: none, cell, hint, value.
Told marked(const GivenProblem& given, const Computing& computing, const HandedAnswers& answers,
            const std::string& reveal, bool full);

// What a trace is compared with: arrays of another program, a file of tensors or a trace, another trace.
struct TensorPath {
  std::string path;
};
struct TraceText {
  std::string name, text;
};
using Other = std::variant<std::vector<FileTensor>, TensorPath, TraceText, std::shared_ptr<const Computed>>;

// Compares them; as attn diff does. `only`: these steps, by names or patterns; all where there are none.
Told difference(const Computed& ours, const Other& theirs, std::optional<double> relative,
                std::optional<double> absolute, const std::vector<std::string>& only, std::size_t max_bytes);

}  // namespace attn::python
