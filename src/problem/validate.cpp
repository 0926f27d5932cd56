#include "problem/validate.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.h"
#include "problem/extra_keys.h"
#include "problem/heads.h"
#include "problem/labels.h"
#include "problem/options.h"
#include "problem/projections.h"
#include "problem/side.h"
#include "problem/sources.h"

namespace attn {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
constexpr std::size_t label_bytes = 64;  // of a row: two labels

// Builds the problem step by step. Every step goes as far as what came before
// it allows, so that one fault does not hide another.
class Validation {
 public:
  Validation(Statement statement, const Catalog& catalog, std::size_t max_bytes, TensorLoader load)
      : statement_(std::move(statement)), catalog_(catalog), budget_(max_bytes, std::move(load)) {}

  Result<Problem> run() {
    // Which of the two axes is which: without it no shape means anything.
    if (statement_.vectors.is_faulty()) return faults_.take();
    read_setting();
    sources_ = sources_of(statement_, setting_.vectors, budget_, faults_);
    if (sources_.form == Sources::Form::unknown) return faults_.take();
    setting_.from_tokens = sources_.from_tokens;
    check_max_tokens();
    check_sides(sources_, setting_.vectors, faults_);
    check_tokens(statement_, sources_, faults_);
    read_weights();
    measure_extra_keys();
    count_heads(statement_, sources_, {&query_, &key_, &value_}, {&past_, &appended_}, setting_, faults_);
    check_widths();
    read_extra_keys();
    read_choices();
    read_options();
    if (faults_.any() || !is_complete()) return faults_.take();

    // From here on every shape is known to fit.
    fill_numbers();
    if (!faults_.any()) budget_.catch_up(faults_);
    if (faults_.any()) return faults_.take();
    fill_options();
    problem_.stated_arithmetic = problem_.arithmetic;
    problem_.draws_many = budget_.draws_many();
    problem_.attention() = std::move(attention_);
    return std::move(problem_);
  }

 private:
  // --- what holds for the whole problem --------------------------------------

  void read_setting() {
    setting_.vectors = statement_.vectors.value_or(Vectors::rows);
    setting_.layout = statement_.weight_layout.value_or(WeightLayout::in_out);
    setting_.split_input = statement_.split_input.value_or(false);
    if (setting_.vectors == Vectors::columns && statement_.weight_layout.is_given()) {
      faults_.add_at_key("contradiction", "/weight_layout", R"(/weight_layout is given, and /vectors is "columns")",
                         "with y = W·x a weight matrix has a row for each number that it makes");
    }
  }

  std::size_t limit() const { return statement_.max_tokens.value_or(no_limit); }
  bool is_direct() const { return sources_.form == Sources::Form::direct; }

  void check_max_tokens() {
    const bool has_past = statement_.past.is_given();
    if ((!is_direct() && !has_past) || !statement_.max_tokens.is_given()) return;
    faults_.add_at_key(
        "contradiction", "/max_tokens",
        std::string("/max_tokens is given, and ") + (has_past ? "/past too" : "queries are given directly"),
        "it cuts inputs and tokens only");
  }

  // --- projections ------------------------------------------------------------

  void read_weights() {
    // How a weight is laid out is not known then.
    if (statement_.weight_layout.is_faulty()) {
      for (Stated<RawWeight>* weight : statement_.weights.all()) {
        if (weight->is_given()) *weight = std::nullopt;
      }
    }
    Roles<RawWeight>& weights = statement_.weights;
    if (is_direct()) {
      check_projected_already(weights, faults_);
    } else {
      check_all_or_none(weights, faults_);
    }
    const auto part = [&](const std::string& name) {
      return measured_part(name, weights.of(name), statement_.biases.of(name), setting_, budget_, faults_);
    };
    query_ = part("query");
    key_ = part("key");
    value_ = part("value");
    output_ = part("output");
  }

  void check_widths() {
    const auto width = [&](const Part& part, const Side* side, const Setting& setting) {
      return side ? checked_width(part, *side, setting, faults_) : std::nullopt;
    };
    query_width_ = width(query_, sources_.query_side(), setting_);
    key_width_ = width(key_, sources_.key_side(), setting_.of_keys());
    value_width_ = width(value_, sources_.value_side(), setting_.of_keys());
    if (takes_equal_widths() && query_width_ && key_width_) {
      check_equal_widths({query_, *sources_.query_side(), *query_width_}, {key_, *sources_.key_side(), *key_width_},
                         setting_, faults_);
    }
    if (value_width_ && setting_.heads_known) {
      check_output(output_, *value_width_ * setting_.heads.value_or(1), *value_width_, setting_, faults_);
    }
  }

