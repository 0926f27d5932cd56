#include "problem/validate.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/text.h"
#include "problem/fit_block.h"
#include "problem/labels.h"
#include "problem/options.h"
#include "problem/side.h"
#include "problem/sources.h"

namespace attn {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

// Builds the problem step by step. Every step goes as far as what came before
// it allows, so that one fault does not hide another.
class Validation {
 public:
  Validation(Statement statement, const Catalog& catalog, Budget& budget, Faults& faults)
      : statement_(std::move(statement)), catalog_(catalog), budget_(budget), faults_(faults) {}

  // The problem, whose numbers in other files are yet to be read.
  std::optional<PartProblem> run() {
    // Which of the two axes is which: without it no shape means anything.
    if (statement_.vectors.is_faulty()) return std::nullopt;
    read_setting();
    sources_ = sources_of(statement_, setting_.vectors, budget_, faults_);
    if (sources_.form == Sources::Form::unknown) return std::nullopt;
    check_max_tokens();
    check_sides(sources_, setting_.vectors, faults_);
    check_tokens(statement_, sources_, faults_);
    const AttentionSetting in{setting_, limit(), catalog_, budget_, faults_};
    return statement_.block.is_given() ? with_block(in) : with_attention(in);
  }

 private:
  // --- what holds for the whole problem --------------------------------------

  std::optional<PartProblem> with_attention(const AttentionSetting& in) {
    FittedAttention attention(statement_, sources_, in);
    if (faults_.any() || !is_complete() || !attention.is_complete()) return std::nullopt;
    // From here on every shape is known to fit.
    if (!attention.has_room_for_labels(bytes_of_tokens(statement_))) return std::nullopt;
    Side result{.where = "", .batched = sources_.query->batched, .rows = sources_.query->rows};
    result.width = *attention.result_width();
    for (std::size_t& rows : result.rows) rows = std::min(rows, limit());
    problem_.notes = notes_on(sources_, attention.setting(), limit());
    problem_.attention() = attention.take();
    set_labels(statement_, sources_, limit(), problem_.attention());
    return filled(std::move(result));
  }

  std::optional<PartProblem> with_block(const AttentionSetting& in) {
    if (!statement_.block || !sources_.query_side() || !is_complete()) return std::nullopt;
    Stated<RawChoice> positions = statement_.positions;
    const ValidatePart validate = [this](Statement part) { return validated_part(std::move(part)); };
    auto fitted = fitted_block(statement_, sources_, in, validate);
    fit_added_positions(std::move(positions), fitted ? &fitted->sublayers.front() : nullptr);
    if (!fitted || faults_.any()) return std::nullopt;
    Side result{.where = "", .batched = sources_.query->batched, .rows = sources_.query->rows};
    result.width = sources_.query->width;
    for (std::size_t& rows : result.rows) rows = std::min(rows, limit());
    problem_.notes = notes_on(sources_, setting_, limit());
    std::ranges::move(fitted->notes, std::back_inserter(problem_.notes));
    problem_.sublayers = std::move(fitted->sublayers);
    problem_.block = std::move(fitted->block);
    return filled(std::move(result));
  }

  // Positions that are added to the inputs belong to no layer.
  void fit_added_positions(Stated<RawChoice> positions, const Attention* first) {
    const ChoiceSpec* spec = positions ? find(catalog_.positions, positions->name) : nullptr;
    if (!spec || !spec->added_to_inputs) return;
    Statement alone;
    alone.positions = std::move(positions);
    const Side& inputs = *sources_.query_side();
    const ChoiceSetting setting{.model_width = inputs.width, .longest = inputs.longest(limit())};
    Attention made;
    fit_choices(alone, catalog_, setting, setting_.vectors, made, budget_, faults_);
    if (first) problem_.added_positions = std::move(made.positions);
  }

  // The same for a statement that stands within this one.
  std::optional<PartProblem> validated_part(Statement part) {
    Faults found;
    auto made = Validation(std::move(part), catalog_, budget_, found).run();
    const bool is_sound = !found.any();
    hand_over(std::move(found), faults_);
    return is_sound ? std::move(made) : std::nullopt;
  }

