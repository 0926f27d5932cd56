#include "given.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/rounding.h"
#include "base/suggest.h"
#include "base/text.h"
#include "model/attention.h"
#include "reading/problem/problem.h"
#include "reading/problem/tensor_files.h"
#include "reading/report.h"
#include "tensor/dtype.h"

namespace attn::python {
namespace {

// What reading may make up however little memory a trace may take.
constexpr std::size_t least_for_reading = std::size_t{64} << 20;

// Arrays in memory by their names, and files by theirs.
TensorLoader arrays_or_files(std::vector<FileTensor> arrays, const std::string& folder) {
  auto by_name = std::make_shared<std::map<std::string, FileTensor>>();
  for (FileTensor& array : arrays) {
    std::string name = array.name;
    by_name->emplace(std::move(name), std::move(array));
  }
  return [by_name, files = tensors_in(folder)](const FileReference& wanted, std::size_t max_bytes) {
    const auto found = by_name->find(wanted.file);
    if (found == by_name->end()) return files(wanted, max_bytes);
    const FileTensor& array = found->second;
    if (array.is_boolean() && !wanted.may_be_booleans) {
      return Result<FileNumbers>(Diagnostic{.code = "wrong-kind",
                                            .where = "",
                                            .message = "this array holds booleans; numbers are wanted",
                                            .help = "booleans are for the allow and block of a mask"});
    }
    return Result<FileNumbers>(
        FileNumbers{array.shape, [by_name, &array] { return Result<std::vector<double>>(array.values); }});
  };
}

void set_arithmetic(const HowToRead& how, Arithmetic& arithmetic) {
  if (how.dtype) {
    const auto dtype = dtype_called(*how.dtype);
    if (!dtype) throw std::invalid_argument("no dtype is called `" + *how.dtype + "`: f64, f32, bf16 or f16");
    arithmetic.dtype = *dtype;
  }
  if (how.rounding) {
    const auto rounding = parse_hand_rounding(*how.rounding);
    if (!rounding) {
      throw std::invalid_argument("`" + *how.rounding +
                                  "` is no way to round by hand: decimals and a mode, such as 2, 2:half-up, "
                                  "2:half-even, 2:truncate, 2:keep-sum");
    }
    arithmetic.hand_rounding = rounding;
  }
}

}  // namespace

Faulty::Faulty(const Diagnostics& faults, std::string_view text, std::string_view file)
    : complaint_(placed(faults, text, file)), said_(report(complaint_)) {
  while (said_.ends_with('\n')) said_.pop_back();
}

std::string sentence(const Diagnostic& fault) {
  return printable(fault.message) + "\n  help: " + printable(fault.help.text());
}

std::shared_ptr<const GivenProblem> read_given(const std::string& text, HowToRead how) {
  Result<Problem> read = read_problem(text, catalog(), std::max(how.max_bytes, least_for_reading),
                                      arrays_or_files(std::move(how.arrays), how.folder));
  if (!read) throw Faulty(read.faults(), how.file.empty() ? "" : text, how.file);
  auto given = std::make_shared<GivenProblem>(
      GivenProblem{std::move(how.name), how.file.empty() ? "" : text, std::move(read.value())});
  set_arithmetic(how, given->problem.arithmetic);
  return given;
}

}  // namespace attn::python
