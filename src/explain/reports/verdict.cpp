#include "explain/reports/verdict.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "base/expression.h"
#include "base/numbers.h"
#include "base/rounding.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "explain/place.h"
#include "explain/reports/handed_in.h"
#include "words/language.h"

namespace attn {
namespace {

// As a sentence, whatever it ends in.
std::string sentence(const std::string& text) {
  if (text.empty()) return text;
  const bool ended = text.ends_with('.') || text.ends_with('?') || text.ends_with('!');
  return capitalised(text) + (ended ? "" : ".");
}

// "3 × 4", of a matrix that somebody wrote.
std::string sizes(const std::vector<std::size_t>& shape) {
  if (shape.size() == 1) return attn::counted(shape[0], "number");
  return spelled_sizes(shape);
}

bool is_wrong(const MarkedStep& step) { return step.count(CellState::wrong) > 0 || !step.given_shape.empty(); }

// Whether all of it is in that state.
bool is_all(const MarkedStep& step, CellState state) {
  return step.given_shape.empty() && !step.cells.empty() && step.count(state) == step.cells.size();
}

// What a mistake of the catalogue is, in words.
std::string what_happened(const std::string& id) {
  if (const Mistake* known = mistake_named(id)) return known->words.what;
  return "`" + id + "`";
}

class VerdictTeller {
 public:
  VerdictTeller(const Report& report, const Trace& trace, const VerdictOptions& options, int level, Document& document)
      : report_(report),
        trace_(trace),
        options_(options),
        level_(level),
        numerals_(decimals_shown(options.precision), trace),
        document_(document) {}

  void tell() {
    say_what_is_right();
    bool any_section = false;
    for (const MarkedStep& step : report_.steps) {
      if (!is_wrong(step)) continue;
      tell_wrong(step);
      any_section = true;
    }
    tell_others(any_section);
    tell_what_is_wide();
    // Notes and conventions in answers where nothing is wrong.
    tell_diagnoses(nullptr);
    for (const std::string& note : report_.notes) add(Remark{{sentence(note)}});
  }

 private:
  void add(Block block) { document_.add(std::move(block)); }
  void say(std::string text) { add(Prose{{std::move(text)}}); }
  bool reveals(Reveal what) const { return options_.reveal >= what; }

  void say_what_is_right() {
    std::vector<std::string> right;
    std::size_t numbers = 0;
    for (const MarkedStep& step : report_.steps) {
      if (!is_all(step, CellState::right)) continue;
      right.push_back(in_words(step.id));
      numbers += step.cells.size();
    }
    if (report_.steps.empty()) return say(said_.nothing_to_mark);
    if (right.empty()) {
      if (report_.verdict == Verdict::incomplete) say(said_.nothing_wrong);
      return;
    }
    const std::string names = capitalised(listed(right));
    if (right.size() < report_.steps.size()) return say(said_.some_right(names, right.size()));
    say(said_.all_right(names, numbers));
  }

  // The last step handed in before this one in which something went wrong.
  std::string earlier(const MarkedStep& step) const {
    std::string words = said_.before;
    for (const MarkedStep& other : report_.steps) {
      if (&other == &step) break;
      if (is_wrong(other) && is_made_from(step.id, other.id)) words = said_.your(in_words(other.id));
    }
    return words;
  }

  // What becomes of a number that only follows from an earlier slip.
  std::string counts() const { return options_.follows_counts ? said_.not_marked_again : said_.no_new_slip; }

  // Whether the numbers of one step go into another's.
  bool is_made_from(const std::string& id, const std::string& from) const {
    const Recipe& recipe = trace_.recipe;
    const auto first = recipe.line(from), last = recipe.line(id);
    if (!first || !last) return false;
    std::set<std::string> wanted = {id};
    for (std::size_t line = *last + 1; line-- > *first;) {
      const Instruction& made = recipe.instruction(line);
      if (!wanted.contains(made.id())) continue;
      for (const Operand& operand : made.operands) wanted.insert(operand.id);
    }
    return wanted.contains(from);
  }