  std::optional<PartProblem> filled(Side result) {
    fill_numbers();
    if (faults_.any()) return std::nullopt;
    fill_options();
    problem_.stated_arithmetic = problem_.arithmetic;
    return PartProblem{std::move(problem_), std::move(result)};
  }

  void read_setting() {
    setting_.vectors = statement_.vectors.value_or(Vectors::rows);
    setting_.layout = statement_.weight_layout.value_or(WeightLayout::in_out);
    setting_.split_input = statement_.split_input.value_or(false);
    if (setting_.vectors == Vectors::columns && statement_.weight_layout.is_given()) {
      const std::string where = statement_.place("/weight_layout");
      faults_.add_at_key("contradiction", where,
                         shown(where) + " is given, and " + shown(statement_.place("/vectors")) + R"( is "columns")",
                         "with y = W·x a weight matrix has a row for each number that it makes");
    }
  }

  std::size_t limit() const { return statement_.max_tokens.value_or(no_limit); }
  bool is_direct() const { return sources_.form == Sources::Form::direct; }

  void check_max_tokens() {
    const bool has_past = statement_.past.is_given();
    if ((!is_direct() && !has_past) || !statement_.max_tokens.is_given()) return;
    const std::string where = statement_.place("/max_tokens");
    faults_.add_at_key("contradiction", where,
                       shown(where) + " is given, and " +
                           (has_past ? shown(statement_.place("/past")) + " too" : "queries are given directly"),
                       "it cuts inputs and tokens only");
  }

  // --- the problem ------------------------------------------------------------

  // Whether nothing was faulty in itself, which was reported elsewhere.
  bool is_complete() const {
    const Statement& s = statement_;
    const auto are_sound = [](const auto&... members) { return !(members.is_faulty() || ...); };
    return are_sound(s.max_tokens, s.weight_layout, s.digits, s.tokens, s.tokens_by_role);
  }

  void fill_numbers() {
    if (sources_.form == Sources::Form::self_attention) {
      fill_inputs(problem_.inputs.self, sources_.query, "token");
    } else if (sources_.form == Sources::Form::cross_attention) {
      fill_inputs(problem_.inputs.query, sources_.query, "query");
      fill_inputs(problem_.inputs.key, sources_.key, "key");
      fill_inputs(problem_.inputs.value, sources_.value, "key");
    }
  }

  void fill_inputs(std::optional<Source>& inputs, std::optional<Side>& side, const Axis& row) {
    if (side) inputs = laid_out(std::move(*side), limit(), setting_.vectors, row, "d_model", budget_, faults_);
  }

  void fill_options() {
    problem_.title = std::move(statement_.title);
    problem_.remarks = std::move(statement_.remarks);
    problem_.arithmetic.dtype = statement_.dtype.value_or(Dtype::f64);
    if (statement_.hand_rounding) problem_.arithmetic.hand_rounding = *statement_.hand_rounding;
    if (statement_.digits) problem_.digits = *statement_.digits;
  }

  Statement statement_;
  const Catalog& catalog_;
  Budget& budget_;
  Faults& faults_;
  Setting setting_;
  Sources sources_;
  Problem problem_;
};

}  // namespace

Result<Problem> validated(Statement statement, const Catalog& catalog, std::size_t max_bytes, TensorLoader load,
                          const LateReading& late) {
  Budget budget(max_bytes, std::move(load));
  Faults faults;
  auto made = Validation(std::move(statement), catalog, budget, faults).run();
  if (made && !faults.any()) {
    if (late.refuse && budget.can_wait() && budget.bytes_in_files() >= late.least_bytes) {
      budget.put_off().wait(late.refuse);
    } else if (Diagnostics found = budget.put_off().catch_up(); !found.empty()) {
      return found;
    }
  }
  if (!made || faults.any()) return faults.take();
  made->problem.draws_many = budget.draws_many();
  return std::move(made->problem);
}

}  // namespace attn
