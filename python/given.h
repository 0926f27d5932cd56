#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/complaint.h"
#include "files/tensor_file.h"
#include "problem/problem.h"

// What Python hands over, read as the program reads its files. Nothing here knows Python.

namespace attn::python {

// Thrown where a file is faulty, or what was given in place of one.
class Faulty final : public std::exception {
 public:
  // Without a text there is none to point into.
  explicit Faulty(const Diagnostics& faults, std::string_view text = "", std::string_view file = "");

  const Complaint& complaint() const { return complaint_; }

  // As people read it.
  const char* what() const noexcept override { return said_.c_str(); }

 private:
  Complaint complaint_;
  std::string said_;
};

// A fault that has no place, and what to do about it, in two lines.
std::string sentence(const Diagnostic& fault);

// How a problem is to be read.
struct HowToRead {
  std::string name;                          // what people are told that it is called
  std::string file = {};                     // its own, where it is one
  std::string folder = ".";                  // of the files that it refers to
  std::vector<FileTensor> arrays = {};       // what it refers to as files by their names, and is in memory
  std::optional<std::string> dtype = {};     // in place of the problem's own
  std::optional<std::string> rounding = {};  // the same: "2:half-even"
  std::size_t max_bytes = std::size_t{1} << 31;
};

// A problem, and where it comes from.
struct GivenProblem {
  std::string name;
  std::string text;  // of a file; empty where there is none
  Problem problem;
};

// Throws Faulty, or std::invalid_argument for what it is to be read as.
std::shared_ptr<const GivenProblem> read_given(const std::string& text, HowToRead how);

}  // namespace attn::python
