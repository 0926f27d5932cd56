#include "reading/answers/decimal_commas.h"

#include <algorithm>

#include "base/text.h"
#include "problem/faults.h"

namespace attn {
namespace {

bool are_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return is_ascii_digit(c); });
}

std::string_view without_sign(std::string_view text) {
  for (const std::string_view sign : {"-", "−", "+"}) {
    if (text.starts_with(sign)) return text.substr(sign.size());
  }
  return text;
}

// What the commas of rows look like.
class CommaCensus {
 public:
  explicit CommaCensus(std::string_view text) : text_(text) {}

  void add(const CommaRuns& row) {
    bool alternates = row.size() > 1;
    for (const CommaRun& run : row) {
      const std::size_t before = pairs_;
      add(run);
      alternates = alternates && run.size() == 2 && pairs_ > before;
    }
    alternates_ = alternates_ || alternates;
  }

  bool are_decimal(std::optional<std::size_t> wanted) const {
    if (alternates_) return true;
    if (pieces_ == wanted || !first_) return false;
    return has_leading_zero_ || (only_pairs_ && (numbers_ == wanted || (all_below_one_ && all_long_)));
  }

  // The first number that has such a comma.
  std::optional<TextRange> first() const { return first_; }

 private:
  std::string_view piece(TextRange range) const { return text_.substr(range.begin, range.end - range.begin); }

  void add(const CommaRun& run) {
    pieces_ += run.size();
    numbers_ += (run.size() + 1) / 2;
    only_pairs_ = only_pairs_ && (run.size() == 1 || run.size() % 2 == 0);
    for (std::size_t at = 1; at < run.size(); ++at) {
      const std::string_view whole = without_sign(piece(run[at - 1])), decimals = piece(run[at]);
      const bool is_pair = are_digits(whole) && are_digits(decimals);
      const bool has_zero = is_pair && decimals.size() > 1 && decimals.front() == '0';
      if (is_pair && (!first_ || (has_zero && !has_leading_zero_))) first_ = TextRange{run[at - 1].begin, run[at].end};
      has_leading_zero_ = has_leading_zero_ || has_zero;
      if (at % 2 == 0) continue;
      pairs_ += is_pair ? 1 : 0;
      only_pairs_ = only_pairs_ && is_pair;
      all_below_one_ = all_below_one_ && whole == "0";
      all_long_ = all_long_ && decimals.size() > 1;
    }
  }

  std::string_view text_;
  std::size_t pieces_ = 0;   // as they are read
  std::size_t numbers_ = 0;  // if each comma at its place stood before decimals
  std::size_t pairs_ = 0;
  bool alternates_ = false;  // commas and blanks, in a row
  bool only_pairs_ = true, all_below_one_ = true, all_long_ = true;
  bool has_leading_zero_ = false;
  std::optional<TextRange> first_;
};

}  // namespace

std::optional<Diagnostic> decimal_comma_fault(std::string_view text, const std::vector<CommaRuns>& rows,
                                              std::optional<std::size_t> wanted, const std::string& or_else) {
  CommaCensus census(text);
  for (const CommaRuns& row : rows) census.add(row);
  if (!census.are_decimal(wanted)) return std::nullopt;
  const TextRange place = *census.first();
  const std::string_view written = text.substr(place.begin, place.end - place.begin);
  std::string meant = shown(written);
  std::ranges::replace(meant, ',', '.');
  return Diagnostic{.code = "decimal-comma",
                    .where = "",
                    .message = "commas separate numbers here, so \"" + shown(written) + "\" is two",
                    .help = "decimals stand after a point: " + meant + or_else,
                    .range = place};
}

}  // namespace attn
