#include "problem/regular.h"

#include <limits>

#include "base/random.h"
#include "base/text.h"
#include "tensor/shape.h"

namespace attn {
namespace {

std::string joined(std::string where, const ListPlace& place) {
  for (const std::size_t index : place) where += "/" + std::to_string(index);
  return where;
}

// Nothing, and a fault, where there is no room for it.
std::optional<Regular> random_tensor(RandomTensor random, const std::string& where, Budget& budget, Faults& faults) {
  if (budget.take_drawn(product(random.shape))) return Regular{.where = where, .shape = random.shape, .random = random};
  return faults.add_of(
      "too-large", where,
      "is " + spelled_sizes(random.shape) + " random numbers, which do not fit into " + spelled_size(budget.limit()),
      "a smaller shape, or a larger --max-memory");
}

// A fault of another file, at the place that refers to it.
std::nullopt_t add_file_fault(const Diagnostic& fault, const std::string& where, Faults& faults) {
  const std::string place = where + fault.where;
  return faults.add(fault.code, place, shown(place) + ": " + fault.message, fault.help);
}

// Its numbers are put off.
Regular tensor_of_file(FileNumbers numbers, const std::string& where, Budget& budget) {
  Regular tensor{.where = where,
                 .shape = numbers.shape,
                 .late = std::make_shared<std::vector<double>>(),
                 .put_off = budget.shared_put_off()};
  budget.put_off().add([where, read = std::move(numbers.read), into = tensor.late](Faults& faults) {
    Result<std::vector<double>> values = read();
    if (values) {
      *into = std::move(values.value());
    } else {
      add_file_fault(values.faults().front(), where, faults);
    }
  });
  return tensor;
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

Diagnostics PutOff::catch_up() {
  Faults faults;
  for (const std::function<void(Faults&)>& task : std::exchange(tasks_, {})) task(faults);
  return faults.take();
}

void PutOff::ask() {
  if (!refuse_) return;
  const std::lock_guard lock(asking_);
  if (!tasks_.empty()) faults_ = catch_up();
  if (!faults_.empty()) refuse_(faults_);
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

Result<FileNumbers> Budget::found(const FileReference& reference) {
  if (!load_) {
    return Diagnostic{.code = "no-file",
                      .where = "",
                      .message = "no other file is read here",
                      .help = "write the numbers into the problem"};
  }
  Result<FileNumbers> numbers = load_(reference, left_);
  if (!numbers) return numbers;
  const std::size_t count = product(numbers.value().shape);
  if (take(count, sizeof(double))) bytes_in_files_ += count * sizeof(double);
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
  if (random) return random_values(random->kind, random->shape, random->seed);
  if (!late) return std::move(values);
  put_off->ask();
  return std::move(*late);
}

Source Regular::source(Shape named) && {
  if (!random && !late) return Tensor<double>(std::move(named), std::move(values));
  return {std::move(named), [tensor = std::move(*this)]() mutable { return tensor.take_values(); }};
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
      faults.add_of("empty", place, "is empty", "write its numbers, or leave the key out");
      return false;
    }
    if (level < first_level || numbers.is_even(level)) continue;
    const std::size_t odd = numbers.first_uneven(level);
    const std::string place = joined(where, numbers.place_of_list(level, odd));
    const std::string first = joined(where, numbers.place_of_list(level, 0));
    faults.add_of("ragged", place,
                  "has " + counted(numbers.size(level, odd), thing) + ", and " + shown(first) + " has " +
                      std::to_string(numbers.size(level, 0)),
                  level + 1 == numbers.rank() ? "every row needs as many numbers" : "all of them need as many");
    return false;
  }
  return true;
}

std::optional<Measured> measured(RawTensor tensor, Budget& budget, Faults& faults) {
  if (auto* numbers = std::get_if<NestedNumbers>(&tensor.numbers)) return std::move(*numbers);
  if (auto* random = std::get_if<RandomTensor>(&tensor.numbers)) {
    return random_tensor(std::move(*random), tensor.where, budget, faults);
  }
  // Nobody reads what more is wrong, and to open files takes time: behind so many one more counts as a fault.
  if (faults.are_enough()) return faults.count_one_more();
  Result<FileNumbers> numbers = budget.found(std::get<FileReference>(tensor.numbers));
  if (!numbers) return add_file_fault(numbers.faults().front(), tensor.where, faults);
  const std::vector<std::size_t>& shape = numbers.value().shape;
  // However many lists without a number a shape may say, they are not made.
  if (product(shape) == 0) {
    return faults.add_of("empty", tensor.where, "is " + spelled_sizes(shape) + ", and holds no number",
                         "write its numbers, or leave the key out");
  }
  return tensor_of_file(std::move(numbers.value()), tensor.where, budget);
}

std::optional<Regular> regular(RawTensor tensor, Budget& budget, Faults& faults) {
  const std::string where = tensor.where;
  std::optional<Measured> found = measured(std::move(tensor), budget, faults);
  if (!found) return std::nullopt;
  if (auto* late = std::get_if<Regular>(&*found)) return std::move(*late);
  auto& numbers = std::get<NestedNumbers>(*found);
  if (!check_even(numbers, where, 0, faults)) return std::nullopt;
  return Regular{.where = where, .shape = *numbers.shape(), .values = numbers.take_values()};
}

}  // namespace attn
