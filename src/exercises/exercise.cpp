#include "exercises/exercise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "base/random.h"
#include "base/text.h"
#include "mark/lint.h"
#include "mistakes/mistake.h"
#include "model/attention.h"
#include "trace/evaluate.h"
#include "trace/numbers_in.h"

namespace attn {
namespace {

constexpr double largest_number = 20, least_weight = 0.02, largest_weight = 0.95;

// So many problems are drawn for one exercise before it is given up, and of those that are
// pleasant so many are looked at by the linter.
constexpr std::size_t most_draws = 200'000, most_lints = 2'000, most_lints_alike = 300;
constexpr std::size_t most_cells_drawn = 100'000'000;  // of all draws together

// Where numbers of a file end up in a computation is found out by telling them apart:
// number i of the file is this large, as no number of a problem is.
constexpr double first_mark = 0x1p40;

// Which number of the file stands in a cell that is given; none that the file fixes.
using DrawnCells = std::vector<std::optional<std::size_t>>;

// Why a draw is no exercise.
enum class Reason { alike_rows, too_large, weights, hidden_mistakes, none };
constexpr std::size_t reasons = static_cast<std::size_t>(Reason::none);

// The same computation on other given numbers.
class OnOtherNumbers final : public Policy<double> {
 public:
  OnOtherNumbers(const std::vector<DrawnCells>& places, const std::vector<double>& values)
      : places_(places), values_(values) {}

  SharedTensor<double> make(const Recipe& recipe, std::size_t line, const Values<double>& carried) override {
    if (places_[line].empty()) return Policy::make(recipe, line, carried);
    return std::make_shared<const Tensor<double>>(with_values(recipe, line));
  }

  Tensor<double> with_values(const Recipe& recipe, std::size_t line) const {
    Tensor<double> numbers = recipe.given(recipe.instruction(line).id());
    for (std::size_t cell = 0; cell < numbers.data().size(); ++cell) {
      if (places_[line][cell]) numbers.data()[cell] = values_[*places_[line][cell]];
    }
    return numbers;
  }

