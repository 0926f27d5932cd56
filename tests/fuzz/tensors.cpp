#include "tensors.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "files/tensor_file.h"
#include "harness.h"
#include "memory.h"

namespace attn {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 18;

std::size_t count(const std::vector<std::size_t>& shape) {
  std::size_t product = 1;
  for (const std::size_t size : shape) product *= size;
  return product;
}

void demand_told(const Diagnostics& faults) {
  demand(!faults.empty(), "what is refused has a reason");
  for (const Diagnostic& fault : faults) demand(!fault.message.empty(), "a fault says what is wrong");
}

void read_part_of(TensorFile& file, std::size_t index, const TensorPart& part) {
  const Result<TensorOutline> outline = file.outline(index, most_bytes, part);
  const Result<FileTensor> read = file.read(index, most_bytes, part);
  if (!read) return demand_told(read.faults());
  demand(static_cast<bool>(outline), "what can be read can be outlined");
  demand(read.value().shape == outline.value().shape, "a tensor has the shape that its outline says");
  demand(read.value().values.size() == count(read.value().shape), "a tensor has as many numbers as its shape");
  demand(read.value().values.size() * sizeof(double) <= most_bytes, "no more is read than may be");
}

}  // namespace

void read_tensors(std::string_view ending, std::string_view bytes) {
  static const MemoryFile memory;
  const auto reader = std::ranges::find(tensor_readers(), ending, &Reader::ending);
  Result<std::unique_ptr<TensorFile>> file = reader->open(memory.opened(bytes));
  if (!file) return demand_told(file.faults());
  constexpr std::size_t most_tensors = 4;
  const std::size_t tensors = std::min(file.value()->names().size(), most_tensors);
  for (std::size_t index = 0; index < tensors; ++index) {
    read_part_of(*file.value(), index, {});
    read_part_of(*file.value(), index, {.rows = TensorPart::Range{0, 1}, .is_transposed = true});
    read_part_of(*file.value(), index, {.columns = TensorPart::Range{1, 2}, .take = {{1, 0, 0}}});
  }
}

}  // namespace attn
