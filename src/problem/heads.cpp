#include "problem/heads.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace attn {
namespace {

// Something that says how many heads there are.
struct Evidence {
  std::string where, text;
  std::size_t count;
  bool of_keys = false;  // or of values
};

using AllEvidence = std::vector<Evidence>;

void add_given(AllEvidence& evidence, const std::string& where, const Stated<std::size_t>& given) {
  if (given) evidence.push_back({where, shown(where) + " is " + std::to_string(*given), *given});
}

void add_matrices(AllEvidence& evidence, const std::string& where, std::optional<std::size_t> count, bool of_keys) {
  if (!count) return;
  evidence.push_back({where, shown(where) + " has " + counted(*count, "matrix") + ", one a head", *count, of_keys});
}

class HeadCount {
 public:
  HeadCount(const Statement& statement, const Sources& sources, const std::array<const Part*, 3>& parts,
            const std::array<const std::optional<ExtraSides>*, 2>& extra, Setting& setting, Faults& faults)
      : statement_(statement), sources_(sources), parts_(parts), extra_(extra), setting_(setting), faults_(faults) {}

  void run() {
    // Where keys and values share heads, what they have says nothing of the queries.
    const bool shares = statement_.kv_heads.is_given();
    AllEvidence of_queries, of_keys;
    add_given(of_queries, statement_.place("/heads"), statement_.heads);
    add_given(of_keys, kv_heads_, statement_.kv_heads);
    AllEvidence& rest = shares ? of_keys : of_queries;
    const Side* const sides[] = {sources_.query_side(), sources_.key_side(), sources_.value_side()};
    for (std::size_t i = 0; i < 3; ++i) {
      if (sides[i]) add_matrices(i == 0 ? of_queries : rest, sides[i]->where, sides[i]->heads, i > 0);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const std::optional<WeightMatrix>& matrix = parts_[i]->matrix;
      if (matrix && !setting_.split_input)
        add_matrices(i == 0 ? of_queries : rest, matrix->where, matrix->matrices, i > 0);
    }
    const bool extra_counts = of_queries.empty() && !shares;
    if (extra_counts) add_extra(of_queries);
    // What is faulty could have said how many there are.
    const auto is_whole = [](const Part* part) { return !part->is_faulty; };
    setting_.heads_known =
        statement_.heads || (!statement_.heads.is_faulty() && std::ranges::all_of(parts_, is_whole) && sides[0] &&
                             sides[1] && sides[2] && !(extra_counts && of_queries.empty() && has_faulty_extra()));
    setting_.heads = agreed(of_queries);
    check_split();
    if (shares) count_shared(of_keys);
  }

 private:
  void add_extra(AllEvidence& evidence) const {
    for (const std::optional<ExtraSides>* sides : extra_) {
      if (!*sides) continue;
      for (const Side* side : {&(*sides)->keys, &(*sides)->values}) {
        if (evidence.empty()) add_matrices(evidence, side->where, side->heads, true);
      }
    }
  }

  bool has_faulty_extra() const {
    return (statement_.past.is_given() && !*extra_[0]) || (statement_.appended.is_given() && !*extra_[1]);
  }

  std::optional<std::size_t> agreed(const AllEvidence& evidence) {
    for (const Evidence& one : evidence) {
      if (one.count == evidence.front().count) continue;
      std::string help =
          "heads, matrices of weights and matrices of queries, keys and values are as many as each other";
      if (could_share(evidence, one))
        help += "; where several query heads share one of the keys, say \"kv_heads\": " + std::to_string(one.count);
      faults_.add("heads", one.where, one.text + ", and " + evidence.front().text, help);
      setting_.heads_known = false;
    }
    return evidence.empty() ? std::nullopt : std::optional(evidence.front().count);
  }

  // Whether all that was said up to here would agree if keys and values had as many heads as this one says, and queries
  // those said first.
  bool could_share(const AllEvidence& evidence, const Evidence& here) const {
    const std::size_t of_queries = evidence.front().count;
    return !statement_.kv_heads.is_given() && of_queries > here.count && of_queries % here.count == 0 &&
           std::all_of(evidence.data(), &here + 1,
                       [&](const Evidence& one) { return one.count == (one.of_keys ? here.count : of_queries); });
  }

  void check_split() {
    if (!setting_.split_input) return;
    if (sources_.form == Sources::Form::direct) {
      faults_.add_of("contradiction", split_, R"(is "input", and queries are given directly)",
                     "there are no inputs to split");
      setting_.heads_known = false;
    } else if (!statement_.heads.is_given()) {
      faults_.add_of("missing-member", split_, R"(is "input", and "heads" is not given)",
                     "say into how many heads the inputs are split");
      setting_.heads_known = false;
    }
  }

  // Grouped-query attention: the heads of keys and values (Ainslie et al. 2023).
  void count_shared(const AllEvidence& of_keys) {
    if (statement_.kv_heads.is_faulty()) setting_.heads_known = false;
    const std::optional<std::size_t> count = agreed(of_keys);
    if (setting_.split_input) {
      faults_.add_at_key("contradiction", kv_heads_,
                         shown(kv_heads_) + " is given, and " + shown(split_) + R"( is "input")",
                         "all heads share one matrix then");
      setting_.heads_known = false;
      return;
    }
    if (!statement_.kv_heads || !setting_.heads_known) return;
    if (!setting_.heads) {
      faults_.add_at_key("missing-member", kv_heads_, shown(kv_heads_) + R"( is given, and "heads" is not)",
                         "say how many heads the queries have");
      setting_.heads_known = false;
    } else if (*setting_.heads % *count != 0) {
      faults_.add_of("heads", kv_heads_,
                     "is " + std::to_string(*count) + ", and there are " + counted(*setting_.heads, "head"),
                     "heads are a multiple of kv_heads: as many query heads share each key and value head");
      setting_.heads_known = false;
    } else if (*count != *setting_.heads) {
      setting_.kv_heads = count;
    }
  }

  const Statement& statement_;
  const std::string kv_heads_ = statement_.place("/kv_heads"), split_ = statement_.place("/split");
  const Sources& sources_;
  const std::array<const Part*, 3>& parts_;
  const std::array<const std::optional<ExtraSides>*, 2>& extra_;
  Setting& setting_;
  Faults& faults_;
};

}  // namespace

void count_heads(const Statement& statement, const Sources& sources, const std::array<const Part*, 3>& parts,
                 const std::array<const std::optional<ExtraSides>*, 2>& extra, Setting& setting, Faults& faults) {
  HeadCount(statement, sources, parts, extra, setting, faults).run();
}

}  // namespace attn