  bool takes_equal_widths() const {
    const ChoiceSpec* spec = statement_.score ? find(catalog_.scores, statement_.score->name) : nullptr;
    return !statement_.score.is_faulty() && (!spec || spec->equal_widths);
  }

  // --- cache, choices ---------------------------------------------------------

  void measure_extra_keys() {
    const auto measure = [&](Stated<RawKeysAndValues>& given) {
      return given ? extra_sides(std::move(*given), setting_.vectors, budget_, faults_) : std::nullopt;
    };
    past_ = measure(statement_.past);
    appended_ = measure(statement_.appended);
  }

  void read_extra_keys() {
    const Side* query = sources_.query_side();
    if (!query || !key_width_ || !value_width_ || !setting_.heads_known) return;
    const KeySetting setting{*key_width_, *value_width_, query->rows.size(), query->batched, setting_};
    if (past_) attention_.past = extra_keys(std::move(*past_), setting, faults_);
    if (appended_) attention_.appended = extra_keys(std::move(*appended_), setting, faults_);
  }

  ChoiceSetting choice_setting() const {
    ChoiceSetting setting{.query_width = query_width_,
                          .key_width = key_width_,
                          .value_width = value_width_,
                          .model_width = std::nullopt,
                          .heads = setting_.heads,
                          .from_inputs = !is_direct()};
    const Side* sides[] = {sources_.query_side(), sources_.key_side(), sources_.value_side()};
    for (const Side* side : sides) {
      if (!side) continue;
      setting.longest = std::max(setting.longest, side->longest(limit()));
      if (is_direct()) continue;
      setting.one_model_width = setting.one_model_width && side->width == setting.model_width.value_or(side->width);
      setting.model_width = side->width;
    }
    setting.past = attention_.past_count();
    return setting;
  }

  void read_choices() {
    if (!setting_.heads_known) return;
    fit_choices(statement_, catalog_, choice_setting(), setting_.vectors, attention_, budget_, faults_);
  }

  // --- options ----------------------------------------------------------------

  // How many keys there are is not known where past ones are faulty.
  bool knows_past() const { return !statement_.past.is_given() || attention_.past; }

  void read_options() {
    std::optional<SequenceSetting> sequences;
    if (knows_past()) sequences = {sources_.query_side(), sources_.key_side(), attention_.past_count(), limit()};
    attention_.options =
        fitted_options(statement_.options, catalog_.options, sequences, shape_of_scores(), budget_, faults_);
  }

  std::optional<Shape> shape_of_scores() const {
    const Side* query = sources_.query_side();
    const Side* key = sources_.key_side();
    if (!query || !key || !setting_.heads_known || statement_.max_tokens.is_faulty() || !knows_past()) {
      return std::nullopt;
    }
    Shape shape;
    if (query->batched) shape.append({"batch", query->rows.size()});
    if (setting_.heads) shape.append({"head", *setting_.heads});
    shape.append({"query", query->longest(limit())});
    shape.append({"key", attention_.past_count() + key->longest(limit())});
    return shape;
  }

  // --- the problem ------------------------------------------------------------

  // Whether nothing was faulty in itself, which was reported elsewhere.
  bool is_complete() const {
    const Statement& s = statement_;
    const auto are_sound = [](const auto&... members) { return !(members.is_faulty() || ...); };
    const bool options = are_sound(s.max_tokens, s.weight_layout, s.heads, s.kv_heads, s.split_input, s.past,
                                   s.appended, s.positions, s.score, s.softmax, s.digits, s.tokens, s.tokens_by_role) &&
                         std::ranges::none_of(s.options, [](const auto& option) { return option.second.is_faulty(); });
    return options && query_.is_whole() && key_.is_whole() && value_.is_whole() && output_.is_whole() && query_width_ &&
           key_width_ && value_width_ && sources_.query_side() && sources_.key_side() && sources_.value_side();
  }

