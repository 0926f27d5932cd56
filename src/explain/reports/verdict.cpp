#include "explain/reports/verdict.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "explain/telling/axes.h"
#include "explain/telling/matrices.h"
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
  return step.given_shape.empty() && step.count(state) == step.cells.size();
}

// What a mistake of the catalogue is, in words.
std::string what_happened(const std::string& id) {
  if (const Mistake* known = mistake_named(id)) return known->words.what;
  return "`" + id + "`";
}

Mark mark_of(CellState state) {
  switch (state) {
    case CellState::right:
      return Mark::right;
    case CellState::wrong:
      return Mark::wrong;
    case CellState::blank:
      return Mark::blank;
    case CellState::consistent:
      return Mark::follows;
    case CellState::too_coarse:
      return Mark::unsure;
  }
  return Mark::right;
}

// The sign before a number, so that the marks show without colour.
std::string sign(Mark mark) {
  switch (mark) {
    case Mark::wrong:
      return "✗ ";
    case Mark::follows:
      return "↳ ";
    case Mark::unsure:
      return "? ";
    case Mark::blank:
      return "·";
    case Mark::right:
    case Mark::not_asked:
      return "";
  }
  return "";
}

// What the signs in these matrices mean.
std::string legend(const std::vector<Matrix>& matrices) {
  const auto shows = [&](Mark mark) {
    return std::ranges::any_of(matrices,
                               [&](const Matrix& m) { return std::ranges::find(m.marks, mark) != m.marks.end(); });
  };
  std::vector<std::string> words;
  if (shows(Mark::wrong)) words.emplace_back(language().verdicts.sign_wrong);
  if (shows(Mark::follows)) words.emplace_back(language().verdicts.sign_follows);
  if (shows(Mark::unsure)) words.emplace_back(language().verdicts.sign_unsure);
  if (shows(Mark::blank)) words.emplace_back(language().verdicts.sign_blank);
  return listed(words);
}