  // "5 of 9 right, 4 not right yet"
  std::string counted(const MarkedStep& step) const {
    const std::size_t all = step.cells.size();
    if (all == 1) return the_number(step);
    if (step.count(CellState::wrong) == all) return said_.none_right(all);
    const std::pair<CellState, std::string> states[] = {
        {CellState::right, said_.right},
        {CellState::wrong, said_.not_right_yet},
        {CellState::consistent, said_.follows(earlier(step), counts(), step.count(CellState::consistent) == 1)},
        {CellState::blank, said_.blank},
        {CellState::too_coarse, said_.too_few_digits}};
    std::vector<std::string> parts;
    for (const auto& [state, words] : states) {
      const std::size_t count = step.count(state);
      if (count > 0) parts.push_back(said_.so_many(count, all, parts.empty()) + " " + words);
    }
    return listed(parts);
  }

  // The same of a step with one. That it is right, or follows, is told of all steps alike.
  std::string the_number(const MarkedStep& step) const {
    const CellState state = step.cells.front().state;
    assert(state != CellState::right && state != CellState::consistent);
    if (state == CellState::too_coarse) return said_.the_number_has_too_few_digits;
    return said_.the_number_is(state == CellState::wrong ? said_.not_right_yet : said_.blank);
  }

  void tell_wrong(const MarkedStep& step) {
    const std::string name = capitalised(in_words(step.id));
    if (!step.given_shape.empty()) {
      tell_shape(step, name);
    } else if (!reveals(Reveal::cell)) {
      say(name + ": " + counted(step) + ".");
    } else {
      const Step* known = trace_.find(step.id);
      add(Headline{level_, {known ? Span(name, known->heading.role) : Span(name)}});
      say(sentence(counted(step)));
      tell_cells(step);
    }
    tell_diagnoses(&step);
  }

  void tell_shape(const MarkedStep& step, const std::string& name) {
    if (reveals(Reveal::cell)) add(Headline{level_, {name}});
    std::string text = said_.you_wrote(reveals(Reveal::cell) ? "" : name, sizes(step.given_shape));
    if (const Step* right = shown_like(step)) {
      std::vector<std::size_t> wanted;
      std::string axes;
      for (const Dim& dim : right->result.shape().dims()) {
        wanted.push_back(dim.size);
        axes += (axes.empty() ? ", " : " × ") + language().telling.axis(dim.axis);
      }
      text += said_.this_step_is(sizes(wanted)) + axes;
    }
    say(text + ".");
  }

  // The step; or of one that the problem does not have, that which it comes from, where it has its shape.
  const Step* shown_like(const MarkedStep& step) const {
    if (const Step* found = trace_.find(step.id)) return found;
    for (const RecipePart& part : trace_.recipe.parts()) {
      if (!part.attention) continue;
      const Anatomy& at = *part.attention;
      for (const auto& [id, like] :
           {std::pair(at.scaled, at.scores), std::pair(at.masked, at.scores), std::pair(at.output, at.concat),
            std::pair(at.output, at.context), std::pair(at.concat, at.context),
            std::pair(at.projected_queries, at.queries), std::pair(at.projected_keys, at.keys),
            std::pair(at.projected_values, at.values)}) {
        const Step* const found = step.id == id ? trace_.find(like) : nullptr;
        // Heads stand side by side in what is projected, and in what is made of their contexts.
        if (found && (like == at.scores || !found->result.shape().has("head"))) return found;
      }
    }
    return nullptr;
  }