  void fill_numbers() {
    const std::size_t others = attention_.past_count() + attention_.appended_count();
    const std::size_t rows =
        product({sources_.query->rows.size(), sources_.query->longest(limit())}) +
        product({sources_.key_side()->rows.size(), others + sources_.key_side()->longest(limit())});
    if (!budget_.take(rows, label_bytes)) {
      faults_.add("too-large", sources_.query->where,
                  "there are " + std::to_string(rows) + " queries and keys, whose labels do not fit into " +
                      spelled_size(budget_.limit()),
                  "a smaller problem, or a larger --max-memory");
      return;
    }
    attention_.batched = sources_.query->batched;
    attention_.batch = sources_.query->rows.size();
    attention_.heads = setting_.heads;
    attention_.kv_heads = setting_.kv_heads;
    attention_.query_count = sources_.query->longest(limit());
    attention_.key_count = attention_.past_count() + sources_.key_side()->longest(limit());
    attention_.key_width = *key_width_;
    attention_.value_width = *value_width_;
    set_labels(statement_, sources_, limit(), attention_);
    fill_own_queries();
    problem_.notes = notes_on(sources_, setting_, limit());

    if (is_direct()) {
      attention_.queries = direct(*sources_.query, "query", "d_k");
      attention_.keys = direct(*sources_.key, "key", "d_k");
      // Values that are not given are the keys, whose numbers they share.
      Side values = sources_.value_given ? *sources_.value : *sources_.key;
      if (!sources_.value_given)
        values.take_values = [keys = *attention_.keys] {
          return std::vector<double>(keys.numbers().data().begin(), keys.numbers().data().end());
        };
      attention_.values = direct(values, "key", "d_v");
    } else if (sources_.form == Sources::Form::self_attention) {
      fill_inputs(problem_.inputs.self, sources_.query, "token");
    } else {
      fill_inputs(problem_.inputs.query, sources_.query, "query");
      fill_inputs(problem_.inputs.key, sources_.key, "key");
      fill_inputs(problem_.inputs.value, sources_.value, "key");
    }
    if (query_.matrix) attention_.query = projection(std::move(query_), "d_k", setting_);
    if (key_.matrix) attention_.key = projection(std::move(key_), "d_k", setting_);
    if (value_.matrix) attention_.value = projection(std::move(value_), "d_v", setting_);
    if (output_.matrix) attention_.output = projection(std::move(output_), "d_out", setting_);
  }

  void fill_inputs(std::optional<Source>& inputs, std::optional<Side>& side, const Axis& row) {
    if (side) inputs = laid_out(std::move(*side), limit(), setting_.vectors, row, "d_model", budget_, faults_);
  }

  Source direct(Side& side, const Axis& row, const Axis& feature) const {
    const Axis& features = setting_.heads && !side.heads ? "d_concat" : feature;
    return {shape_of(side, setting_.vectors, row, features), side.take_values};
  }

  void fill_own_queries() {
    const Side& query = *sources_.query;
    if (!query.is_ragged_within(limit())) return;
    for (std::size_t b = 0; b < query.rows.size(); ++b) attention_.own_queries.push_back(query.rows_within(limit(), b));
  }

  void fill_options() {
    problem_.title = std::move(statement_.title);
    attention_.split_input = setting_.split_input;
    attention_.vectors = setting_.vectors;
    attention_.weight_layout = setting_.layout;
    problem_.arithmetic.dtype = statement_.dtype.value_or(Dtype::f64);
    if (statement_.hand_rounding) problem_.arithmetic.hand_rounding = *statement_.hand_rounding;
    if (statement_.digits) problem_.digits = *statement_.digits;
  }

  Statement statement_;
  const Catalog& catalog_;
  Budget budget_;
  Faults faults_;
  Setting setting_;
  Sources sources_;
  Part query_, key_, value_, output_;
  std::optional<ExtraSides> past_, appended_;
  std::optional<std::size_t> query_width_, key_width_, value_width_;  // of one head
  Attention attention_;
  Problem problem_;
};

}  // namespace

Result<Problem> validated(Statement statement, const Catalog& catalog, std::size_t max_bytes, TensorLoader load) {
  return Validation(std::move(statement), catalog, max_bytes, std::move(load)).run();
}

}  // namespace attn