 private:
  const std::vector<DrawnCells>& places_;
  const std::vector<double>& values_;
};

double drawn_number(Random& random, int difficulty, bool is_gain, double zeros) {
  if (is_gain) return static_cast<double>(random.integer(1, 2));
  if (random.uniform() < zeros) return 0;
  constexpr std::int64_t tenths = 10;
  switch (difficulty) {
    case 1:
      return 1;
    case 2:
      return static_cast<double>(random.integer(1, 2));
    case 3:
      return random.integer(0, 1) == 0 ? -1 : 1;
    case 4: {
      const auto drawn = static_cast<double>(random.integer(1, 4));
      return drawn > 2 ? 2 - drawn : drawn;
    }
    default:
      return static_cast<double>(random.integer(-2 * tenths, 2 * tenths)) / tenths;
  }
}

// Whether a row or a column of a matrix, or of one of several, is all zeros.
bool has_line_of_zeros(const std::vector<double>& numbers, const std::vector<std::size_t>& shape) {
  if (shape.size() < 2) return false;
  const std::size_t columns = shape.back(), rows = shape[shape.size() - 2];
  const auto is_zero_along = [&](std::size_t first, std::size_t count, std::size_t stride) {
    for (std::size_t i = 0; i < count; ++i) {
      if (numbers[first + i * stride] != 0) return false;
    }
    return true;
  };
  for (std::size_t matrix = 0; matrix < numbers.size(); matrix += rows * columns) {
    for (std::size_t row = 0; row < rows; ++row) {
      if (is_zero_along(matrix + row * columns, columns, 1)) return true;
    }
    for (std::size_t column = 0; column < columns; ++column) {
      if (is_zero_along(matrix + column, rows, columns)) return true;
    }
  }
  return false;
}

bool is_within(const Tensor<double>& numbers, double most) {
  return std::ranges::all_of(numbers.data(), [&](double number) { return std::abs(number) <= most; });
}

// Whether a row is the same as another one of the same matrix.
bool has_rows_alike(const Tensor<double>& numbers) {
  const std::size_t width = numbers.shape().rank() == 0 ? 1 : numbers.shape().back().size;
  std::set<std::vector<double>> rows;
  for (std::size_t at = 0; at + width <= numbers.data().size(); at += width) {
    const auto begin = numbers.data().begin() + static_cast<std::ptrdiff_t>(at);
    if (!rows.emplace(begin, begin + static_cast<std::ptrdiff_t>(width)).second) return true;
  }
  return false;
}

// Rows of weights along their last axis: none nearly 0 or nearly 1, closed ones and one
// alone in its row apart.
bool are_pleasant_weights(const Tensor<double>& weights, const Tensor<double>* open) {
  const Shape& shape = weights.shape();
  const std::size_t width = shape.back().size;
  for (std::size_t row = 0; row < weights.data().size(); row += width) {
    std::size_t count = 0;
    bool is_pleasant = true;
    for (std::size_t cell = row; cell < row + width; ++cell) {
      if (open && open->data()[open->shape().offset(shape.index(cell), shape)] == 0) continue;
      ++count;
      const double weight = weights.data()[cell];
      is_pleasant = is_pleasant && weight >= least_weight && weight <= largest_weight;
    }
    if (count > 1 && !is_pleasant) return false;
  }
  return true;
}

const Tensor<double>* made_by(const Recipe& recipe, const Evaluation<double>& made, std::string_view id) {
  const auto line = recipe.line(id);
  return line ? made.computed[*line] : nullptr;
}

Reason why_unpleasant(const Recipe& recipe, const Evaluation<double>& made, bool may_repeat) {
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    const Instruction& given = recipe.instruction(line);
    const bool is_input =
        !may_repeat && std::holds_alternative<Given>(given.op) && given.kind == Instruction::Kind::step;
    if (is_input && made.computed[line] && has_rows_alike(*made.computed[line])) return Reason::alike_rows;
  }
  for (const RightAttention& attention : attentions(recipe)) {
    const Anatomy& at = attention.at;
    for (const StepId& id : {at.queries, at.keys, at.values, at.scores}) {
      if (!is_within(*made_by(recipe, made, id), largest_number)) return Reason::too_large;
    }
    const Tensor<double>* weights = made_by(recipe, made, at.weights);
    if (weights && !are_pleasant_weights(*weights, made_by(recipe, made, at.mask))) return Reason::weights;
  }
  return Reason::none;
}

// "scale.by_n; scale.by_dk, scale.twice": the findings of a linter in a line.
std::string in_a_line(const Lint& lint) {
  std::vector<std::string> found;
  for (const Invisible& one : lint.invisible) found.push_back(one.mistake);
  for (const Alike& group : lint.alike) found.push_back(listed(group.mistakes));
  constexpr std::size_t most = 4;
  std::string line;
  for (const std::string& one : first_of(std::move(found), most)) line += (line.empty() ? "" : "; ") + one;
  return line;
}

// What a linter finds in a draw.
struct Look {
  Lint found;
  std::pair<std::size_t, std::size_t> findings;  // as it is written, and where last digits may differ

  bool operator<(const Look& other) const { return findings < other.findings; }
};

}  // namespace

struct ExerciseMaker::Kind {
  Sketch sketch;
  int difficulty;
  Recipe recipe;
  std::vector<DrawnCells> places;  // by line of the recipe
  Linter linter;
  bool may_coincide = false;

  std::size_t most_draws_of_kind() const;
  std::vector<double> draw(Random& random, std::size_t draws_before) const;
  Reason why_unpleasant(const std::vector<double>& values) const;
  Recipe with(const std::vector<double>& values) const;
  std::string text(const std::vector<double>& values, std::uint64_t seed,
                   const std::vector<std::pair<std::string, std::string>>& own) const;
  Look look(const std::vector<double>& values) const;
  bool is_silent(const Lint& lint) const { return may_coincide ? lint.by_numbers() == 0 : lint.is_silent(); }
  Diagnostic fault(const std::array<std::size_t, reasons>& refused, const Lint& nearest) const;
};

std::size_t ExerciseMaker::Kind::most_draws_of_kind() const {
  return std::min(most_draws, most_cells_drawn / (numbers_in(recipe) + 1));
}

