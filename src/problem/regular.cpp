#include "problem/regular.h"

#include <limits>

#include "base/random.h"

namespace attn {
namespace {

std::string joined(std::string where, const ListPlace& place) {
  for (const std::size_t index : place) where += "/" + std::to_string(index);
  return where;
}

}  // namespace

std::size_t product(const std::vector<std::size_t>& sizes) {
  std::size_t result = 1;
  for (const std::size_t size : sizes) {
    if (size == 0) return 0;
    const bool fits = result <= std::numeric_limits<std::size_t>::max() / size;
    result = fits ? result * size : std::numeric_limits<std::size_t>::max();
  }
  return result;
}

bool Budget::take(std::size_t count, std::size_t bytes_each) {
  const std::size_t bytes = product({count, bytes_each});
  if (bytes > left_) return false;
  left_ -= bytes;
  return true;
}

bool Budget::take_drawn(std::size_t count) {
  constexpr std::size_t many = 100'000;
  draws_many_ = draws_many_ || count >= many;
  return take(count, sizeof(double));
}

Result<NestedNumbers> Budget::load(const FileReference& reference) {
  if (!load_) {
    return Diagnostic{.code = "no-file",
                      .where = "",
                      .message = "no other file is read here",
                      .help = "write the numbers into the problem"};
  }
  Result<NestedNumbers> numbers = load_(reference, left_);
  if (numbers) left_ -= numbers.value().values().size() * sizeof(double);
  return numbers;
}

std::string Regular::where_of(std::size_t index) const {
  if (random) return where;
  ListPlace place(rank());
  for (std::size_t axis = rank(); axis-- > 0;) {
    place[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return joined(where, place);
}

std::vector<double> Regular::take_values() {
  return random ? random_values(random->kind, random->shape, random->seed) : std::move(values);
}

Source Regular::source(Shape named) && {
  if (!random) return Tensor<double>(std::move(named), std::move(values));
  return {std::move(named),
          [drawn = *std::move(random)] { return random_values(drawn.kind, drawn.shape, drawn.seed); }};
}

std::optional<Regular> measured(const RandomTensor& random, const std::string& where, Budget& budget, Faults& faults) {
  if (budget.take_drawn(product(random.shape))) return Regular{.where = where, .shape = random.shape, .random = random};
  faults.add("too-large", where,
             shown(where) + " is " + spelled_sizes(random.shape) + " random numbers, which do not fit into " +
                 std::to_string(budget.limit()) + " bytes",
             "a smaller shape, or a larger --max-memory");
  return std::nullopt;
}

std::optional<NestedNumbers> loaded(RawTensor tensor, Budget& budget, Faults& faults) {
  if (auto* numbers = std::get_if<NestedNumbers>(&tensor.numbers)) return std::move(*numbers);
  Result<NestedNumbers> numbers = budget.load(std::get<FileReference>(tensor.numbers));
  if (numbers) return std::move(numbers.value());
  const Diagnostic& fault = numbers.faults().front();
  const std::string place = tensor.where + fault.where;
  faults.add(fault.code, place, shown(place) + ": " + fault.message, fault.help);
  return std::nullopt;
}

bool check_even(const NestedNumbers& numbers, const std::string& where, std::size_t first_level, Faults& faults) {
  for (std::size_t level = 0; level < numbers.rank(); ++level) {
    const char* const thing = level + 1 == numbers.rank() ? "number" : level + 2 == numbers.rank() ? "row" : "matrix";
    for (std::size_t i = 0; i < numbers.lists(level) && level >= first_level; ++i) {
      if (numbers.size(level, i) != 0) {
        if (numbers.is_even(level)) break;
        continue;
      }
      const std::string place = joined(where, numbers.place_of_list(level, i));
      faults.add("empty", place, shown(place) + " is empty");
      return false;
    }
    if (level < first_level || numbers.is_even(level)) continue;
    const std::size_t odd = numbers.first_uneven(level);
    const std::string place = joined(where, numbers.place_of_list(level, odd));
    const std::string first = joined(where, numbers.place_of_list(level, 0));
    faults.add("ragged", place,
               shown(place) + " has " + counted(numbers.size(level, odd), thing) + ", and " + shown(first) + " has " +
                   std::to_string(numbers.size(level, 0)),
               level + 1 == numbers.rank() ? "every row needs as many numbers" : "all of them need as many");
    return false;
  }
  return true;
}

std::optional<Regular> regular(RawTensor tensor, Budget& budget, Faults& faults) {
  const std::string where = tensor.where;
  if (const auto* random = std::get_if<RandomTensor>(&tensor.numbers)) return measured(*random, where, budget, faults);
  std::optional<NestedNumbers> numbers = loaded(std::move(tensor), budget, faults);
  if (!numbers || !check_even(*numbers, where, 0, faults)) return std::nullopt;
  return Regular{.where = where, .shape = *numbers->shape(), .values = numbers->take_values()};
}

}  // namespace attn
