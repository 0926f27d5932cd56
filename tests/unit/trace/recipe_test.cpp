#include "trace/recipe.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "catch.h"

namespace attn {
namespace {

class Changing {
 public:
  explicit Changing(std::uint64_t seed) : random_(seed) {}

  const Recipe& recipe() const { return recipe_; }

  // Whether every line is found where it stands, and reads what it says it reads, and nothing else is found.
  bool is_consistent() const {
    for (std::size_t line = 0; line < recipe_.size(); ++line) {
      const Instruction& instruction = recipe_.instruction(line);
      if (recipe_.line(instruction.id()) != line) return false;
      for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        const std::size_t operand = recipe_.operands(line)[i];
        if (operand >= line || recipe_.instruction(operand).id() != instruction.operands[i].id) return false;
      }
    }
    if (!recipe_.fits()) return false;
    return std::ranges::none_of(gone_, [&](const std::string& id) { return recipe_.has(id); }) && !recipe_.has("");
  }

  void append_given() { recipe_.append(given(Instruction::Kind::given)); }
  void append_step() { recipe_.append(copy_of(any_line())); }

  void change_anything() {
    const std::size_t line = any_line();
    const std::string id = recipe_.instruction(line).id();
    switch (random_.integer(0, 7)) {
      case 0:
        return append_given();
      case 1:
        return append_step();
      case 2:
        return recipe_.give(new_id(), Tensor<double>({{"i", 2}}, {1, 2}));
      case 3:
        return recipe_.insert_before(id, given(Instruction::Kind::between));
      case 4:
        return recipe_.interpose_after(id, copy_of(line));
      case 5:
        if (line > 0) recipe_.replace(id, Copy{}, {recipe_.instruction(random_line_above(line)).id()});
        return;
      case 6:
        if (!a_given_reads()) recipe_.put_givens_first();
        return;
      default:
        return drop_what_nobody_reads();
    }
  }

 private:
  // As one does that was replaced.
  bool a_given_reads() const {
    bool reads = false;
    for (std::size_t line = 0; line < recipe_.size(); ++line) {
      const bool is_given = recipe_.instruction(line).kind == Instruction::Kind::given;
      reads = reads || (is_given && !recipe_.operands(line).empty());
    }
    return reads;
  }

  std::string new_id() { return "made" + std::to_string(made_++); }
  std::size_t random_line_above(std::size_t line) {
    return static_cast<std::size_t>(random_.integer(0, static_cast<std::int64_t>(line) - 1));
  }
  std::size_t any_line() { return random_line_above(recipe_.size()); }

  Instruction given(Instruction::Kind kind) {
    return {.heading = {.id = new_id()},
            .op = Given{},
            .given = GivenNumbers(LateTensor<double>(Tensor<double>({{"i", 2}}, {1, 2}))),
            .kind = kind};
  }

  Instruction copy_of(std::size_t line) {
    return {.heading = {.id = new_id()}, .op = Copy{}, .operands = {recipe_.instruction(line).id()}};
  }

  void drop_what_nobody_reads() {
    std::vector<bool> wanted(recipe_.size(), false);
    for (std::size_t line = recipe_.size(); line-- > 0;) {
      if (!wanted[line] && random_.integer(0, 19) == 0 && recipe_.size() > 1) {
        gone_.insert(recipe_.instruction(line).id());
        continue;
      }
      wanted[line] = true;
      for (const std::size_t operand : recipe_.operands(line)) wanted[operand] = true;
    }
    if (std::ranges::find(wanted, true) != wanted.end()) recipe_.keep(wanted);
  }

  Random random_;
  Recipe recipe_;
  std::size_t made_ = 0;
  std::set<std::string> gone_;
};

}  // namespace

TEST_CASE("a line is found by its id, however long the recipe and whatever was changed in it", "[trace]") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Changing changing(seed);
    changing.append_given();
    const int lines = seed % 2 == 0 ? 20 : 190;  // the longer ones become so long that a table is kept
    for (int i = 1; i < lines; ++i) i % 3 == 0 ? changing.append_given() : changing.append_step();
    for (int change = 0; change < 150; ++change) {
      const Changing before = changing;
      changing.change_anything();
      INFO("seed " << seed << ", change " << change << ", " << changing.recipe().size() << " lines");
      REQUIRE(changing.is_consistent());
      REQUIRE(before.is_consistent());
    }
  }
}

}  // namespace attn