std::vector<double> ExerciseMaker::Kind::draw(Random& random, std::size_t draws_before) const {
  // Many zeros keep scores small; few of them tell mistakes apart.
  constexpr std::size_t stages = 8;
  const double zeros = 0.2 + 0.1 * static_cast<double>(draws_before % stages);
  std::vector<double> values;
  values.reserve(sketch.count());
  for (const Sketch::Numbers& one : sketch.numbers) {
    std::vector<double> drawn(one.count());
    // A row or column of zeros is a feature that nobody reads.
    constexpr std::size_t most_tries = 20;
    for (std::size_t tries = 0; tries < most_tries; ++tries) {
      for (double& number : drawn) number = drawn_number(random, difficulty, one.is_gain, zeros);
      if (!has_line_of_zeros(drawn, one.shape)) break;
    }
    values.insert(values.end(), drawn.begin(), drawn.end());
  }
  return values;
}

Reason ExerciseMaker::Kind::why_unpleasant(const std::vector<double>& values) const {
  OnOtherNumbers policy(places, values);
  return attn::why_unpleasant(recipe, evaluate(recipe, policy), may_coincide);
}

Recipe ExerciseMaker::Kind::with(const std::vector<double>& values) const {
  const OnOtherNumbers other(places, values);
  Recipe made(recipe.vectors(), recipe.dtype());
  made.parts() = recipe.parts();
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    Instruction instruction = recipe.instruction(line);
    if (!places[line].empty()) instruction.given.emplace(LateTensor<double>(other.with_values(recipe, line)));
    made.append(std::move(instruction));
  }
  return made;
}

std::string ExerciseMaker::Kind::text(const std::vector<double>& values, std::uint64_t seed,
                                      const std::vector<std::pair<std::string, std::string>>& own) const {
  Sketch named = sketch;
  nlohmann::ordered_json all = {{"title", "Exercise " + std::to_string(seed)}};
  for (const auto& [key, value] : own) all[key] = value;
  all["x-seed"] = seed;
  all.update(named.problem);
  named.problem = std::move(all);
  return named.with(values);
}

Look ExerciseMaker::Kind::look(const std::vector<double>& values) const {
  const int digits = sketch.problem.at("digits").get<int>();
  const Recipe drawn = with(values);
  Look seen{.found = linter.lint(drawn, {.digits = digits}), .findings = {}};
  seen.findings.first = seen.found.by_numbers();
  if (!is_silent(seen.found)) return seen;
  constexpr double apart = 2;  // units of the last decimal
  seen.found = linter.lint(drawn, {.digits = digits, .least = apart * unit_of_last(digits)});
  seen.findings.second = seen.found.by_numbers();
  return seen;
}

Diagnostic ExerciseMaker::Kind::fault(const std::array<std::size_t, reasons>& refused, const Lint& nearest) const {
  const bool none_shows = refused[static_cast<std::size_t>(Reason::hidden_mistakes)] >= most_lints;
  const Reason most =
      none_shows ? Reason::hidden_mistakes : Reason(std::ranges::max_element(refused) - refused.begin());
  const std::string drawn = counted(std::accumulate(refused.begin(), refused.end(), std::size_t{0}), "problem");
  const std::string difficult = "--difficulty " + std::to_string(difficulty);
  const auto help = [&](const char* of_sizes) {
    return may_coincide ? "another --difficulty or --digits, or a problem with other sizes" : of_sizes;
  };
  switch (most) {
    case Reason::alike_rows:
      return {
          .code = "cannot-be-pleasant",
          .message = "of " + drawn + " drawn most had two inputs alike: there are too few different ones for so many",
          .help = help("fewer --inputs, a larger --width, or a higher --difficulty")};
    case Reason::too_large:
      return {.code = "cannot-be-pleasant",
              .message = "of " + drawn +
                         " drawn most had a query, key, value or score beyond ±20: the sizes stand against " +
                         difficult,
              .help = help("a smaller --width or --d-k, or a lower --difficulty")};
    case Reason::weights:
      return {.code = "cannot-be-pleasant",
              .message = "of " + drawn + " drawn most had a weight below 0.02 or above 0.95: the sizes stand against " +
                         difficult,
              .help = help("fewer --inputs, a smaller --width, or a lower --difficulty")};
    default:
      return {.code = "cannot-be-pleasant",
              .message = "of " + drawn + " drawn those that are pleasant hide mistakes in numbers of " +
                         counted(static_cast<std::size_t>(sketch.problem.at("digits").get<int>()), "decimal") +
                         "; in the nearest: " + in_a_line(nearest),
              .help = help("more --digits, another --difficulty, or other sizes; attn mistakes says what these are")};
  }
}