class VerdictTeller {
 public:
  // `level` is that of the heading of a step.
  VerdictTeller(const Report& report, const Trace& trace, const VerdictOptions& options, int level, Document& document)
      : report_(report),
        trace_(trace),
        options_(options),
        level_(level),
        numerals_(decimals_shown(options.precision), trace),
        matrices_(trace, numerals_),
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
    tell_untold();
    for (const std::string& note : report_.notes) add(Remark{{sentence(note)}});
  }

 private:
  void add(Block block) { document_.blocks.push_back(std::move(block)); }
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
    if (report_.steps.empty()) return say(language().verdicts.nothing_to_mark);
    if (right.empty()) {
      if (report_.verdict == Verdict::incomplete) say(language().verdicts.nothing_wrong);
      return;
    }
    const std::string names = capitalised(listed(right));
    if (right.size() < report_.steps.size()) return say(language().verdicts.some_right(names, right.size()));
    say(language().verdicts.all_right(names, numbers));
  }

  // The last step handed in before this one in which something went wrong.
  std::string earlier(const MarkedStep& step) const {
    std::string words = language().verdicts.before;
    for (const MarkedStep& other : report_.steps) {
      if (&other == &step) break;
      if (is_wrong(other)) words = language().verdicts.your(in_words(other.id));
    }
    return words;
  }

  // "5 of 9 right, 4 not right yet"
  std::string counted(const MarkedStep& step) const {
    const VerdictWords& said = language().verdicts;
    const std::size_t all = step.cells.size();
    if (all > 1 && step.count(CellState::wrong) == all) return language().verdicts.none_right(all);
    std::vector<std::string> parts;
    const auto part = [&](CellState state, const std::string& one, const std::string& several) {
      const std::size_t count = step.count(state);
      if (count == 0) return;
      parts.push_back(said.so_many(count, all, parts.empty()) + " " + (count == 1 ? one : several));
    };
    part(CellState::right, said.right, said.right);
    part(CellState::wrong, said.not_right_yet, said.not_right_yet);
    const std::string from = earlier(step);
    part(CellState::consistent, said.follows(from, true), said.follows(from, false));
    part(CellState::blank, said.blank, said.blank);
    part(CellState::too_coarse, said.too_few_digits, said.too_few_digits);
    return listed(parts);
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
    if (reveals(Reveal::hint)) tell_diagnoses(step);
  }

  void tell_shape(const MarkedStep& step, const std::string& name) {
    if (reveals(Reveal::cell)) add(Headline{level_, {name}});
    std::string text = language().verdicts.you_wrote(reveals(Reveal::cell) ? "" : name, sizes(step.given_shape));
    if (const Step* right = shown_like(step)) {
      std::vector<std::size_t> wanted;
      std::string axes;
      for (const Dim& dim : right->result.shape().dims()) {
        wanted.push_back(dim.size);
        axes += (axes.empty() ? "" : " × ") + axis_words(dim.axis);
      }
      text += language().verdicts.this_step_is(sizes(wanted)) + (axes.empty() ? "" : ", " + axes);
    }
    say(text + ".");
  }

  // The step, or one that has its shape: scaled scores, where nothing is scaled, look like scores.
  const Step* shown_like(const MarkedStep& step) const {
    const Step* found = trace_.find(step.id);
    if (!found && trace_.attention()) found = trace_.find(trace_.attention()->scores);
    return found;
  }

  struct Shown {
    std::vector<Matrix> handed, expected;
  };

  // The matrices of a step as handed in, those in which all is right left out.
  Shown laid_out(const MarkedStep& step) const {
    Shown shown;
    const Step* like = shown_like(step);
    if (!like) return shown;
    const Shape& shape = like->result.shape();
    std::map<std::size_t, const MarkedCell*> marked;
    for (const MarkedCell& cell : step.cells) {
      if (cell.index.size() != shape.rank()) return shown;
      std::size_t at = 0;
      for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        if (cell.index[axis] >= shape[axis].size) return shown;
        at = at * shape[axis].size + cell.index[axis];
      }
      marked.emplace(at, &cell);
    }
    for (const Place& place : outer_places(shape, 0, 0)) {
      for (const Matrix& matrix : matrices_.of(*like, place)) {
        Matrix handed = bare(matrix, step.id);
        Matrix expected = bare(matrix, step.id);
        handed.title = language().verdicts.as_written;
        expected.title = language().verdicts.as_expected;
        expected.beside = true;
        fill(matrix, marked, handed, expected);
        const bool all_right =
            std::ranges::all_of(handed.marks, [](Mark mark) { return mark == Mark::right || mark == Mark::not_asked; });
        if (all_right) continue;
        shown.handed.push_back(std::move(handed));
        shown.expected.push_back(std::move(expected));
      }
    }
    return shown;
  }

  // What of a matrix does not depend on its numbers.
  Matrix bare(const Matrix& matrix, const std::string& id) const {
    Matrix bare;
    const Step* step = trace_.find(id);
    bare.step = id;
    bare.role = matrix.role;
    bare.symbol = step ? matrix.symbol : Formula(capitalised(in_words(id)));
    bare.place = matrix.place;
    bare.sizes = "[" + std::to_string(matrix.rows()) + " × " + std::to_string(matrix.columns()) + "]";
    bare.words = matrix.words.substr(0, matrix.words.find(';'));
    bare.row_axis = matrix.row_axis;
    bare.column_axis = matrix.column_axis;
    bare.row_labels = matrix.row_labels;
    bare.column_labels = matrix.column_labels;
    bare.first = matrix.first;
    bare.row_stride = matrix.row_stride;
    bare.column_stride = matrix.column_stride;
    bare.reading = {Given{}, {}, std::nullopt, matrix.reading.result};
    return bare;
  }

  void fill(const Matrix& matrix, const std::map<std::size_t, const MarkedCell*>& marked, Matrix& handed,
            Matrix& expected) const {
    std::vector<double> numbers;
    std::vector<const MarkedCell*> cells;
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
      for (std::size_t column = 0; column < matrix.columns(); ++column) {
        const auto found = marked.find(matrix.first + row * matrix.row_stride + column * matrix.column_stride);
        cells.push_back(found == marked.end() ? nullptr : found->second);
        if (cells.back()) numbers.push_back(cells.back()->expected);
      }
    }
    const NumberFormat format = numerals_.format(numbers);
    for (const MarkedCell* cell : cells) {
      const Mark mark = cell ? mark_of(cell->state) : Mark::not_asked;
      handed.marks.push_back(mark);
      handed.handed_in.push_back(cell ? sign(mark) + cell->given : "");
      expected.handed_in.push_back(cell ? written(cell->expected, format) : "");
    }
  }

  void tell_cells(const MarkedStep& step) {
    Shown shown = laid_out(step);
    const std::size_t most = options_.full ? shown.handed.size() : std::min(shown.handed.size(), most_places);
    for (std::size_t i = 0; i < most; ++i) {
      add(shown.handed[i]);
      if (reveals(Reveal::value)) add(std::move(shown.expected[i]));
    }
    if (const std::string words = legend(shown.handed); !words.empty()) say(words);
    if (most < shown.handed.size()) {
      say(language().verdicts.more_matrices(shown.handed.size() - most));
    }
  }

  // Where a step stands in the computation; at its beginning if it is not known.
  std::size_t order(const std::string& id) const {
    const auto found = std::ranges::find(trace_.steps, id, [](const Step& step) { return step.heading.id; });
    return found == trace_.steps.end() ? 0 : static_cast<std::size_t>(found - trace_.steps.begin());
  }

  // The step under which a diagnosis is told: the first wrong one from where it was made.
  const MarkedStep* shows_at(const Diagnosis& diagnosis) const {
    const MarkedStep* last = nullptr;
    for (const MarkedStep& step : report_.steps) {
      if (!is_wrong(step)) continue;
      if (step.id == diagnosis.step) return &step;
      last = &step;
    }
    for (const MarkedStep& step : report_.steps) {
      if (is_wrong(step) && order(step.id) >= order(diagnosis.step)) return &step;
    }
    return last;
  }

  void tell_diagnoses(const MarkedStep& step) {
    for (const Diagnosis& diagnosis : report_.diagnoses) {
      if (shows_at(diagnosis) == &step) tell(diagnosis);
    }
  }

  // Notes and conventions in answers where nothing is wrong.
  void tell_untold() {
    if (!reveals(Reveal::hint)) return;
    for (const Diagnosis& diagnosis : report_.diagnoses) {
      if (!shows_at(diagnosis)) tell(diagnosis);
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
    if (!handed_in && !diagnosis.step.empty()) {
      text += language().verdicts.not_handed_in(in_words(diagnosis.step));
    }
    if (diagnosis.kind == MistakeKind::error) {
      say(std::move(text));
    } else {
      add(Remark{{std::move(text)}});
    }
    tell_ties(diagnosis);
    if (!diagnosis.hint.empty()) say(language().telling.what_to_do(sentence(diagnosis.hint)));
  }

  void tell_ties(const Diagnosis& diagnosis) {
    if (diagnosis.ties.empty()) return;
    constexpr std::size_t most = 3;
    const std::size_t told = options_.full ? diagnosis.ties.size() : std::min(most, diagnosis.ties.size());
    std::vector<std::string> what;
    for (std::size_t i = 0; i < told; ++i) what.push_back(what_happened(diagnosis.ties[i]));
    say(language().verdicts.ties(what, diagnosis.ties.size()));
  }

  // Steps in which nothing is wrong, and not all is right.
  void tell_others(bool under_a_heading) {
    bool first = true;
    for (const MarkedStep& step : report_.steps) {
      if (is_wrong(step) || is_all(step, CellState::right)) continue;
      if (std::exchange(first, false) && under_a_heading && reveals(Reveal::cell))
        add(Headline{level_, {language().verdicts.the_rest}});
      const std::string name = capitalised(in_words(step.id));
      // A number that is right by chance as well is not worth a word.
      if (step.count(CellState::consistent) + step.count(CellState::right) == step.cells.size()) {
        say(language().verdicts.step_follows(name, earlier(step)));
        continue;
      }
      say(name + ": " + counted(step) + ".");
      if (reveals(Reveal::cell) && step.count(CellState::too_coarse) > 0) tell_cells(step);
    }
  }

  const Report& report_;
  const Trace& trace_;
  const VerdictOptions& options_;
  int level_;
  Numerals numerals_;
  MatrixMaker matrices_;
  Document& document_;
};

