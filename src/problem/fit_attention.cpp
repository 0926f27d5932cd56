#include "problem/fit_attention.h"

#include <algorithm>
#include <string>
#include <utility>

#include "problem/heads.h"
#include "problem/options.h"

namespace attn {
namespace {

constexpr std::size_t label_bytes = 64;  // of a row: two labels, without the letters of tokens

}  // namespace

FittedAttention::FittedAttention(Statement& statement, Sources& sources, const AttentionSetting& in)
    : statement_(statement),
      sources_(sources),
      setting_(in.setting),
      limit_(in.limit),
      catalog_(in.catalog),
      budget_(in.budget),
      faults_(in.faults) {
  read_weights();
  measure_extra_keys();
  count_heads(statement_, sources_, {&query_, &key_, &value_}, {&past_, &appended_}, setting_, faults_);
  check_widths();
  read_extra_keys();
  read_choices();
  read_options();
}

void FittedAttention::read_weights() {
  // How a weight is laid out is not known then.
  if (statement_.weight_layout.is_faulty()) {
    for (Stated<RawWeight>* weight : statement_.weights.all()) {
      if (weight->is_given()) *weight = std::nullopt;
    }
  }
  Roles<RawWeight>& weights = statement_.weights;
  if (is_direct()) {
    check_projected_already(weights, statement_.place("/weights"), faults_);
  } else {
    check_all_or_none(weights, statement_.place("/weights"), faults_);
  }
  const auto part = [&](const std::string& name) {
    return measured_part(name, statement_, setting_, budget_, faults_);
  };
  query_ = part("query");
  key_ = part("key");
  value_ = part("value");
  output_ = part("output");
}

void FittedAttention::check_widths() {
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

bool FittedAttention::takes_equal_widths() const {
  const ChoiceSpec* spec = statement_.score ? find(catalog_.scores, statement_.score->name) : nullptr;
  return !statement_.score.is_faulty() && (!spec || spec->equal_widths);
}

void FittedAttention::measure_extra_keys() {
  const auto measure = [&](Stated<RawKeysAndValues>& given) {
    return given ? extra_sides(std::move(*given), setting_.vectors, budget_, faults_) : std::nullopt;
  };
  past_ = measure(statement_.past);
  appended_ = measure(statement_.appended);
}

void FittedAttention::read_extra_keys() {
  const Side* query = sources_.query_side();
  if (!query || !key_width_ || !value_width_ || !setting_.heads_known) return;
  const KeySetting setting{*key_width_, *value_width_, query->rows.size(), query->batched, setting_};
  if (past_) attention_.past = extra_keys(std::move(*past_), setting, faults_);
  if (appended_) attention_.appended = extra_keys(std::move(*appended_), setting, faults_);
}

ChoiceSetting FittedAttention::choice_setting() const {
  ChoiceSetting setting{.query_width = query_width_,
                        .key_width = key_width_,
                        .value_width = value_width_,
                        .model_width = std::nullopt,
                        .heads = setting_.heads,
                        .from_inputs = !is_direct()};
  const Side* sides[] = {sources_.query_side(), sources_.key_side(), sources_.value_side()};
  for (const Side* side : sides) {
    if (!side) continue;
    setting.longest = std::max(setting.longest, side->longest(limit_));
    if (is_direct()) continue;
    setting.one_model_width = setting.one_model_width && side->width == setting.model_width.value_or(side->width);
    setting.model_width = side->width;
  }
  setting.past = attention_.past_count();
  return setting;
}

void FittedAttention::read_choices() {
  if (!setting_.heads_known) return;
  fit_choices(statement_, catalog_, choice_setting(), setting_.vectors, attention_, budget_, faults_);
}

// How many keys there are is not known where past ones are faulty.
bool FittedAttention::knows_past() const { return !statement_.past.is_given() || attention_.past; }

void FittedAttention::read_options() {
  std::optional<SequenceSetting> sequences;
  if (knows_past()) sequences = {sources_.query_side(), sources_.key_side(), attention_.past_count(), limit_};
  attention_.options =
      fitted_options(statement_.options, catalog_.options, sequences, shape_of_scores(), budget_, faults_);
}

std::optional<Shape> FittedAttention::shape_of_scores() const {
  const Side* query = sources_.query_side();
  const Side* key = sources_.key_side();
  if (!query || !key || !setting_.heads_known || statement_.max_tokens.is_faulty() || !knows_past()) {
    return std::nullopt;
  }
  Shape shape;
  if (query->batched) shape.append({"batch", query->rows.size()});
  if (setting_.heads) shape.append({"head", *setting_.heads});
  shape.append({"query", query->longest(limit_)});
  shape.append({"key", attention_.past_count() + key->longest(limit_)});
  return shape;
}

bool FittedAttention::is_complete() const {
  const Statement& s = statement_;
  const auto are_sound = [](const auto&... members) { return !(members.is_faulty() || ...); };
  const bool options =
      are_sound(s.heads, s.kv_heads, s.split_input, s.past, s.appended, s.positions, s.score, s.softmax) &&
      std::ranges::none_of(s.options, [](const auto& option) { return option.second.is_faulty(); });
  return options && query_.is_whole() && key_.is_whole() && value_.is_whole() && output_.is_whole() && query_width_ &&
         key_width_ && value_width_ && sources_.query_side() && sources_.key_side() && sources_.value_side();
}

std::optional<std::size_t> FittedAttention::result_width() const {
  if (output_.matrix) return output_.matrix->out;
  if (output_.is_faulty || !value_width_ || !setting_.heads_known) return std::nullopt;
  return *value_width_ * setting_.heads.value_or(1);
}

std::string FittedAttention::last_matrix() const {
  return output_.matrix ? output_.matrix->where : value_.matrix ? value_.matrix->where : sources_.value_side()->where;
}

bool FittedAttention::has_room_for_labels(std::size_t letters) {
  const std::size_t others = attention_.past_count() + attention_.appended_count();
  const std::size_t rows = product({sources_.query->rows.size(), sources_.query->longest(limit_)}) +
                           product({sources_.key_side()->rows.size(), others + sources_.key_side()->longest(limit_)});
  if (budget_.take(rows, label_bytes) && budget_.take(letters, 1)) return true;
  faults_.add("too-large", sources_.query->where,
              "there are " + std::to_string(rows) + " queries and keys, whose labels do not fit into " +
                  spelled_size(budget_.limit()),
              "a smaller problem, or a larger --max-memory");
  return false;
}

Attention FittedAttention::take() {
  const Side& query = *sources_.query;
  attention_.batched = query.batched;
  attention_.batch = query.rows.size();
  attention_.heads = setting_.heads;
  attention_.kv_heads = setting_.kv_heads;
  attention_.query_count = query.longest(limit_);
  attention_.key_count = attention_.past_count() + sources_.key_side()->longest(limit_);
  attention_.key_width = *key_width_;
  attention_.value_width = *value_width_;
  attention_.split_input = setting_.split_input;
  attention_.vectors = setting_.vectors;
  attention_.weight_layout = setting_.layout;
  if (query.is_ragged_within(limit_)) {
    for (std::size_t b = 0; b < query.rows.size(); ++b) attention_.own_queries.push_back(query.rows_within(limit_, b));
  }
  if (is_direct()) fill_direct();
  if (query_.matrix) attention_.query = projection(std::move(query_), "d_k", setting_);
  if (key_.matrix) attention_.key = projection(std::move(key_), "d_k", setting_);
  if (value_.matrix) attention_.value = projection(std::move(value_), "d_v", setting_);
  if (output_.matrix) attention_.output = projection(std::move(output_), "d_out", setting_);
  return std::move(attention_);
}

void FittedAttention::fill_direct() {
  attention_.queries = direct(*sources_.query, "query", "d_k");
  attention_.keys = direct(*sources_.key, "key", "d_k");
  // Values that are not given are the keys, whose numbers they share.
  Side values = sources_.value_given ? *sources_.value : *sources_.key;
  if (!sources_.value_given)
    values.take_values = [keys = *attention_.keys] {
      return std::vector<double>(keys.numbers().data().begin(), keys.numbers().data().end());
    };
  attention_.values = direct(values, "key", "d_v");
}

Source FittedAttention::direct(Side& side, const Axis& row, const Axis& feature) const {
  const Axis& features = setting_.heads && !side.heads ? "d_concat" : feature;
  return {shape_of(side, setting_.vectors, row, features), side.take_values};
}

}  // namespace attn