Result<ExerciseMaker> ExerciseMaker::of(Sketch sketch, int difficulty, const Reader& read, bool may_coincide) {
  std::vector<double> marks(sketch.count());
  for (std::size_t i = 0; i < marks.size(); ++i) marks[i] = first_mark + static_cast<double>(i);
  const std::string text = sketch.with(marks);
  Result<Problem> marked = read(text);
  if (!marked) return marked.faults();
  Problem& problem = marked.value();
  problem.arithmetic = {};  // so that no mark is rounded
  Recipe recipe = recipe_of(problem, {.all_steps = true});
  std::vector<DrawnCells> places(recipe.size());
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    const Instruction& made = recipe.instruction(line);
    if (!std::holds_alternative<Given>(made.op)) continue;
    DrawnCells cells;
    bool any = false;
    for (const double number : recipe.given(made.id()).data()) {
      const bool is_mark = number >= first_mark;
      cells.push_back(is_mark ? std::optional(static_cast<std::size_t>(number - first_mark)) : std::nullopt);
      any = any || is_mark;
    }
    if (any) places[line] = std::move(cells);
  }
  // Each that is drawn is computed, many times: with every mistake.
  constexpr std::size_t most_numbers = 1'000'000;
  if (const std::size_t numbers = numbers_in(recipe); numbers > most_numbers) {
    return Diagnostic{.code = "too-large",
                      .message = "the steps of such a problem have " + std::to_string(numbers) +
                                 " numbers, and an exercise has at most " + std::to_string(most_numbers),
                      .help = "smaller sizes: nobody works so much by hand"};
  }
  Linter linter(recipe);
  Kind kind{.sketch = std::move(sketch),
            .difficulty = difficulty,
            .recipe = std::move(recipe),
            .places = std::move(places),
            .linter = std::move(linter),
            .may_coincide = may_coincide};
  const Lint& coincidences = kind.linter.of_sizes();
  if (!may_coincide && !coincidences.is_silent()) {
    return Diagnostic{
        .code = "sizes-coincide",
        .message = "no numbers of these sizes show every mistake: " + in_a_line(coincidences),
        .help = "let no two of --inputs, --width, --d-k and --d-v be the same, or one the other's square"};
  }
  return ExerciseMaker(std::make_shared<const Kind>(std::move(kind)));
}

bool ExerciseMaker::finds_any() const {
  Random random(0);
  for (std::size_t draw = 0; draw < kind_->most_draws_of_kind(); ++draw) {
    if (kind_->why_unpleasant(kind_->draw(random, draw)) == Reason::none) return true;
  }
  return false;
}

Result<std::string> ExerciseMaker::make(std::uint64_t seed,
                                        const std::vector<std::pair<std::string, std::string>>& own) const {
  const Kind& kind = *kind_;
  Random random(seed);
  std::array<std::size_t, reasons> refused{};
  struct Nearest {
    Look seen;
    std::vector<double> values;
  };
  std::optional<Nearest> nearest;
  for (std::size_t draw = 0; draw < kind.most_draws_of_kind(); ++draw) {
    const std::vector<double> values = kind.draw(random, draw);
    Reason reason = kind.why_unpleasant(values);
    if (reason == Reason::none) {
      Look seen = kind.look(values);
      if (kind.is_silent(seen.found)) return kind.text(values, seed, own);
      reason = Reason::hidden_mistakes;
      if (!nearest || seen < nearest->seen) nearest = {std::move(seen), values};
    }
    const std::size_t lints = ++refused[static_cast<std::size_t>(reason)];
    if (reason == Reason::hidden_mistakes && lints >= (kind.may_coincide ? most_lints_alike : most_lints)) break;
  }
  if (kind.may_coincide && nearest) return kind.text(nearest->values, seed, own);
  return kind.fault(refused, nearest ? nearest->seen.found : Lint());
}

}  // namespace attn