std::string verdict_words(const MarkedFile& file) {
  if (!file.report) return language().verdicts.not_read;
  switch (file.report->verdict) {
    case Verdict::right:
      return language().verdicts.right;
    case Verdict::wrong:
      return language().verdicts.wrong;
    case Verdict::incomplete:
      return language().verdicts.incomplete;
  }
  return "";
}

// "scale.none or scale.by_n"
std::string likely(const Report& report) {
  constexpr std::size_t most = 3;
  for (const Diagnosis& diagnosis : report.diagnoses) {
    if (diagnosis.kind == MistakeKind::note) continue;
    std::string text = diagnosis.mistake;
    for (std::size_t i = 0; i < std::min(most, diagnosis.ties.size()); ++i)
      text += language().verdicts.or_another.text() + diagnosis.ties[i];
    return text + (diagnosis.ties.size() > most ? language().verdicts.or_another.text() + "…" : "");
  }
  return "";
}

Table overview(std::span<const MarkedFile> files, Reveal reveal) {
  Table table{{}, {{language().verdicts.file}, {language().verdicts.verdict}, {language().verdicts.first_wrong}}, {}};
  const bool hints = reveal >= Reveal::hint;
  if (hints) table.header.push_back({language().verdicts.likely});
  for (const MarkedFile& file : files) {
    std::vector<Inline> row = {{file.file}, {verdict_words(file)}};
    row.push_back({file.report ? file.report->first_wrong : ""});
    if (hints) row.push_back({file.report ? likely(*file.report) : ""});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string totals(std::span<const MarkedFile> files) {
  std::string text = attn::counted(files.size(), "file") + ": ";
  std::vector<std::string> parts;
  const VerdictWords& said = language().verdicts;
  for (const std::string& words :
       {said.right.text(), said.incomplete.text(), said.wrong.text(), said.not_read.text()}) {
    const auto count = std::ranges::count(files, words, verdict_words);
    if (count > 0) parts.push_back(std::to_string(count) + " " + words);
  }
  return text + listed(parts) + ".";
}

}  // namespace

Document verdict(const Report& report, const Trace& trace, const VerdictOptions& options) {
  Document document;
  if (!trace.title.empty()) document.blocks.push_back(Headline{1, {trace.title}});
  VerdictTeller(report, trace, options, 2, document).tell();
  return document;
}

Document verdicts(std::span<const MarkedFile> files, const Trace& trace, const VerdictOptions& options) {
  Document document;
  if (!trace.title.empty()) document.blocks.push_back(Headline{1, {trace.title}});
  document.blocks.push_back(Prose{{totals(files)}});
  document.blocks.push_back(overview(files, options.reveal));
  for (const MarkedFile& file : files) {
    if (!file.report || file.report->verdict == Verdict::right) continue;
    document.blocks.push_back(Headline{2, {file.file}});
    VerdictTeller(*file.report, trace, options, 3, document).tell();
  }
  return document;
}

}  // namespace attn