  void tell_cells(const MarkedStep& step) {
    const Step* like = shown_like(step);
    if (!like) return;
    HandedIn handed = handed_in(step, *like, trace_, numerals_);
    const std::size_t all = handed.written.size();
    const std::size_t told = options_.full ? all : std::min(all, most_places);
    const std::string signs = legend(handed.written);
    for (std::size_t i = 0; i < told; ++i) {
      add(std::move(handed.written[i]));
      if (reveals(Reveal::value)) add(std::move(handed.expected[i]));
    }
    if (!signs.empty()) say(signs);
    if (told == all) return;
    say(said_.more_matrices(all - told));
    document_.hint(language().telling.all_by);
  }

  // Where a step stands in the computation; at its beginning if it is not known.
  std::size_t order(const std::string& id) const {
    const auto found = std::ranges::find(trace_.steps, id, [](const Step& step) { return step.heading.id; });
    return found == trace_.steps.end() ? 0 : static_cast<std::size_t>(found - trace_.steps.begin());
  }

  // The step under which a diagnosis is told: the first wrong one from where it was made.
  const MarkedStep* shows_at(const Diagnosis& diagnosis) const {
    const MarkedStep *behind = nullptr, *last = nullptr;
    for (const MarkedStep& step : report_.steps) {
      if (!is_wrong(step)) continue;
      if (step.id == diagnosis.step) return &step;
      if (!behind && order(step.id) >= order(diagnosis.step)) behind = &step;
      last = &step;
    }
    return behind ? behind : last;
  }

  // What shows at that step; null for what shows at none.
  void tell_diagnoses(const MarkedStep* step) {
    if (!reveals(Reveal::hint)) return;
    for (const Diagnosis& diagnosis : report_.diagnoses) {
      if (shows_at(diagnosis) == step) tell(diagnosis);
    }
  }

  // "scores[1,2], [2,1]"; empty where that is too long to read.
  static std::string where(const Diagnosis& diagnosis) {
    constexpr std::size_t most = 4;
    if (diagnosis.cells.empty() || diagnosis.cells.size() > most) return "";
    std::vector<std::string> places;
    for (const auto& index : diagnosis.cells) places.push_back(spelled_index(index));
    return diagnosis.step + listed(places);
  }

  void tell(const Diagnosis& diagnosis) {
    const bool handed_in = std::ranges::find(report_.steps, diagnosis.step, &MarkedStep::id) != report_.steps.end();
    std::string text = sentence(diagnosis.message);
    const std::string cells = handed_in ? where(diagnosis) : "";
    if (!cells.empty() && text.ends_with('.')) text.insert(text.size() - 1, " (" + cells + ")");
    if (!diagnosis.evidence.empty()) text += " " + sentence(diagnosis.evidence);
    if (!handed_in && !diagnosis.step.empty()) text += said_.not_handed_in(in_words(diagnosis.step));
    if (diagnosis.kind == MistakeKind::error) {
      say(std::move(text));
    } else {
      add(Remark{{std::move(text)}});
    }
    tell_ties(diagnosis);
    if (!diagnosis.hint.empty()) say(language().telling.what_to_do(sentence(diagnosis.hint)));
    if (diagnosis.mistake == "unexplained") point_to_why(diagnosis);
  }

  // Where no mistake explains a number, its own arithmetic may.
  void point_to_why(const Diagnosis& diagnosis) {
    const auto step = std::ranges::find(report_.steps, diagnosis.step, &MarkedStep::id);
    if (options_.problem.empty() || options_.problem == "-" || !trace_.find(diagnosis.step)) return;
    if (step == report_.steps.end() || !step->given_shape.empty()) return;
    const auto wrong = std::ranges::find(step->cells, CellState::wrong, &MarkedCell::state);
    if (diagnosis.cells.empty() && wrong == step->cells.end()) return;
    const auto& index = diagnosis.cells.empty() ? wrong->index : diagnosis.cells.front();
    document_.hint(said_.how_it_comes_about(shell_file(options_.problem), shell_word(step->id + spelled_index(index))));
  }

