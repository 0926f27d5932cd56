#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/text.h"
#include "files/array.h"
#include "files/safetensors_header.h"
#include "files/tensor_file.h"

namespace attn {
namespace {

constexpr std::pair<std::string_view, Element> dtype_words[] = {
    {"F64", {Element::Kind::floating, 8}}, {"F32", {Element::Kind::floating, 4}}, {"F16", {Element::Kind::floating, 2}},
    {"BF16", {Element::Kind::brain, 2}},   {"I64", {Element::Kind::integer, 8}},  {"I32", {Element::Kind::integer, 4}},
    {"I16", {Element::Kind::integer, 2}},  {"I8", {Element::Kind::integer, 1}},   {"U64", {Element::Kind::natural, 8}},
    {"U32", {Element::Kind::natural, 4}},  {"U16", {Element::Kind::natural, 2}},  {"U8", {Element::Kind::natural, 1}},
    {"BOOL", {Element::Kind::boolean, 1}},
};

class SafetensorsFile : public TensorFile {
 public:
  SafetensorsFile(InputFile file, SafetensorsHeader header, std::size_t data)
      : TensorFile(std::move(file)), header_(std::move(header)), data_(data) {
    names_.reserve(header_.entries.size());
    for (SafetensorsHeader::Entry& entry : header_.entries) names_.push_back(std::move(entry.name));
    metadata_ = std::move(header_.metadata);
  }

 private:
  Result<StoredArray> open(std::size_t index) override {
    const SafetensorsHeader::Entry& entry = header_.entries[index];
    const Result<Element> element = element_of(entry.dtype, names_[index]);
    if (!element) return element.faults();
    const std::size_t size = entry.end - entry.begin;
    return StoredArray{std::make_unique<FilePart>(file_, data_ + entry.begin, size),
                       size,
                       {.element = element.value(), .shape = entry.shape}};
  }

  Diagnostic of_file(Diagnostic fault, std::size_t index) const override {
    fault.message = "has a tensor " + printable(names_[index]) + " that " + fault.message;
    return fault;
  }

  static Result<Element> element_of(std::string_view dtype, std::string_view name) {
    const auto found = std::ranges::find(dtype_words, dtype, &std::pair<std::string_view, Element>::first);
    if (found != std::end(dtype_words)) return found->second;
    return file_fault("holds " + printable(name) + " as " + shortened(printable(dtype), 60) + ", which cannot be read",
                      "F64, F32, F16, BF16, I8 to I64, U8 to U64 and BOOL can", "bad-dtype");
  }

  SafetensorsHeader header_;  // but for what names_ and metadata_ have of it
  std::size_t data_;          // where the numbers begin
};

Result<std::unique_ptr<TensorFile>> open_safetensors(InputFile file) {
  constexpr std::size_t most_header = 100'000'000;  // of the format
  std::array<char, 8> start{};
  if (file.size() < start.size()) {
    return file_fault(
        file.size() == 0 ? "is empty" : "ends after " + std::to_string(file.size()) + " bytes, before a header",
        "it was cut short on its way: copy it again");
  }
  if (auto fault = file.read(0, start)) return *std::move(fault);
  std::uint64_t length = 0;
  for (std::size_t i = start.size(); i-- > 0;) length = length << 8 | static_cast<unsigned char>(start[i]);
  const std::size_t left = file.size() - start.size();
  if (length > left || length > most_header) {
    return file_fault("says that its header has " + std::to_string(length) + " bytes, and " +
                          (length > left ? "there are " + std::to_string(left) : "no more than 100 MB are allowed"),
                      "a .safetensors file begins with the length of its header");
  }
  std::string json(length, '\0');
  if (auto fault = file.read(start.size(), json)) return *std::move(fault);
  Result<SafetensorsHeader> header = parse_safetensors_header(json, left - length);
  if (!header) return header.faults();
  return {std::make_unique<SafetensorsFile>(std::move(file), std::move(header.value()), start.size() + length)};
}

}  // namespace

Reader safetensors_reader() { return {".safetensors", "tensors of a model, each with a name", open_safetensors}; }

}  // namespace attn