  void tell_ties(const Diagnosis& diagnosis) {
    if (diagnosis.ties.empty()) return;
    constexpr std::size_t most = 3;
    const std::size_t told = options_.full ? diagnosis.ties.size() : std::min(most, diagnosis.ties.size());
    std::vector<std::string> what;
    for (std::size_t i = 0; i < told; ++i) what.push_back(what_happened(diagnosis.ties[i]));
    say(said_.ties(what, diagnosis.ties.size()));
  }

  // Steps in which nothing is wrong, and not all is right.
  void tell_others(bool under_a_heading) {
    bool first = true;
    for (const MarkedStep& step : report_.steps) {
      if (step.cells.empty() || is_wrong(step) || is_all(step, CellState::right)) continue;
      if (std::exchange(first, false) && under_a_heading && reveals(Reveal::cell))
        add(Headline{level_, {said_.the_rest}});
      const std::string name = capitalised(in_words(step.id));
      // A number that is right by chance as well is not worth a word.
      if (step.count(CellState::consistent) + step.count(CellState::right) == step.cells.size()) {
        say(said_.step_follows(name, earlier(step), counts()));
        continue;
      }
      say(name + ": " + counted(step) + ".");
      if (reveals(Reveal::cell) && step.count(CellState::too_coarse) > 0) tell_cells(step);
    }
  }

  // How many decimals the numbers of a step were written with, at most; nothing
  // where they are exactly what they should be.
  static std::optional<int> decimals_of_rounded(const MarkedStep& step) {
    int most = 0;
    bool is_rounded = false;
    for (const MarkedCell& cell : step.cells) {
      const Result<SpelledNumber> number = spelled_number(cell.given);
      if (!number || !number.value().decimals) continue;
      most = std::max(most, *number.value().decimals);
      is_rounded =
          is_rounded || cell.accepted.width() > 1e-9 || std::abs(cell.accepted.low - number.value().value) > 1e-9;
    }
    return is_rounded ? std::optional(most) : std::nullopt;
  }

  // The number with two digits that say something.
  static std::string in_two_digits(double number) {
    int decimals = 0;
    for (double scaled = number; scaled < 10 && decimals < 12; scaled *= 10) ++decimals;
    return shortest(rounded(number, {decimals, RoundingMode::half_up}));
  }

  // What was accepted within a range that is wide for the digits written, and why.
  void tell_what_is_wide() {
    constexpr double most_units = 50;
    if (!reveals(Reveal::hint) || options_.by_fixed_rule) return;
    const MarkedStep* coarsest = nullptr;  // of those before
    int fewest = 0;                        // decimals of it
    for (const MarkedStep& step : report_.steps) {
      const std::optional<int> decimals = decimals_of_rounded(step);
      if (!decimals) continue;
      double units = step.width;
      for (int i = 0; i < *decimals; ++i) units *= 10;
      if (units > most_units && step.count(CellState::right) > 0) {
        const std::string why =
            coarsest ? said_.written_with(in_words(coarsest->id), fewest) : said_.may_be_rounded.text();
        add(Remark{{said_.accepted_widely(in_words(step.id), in_two_digits(step.width), why)}});
      }
      if (coarsest && fewest < *decimals) continue;
      coarsest = &step;
      fewest = *decimals;
    }
  }

  const VerdictWords& said_ = language().verdicts;
  const Report& report_;
  const Trace& trace_;
  const VerdictOptions& options_;
  int level_;
  Numerals numerals_;
  Document& document_;
};

}  // namespace

void tell_verdict(const Report& report, const Trace& trace, const VerdictOptions& options, int level,
                  Document& document) {
  VerdictTeller(report, trace, options, level, document).tell();
}

Document verdict(const Report& report, const Trace& trace, const VerdictOptions& options) {
  Document document = titled(trace.title);
  if (!options.name.empty()) document.add(Prose{{language().verdicts.handed_in_by(options.name)}});
  tell_verdict(report, trace, options, 2, document);
  return document;
}

}  // namespace attn
