#include "reading/answers/answers.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/expression.h"
#include "base/numbers.h"
#include "base/suggest.h"
#include "base/text.h"
#include "problem/faults.h"
#include "reading/json/json.h"
#include "reading/json/scanner.h"
#include "reading/names/step_names.h"
#include "reading/problem/known_keys.h"

namespace attn {
namespace {

using Kind = Token::Kind;
using Cell = AnsweredStep::Cell;

constexpr std::string_view schema = "attn/answers/1";

// No step has more axes than batch, head, query, key and one more.
constexpr std::size_t most_axes = 8;

// Nobody reads more faults, and a file can have one every few bytes.
constexpr std::size_t most_faults = 1000;

// Blanks that stand for lists may fill so many cells, in a file of any size.
constexpr std::size_t most_blanks = std::size_t{1} << 18;

constexpr const char* known_here = "known here: schema, title, name, notes, steps; a key of your own begins with x-";
constexpr const char* how_to_write_steps = R"(write {"steps": {"scores": [[2, 4], [4, null]]}})";

// The text of a JSON string, from its spelling with quotes.
std::string unquoted(std::string_view quoted) {
  if (quoted.find('\\') == std::string_view::npos) return std::string(quoted.substr(1, quoted.size() - 2));
  const auto read = nlohmann::json::parse(quoted, nullptr, false);
  return read.is_string() ? read.get<std::string>() : "";
}

bool is_empty(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

class AnswersReader {
 public:
  AnswersReader(std::string_view text, const KnownSteps& known) : text_(text), known_(known), scanner_(text) {}

  Diagnostics faults;

  // REQUIRES: text that parse_json reads.
  Answers read() {
    const Token root = scanner_.next();
    if (root.kind != Kind::open_object) {
      add("wrong-kind", "", root.range, "answers are an object, { … }; this is " + in_words_of(root),
          how_to_write_steps);
      return {};
    }
    bool has_steps = false;
    each_member("", [&](const std::string& key, const std::string& where, TextRange key_range, const Token& value) {
      if (key == "steps" && !not_answers_) {
        has_steps = true;
        read_steps(where, value);
      } else {
        if (key == "schema") {
          check_schema(where, value);
        } else if (!is_free(key) && key != "steps") {
          unknown_key(key, where, key_range);
        }
        skip(value);
      }
    });
    if (!has_steps && faults.empty()) {
      add("missing-member", "", root.range, "there is no \"steps\"", how_to_write_steps);
    }
    return std::move(answers_);
  }

 private:
  static bool is_free(std::string_view key) {
    return is_free_key(key) || key == "$schema" || key == "title" || key == "name" || key == "notes";
  }

  std::string_view spelled(TextRange range) const { return text_.substr(range.begin, range.end - range.begin); }

  void add(Diagnostic fault) {
    if (faults.size() < most_faults) faults.push_back(std::move(fault));
  }

  void add(std::string code, std::string where, TextRange range, std::string message, std::string help = "") {
    add({.code = std::move(code),
         .where = std::move(where),
         .message = std::move(message),
         .help = std::move(help),
         .range = range});
  }

  std::string in_words_of(const Token& token) const {
    if (token.kind == Kind::open_object) return "an object";
    if (token.kind == Kind::open_list) return "a list";
    if (token.kind == Kind::text) return "\"" + shown(unquoted(spelled(token.range))) + "\"";
    return shown(spelled(token.range));
  }

  // Passes over what the token begins.
  void skip(const Token& value) {
    if (value.kind == Kind::open_object || value.kind == Kind::open_list) scanner_.skip_rest();
  }

  // Calls `take(key, pointer, key's range, value's first token)` for each member
  // of the object that is open; it has to leave the value behind.
  template <class Take>
  void each_member(const std::string& parent, Take take) {
    for (Token key = scanner_.next(); key.kind == Kind::text; key = scanner_.next()) {
      const std::string name = unquoted(spelled(key.range));
      scanner_.next();  // the colon
      const Token value = scanner_.next();
      take(name, pointer(parent, name), key.range, value);
      if (scanner_.next().kind != Kind::comma) return;
    }
  }

  void check_schema(const std::string& where, const Token& value) {
    const std::string name = value.kind == Kind::text ? unquoted(spelled(value.range)) : "";
    if (name == schema) return;
    not_answers_ = name.starts_with("attn/trace/") || name.starts_with("attn/report/");
    if (name.starts_with("attn/trace/")) {
      add("not-answers", where, value.range, "this is a trace: what the program computed, not what a person wrote",
          "attn schema answers says what answers look like");
    } else if (name.starts_with("attn/report/")) {
      add("not-answers", where, value.range, "this is a report on answers, not the answers",
          "give the file that was marked");
    } else {
      add("not-answers", where, value.range, "the schema is not \"" + std::string(schema) + "\"",
          "leave it out, or write it so");
    }
  }

  void unknown_key(const std::string& key, const std::string& where, TextRange range) {
    if (not_answers_) return;
    if (key == "inputs" || key == "weights" || key == "tokens" || key == "embeddings") {
      not_answers_ = true;
      return add("not-answers", where, range, shown(where) + " is a key of a problem, and this is read as answers",
                 "the problem comes first: attn check PROBLEM ANSWERS");
    }
    if (key == "statement" || key == "arithmetic" || key == "labels" || key == "backend") {
      not_answers_ = true;
      return add("not-answers", where, range, shown(where) + " is a key of a trace, and this is read as answers",
                 "attn schema answers says what answers look like");
    }
    const std::vector<std::string> keys = {"schema", "title", "name", "notes", "steps"};
    const auto near = closest(key, keys);
    const bool is_step = std::ranges::count(known_.ids, key) > 0 || key == "result";
    const auto step = is_step ? std::optional(key) : near ? std::nullopt : meant_step(key, known_.ids);
    add("unknown-key", where, range, shown(where) + " is not a key that answers have",
        step   ? "did you mean /steps/" + *step + "?"
        : near ? "did you mean /" + *near + "?"
               : known_here);
  }

  // --- steps ---------------------------------------------------------------

  void read_steps(const std::string& where, const Token& value) {
    if (value.kind != Kind::open_object) {
      add("wrong-kind", where, value.range, shown(where) + " is " + in_words_of(value) + "; an object is wanted",
          how_to_write_steps);
      return skip(value);
    }
    bool any = false;
    each_member(where, [&](const std::string& name, const std::string& place, TextRange key, const Token& first) {
      any = true;
      read_step(name, place, key, first);
    });
    if (!any) add("no-steps", where, value.range, shown(where) + " is empty: there is nothing to check");
  }

  void read_step(const std::string& name, const std::string& where, TextRange key, const Token& value) {
    AnsweredStep step;
    step.id = name == "result" ? known_.result : name;
    const bool again = !named_.insert(name).second;  // the parser has reported it
    if (step.id.empty() || std::ranges::count(known_.ids, step.id) == 0) {
      add("unknown-step", where, key, shown(where) + " is not a step that is known", help_for_step(name, known_));
    } else if (!again && std::ranges::count(answers_.steps, step.id, &AnsweredStep::id) > 0) {
      add("duplicate-step", where, key, shown(where) + " is " + step.id + ", which is given already",
          "keep one of the two");
    }
    longest_ = 0;
    if (value.kind == Kind::open_object) {
      read_placed(step, where, value);
      for (AnsweredStep::Placed& one : step.placed) {
        if (one.number) level(*one.number);
      }
    } else {
      read_whole(step, where, value);
      for (Cell& cell : step.cells) {
        if (cell) level(*cell);
      }
    }
    answers_.steps.push_back(std::move(step));
  }

  // Numbers without quotes come with -1 until the longest of them is known.
  static constexpr int as_the_longest = -1;
  void level(WrittenNumber& number) const {
    if (number.decimals == as_the_longest) number.decimals = longest_;
  }

  // --- single cells --------------------------------------------------------

  void read_placed(AnsweredStep& step, const std::string& where, const Token& object) {
    step.by_cell = true;
    std::set<std::vector<std::size_t>> seen;
    std::size_t axes = 0;
    bool any = false;
    each_member(where, [&](const std::string& name, const std::string& place, TextRange key, const Token& value) {
      any = true;
      const auto index = index_of(name);
      if (!index) {
        add("bad-index", place, key, "\"" + shown(name) + "\" is no place in a step",
            "indices count from 1, one an axis, with commas between them: \"1,2\"");
      } else if (!seen.insert(*index).second) {
        add("duplicate-cell", place, key, shown(place) + " is a cell that is given already", "keep one of the two");
      } else if (axes != 0 && axes != index->size()) {
        add("bad-index", place, key,
            shown(place) + " has " + counted_indices(index->size()) + ", and the first cell has " +
                std::to_string(axes),
            "every cell of a step takes as many indices as the step has axes");
      }
      if (index && axes == 0) axes = index->size();
      if (value.kind == Kind::open_list || value.kind == Kind::open_object) {
        add("wrong-kind", place, value.range, shown(place) + " is " + in_words_of(value) + "; one number is wanted",
            "a whole step is written as lists, with null for blanks: [[2, 4], null]");
        return skip(value);
      }
      Cell cell = cell_of(value, place);
      if (index) step.placed.push_back({*index, std::move(cell)});
    });
    if (!any) {
      add("no-numbers", where, object.range, shown(where) + " has no cells", "leave the step out, or write null");
    }
  }

  static std::string counted_indices(std::size_t count) {
    return count == 1 ? "1 index" : std::to_string(count) + " indices";
  }

  // "1,2", "[1, 2]", from 0.
  static std::optional<std::vector<std::size_t>> index_of(std::string_view name) {
    const auto trim = [](std::string_view& text) {
      while (text.starts_with(' ')) text.remove_prefix(1);
      while (text.ends_with(' ')) text.remove_suffix(1);
    };
    trim(name);
    for (const auto& [open, close] : {std::pair('[', ']'), std::pair('(', ')')}) {
      if (name.size() < 2 || name.front() != open || name.back() != close) continue;
      name = name.substr(1, name.size() - 2);
    }
    std::vector<std::size_t> index;
    for (bool more = true; more;) {
      const std::size_t comma = name.find(',');
      std::string_view one = name.substr(0, comma);
      trim(one);
      std::size_t value = 0;
      if (!parse_natural(one, value) || value == 0 || index.size() == most_axes) return std::nullopt;
      index.push_back(value - 1);
      more = comma != std::string_view::npos;
      if (more) name.remove_prefix(comma + 1);
    }
    return index;
  }

  // --- whole steps -----------------------------------------------------------

  // What the lists of a step are like, all through.
  struct Nesting {
    std::vector<std::size_t> sizes;      // of every list of a level
    std::optional<std::size_t> numbers;  // how deep the numbers stand
  };

  // The tokens are read twice: once for the sizes, which a null does not tell,
  // and once for the cells.
  void read_whole(AnsweredStep& step, const std::string& where, const Token& value) {
    const Scanner begin = scanner_;
    const std::size_t before = faults.size();
    const Nesting nesting = nesting_of(where, value);
    const Scanner end = scanner_;
    if (faults.size() > before) return;

    step.shape = nesting.sizes;
    if (std::ranges::count(step.shape, std::size_t{0}) > 0) {
      return add("no-numbers", where, value.range, shown(where) + " has a list with no numbers in it",
                 "leave the step out, or write null for each blank");
    }
    scanner_ = begin;
    fill(step, where, value);
    scanner_ = end;
  }

  static bool is_blank(const Token& token, std::string_view spelling) {
    if (token.kind == Kind::word) return spelling == "null";
    return token.kind == Kind::text && is_empty(spelling.substr(1, spelling.size() - 2));
  }

  Nesting nesting_of(const std::string& where, const Token& first) {
    Nesting nesting;
    ListPlace counts;               // how many elements each open list has so far
    std::vector<TextRange> opened;  // where it begins
    for (Token token = first;; token = scanner_.next()) {
      if (token.kind == Kind::comma) continue;
      const auto place = [&] { return pointer(where, counts); };
      if (token.kind == Kind::open_list) {
        if (nesting.numbers && counts.size() >= *nesting.numbers) {
          mixed(place(), token, "a list", "numbers");
          return leave(opened.size() + 1), nesting;
        }
        if (counts.size() == most_axes) {
          add("too-deep", place(), token.range,
              "the lists are nested more than " + std::to_string(most_axes) + " deep here", "no step has as many axes");
          return leave(opened.size() + 1), nesting;
        }
        counts.push_back(0);
        opened.push_back(token.range);
        if (counts.size() > nesting.sizes.size()) nesting.sizes.push_back(unknown);
        continue;
      }
      if (token.kind == Kind::close_list) {
        std::size_t& size = nesting.sizes[counts.size() - 1];
        const std::size_t count = counts.back();
        counts.pop_back();
        if (size == unknown) size = count;
        if (size != count) {
          uneven(place(), opened.back(), count, size, counts.size() + 1 < nesting.sizes.size());
          return leave(opened.size() - 1), nesting;
        }
        opened.pop_back();
      } else if (token.kind == Kind::open_object) {
        add("wrong-kind", place(), token.range, shown(place()) + " is an object; a number is wanted",
            R"(single cells are written {"1,2": 6.68} in place of the lists)");
        scanner_.skip_rest();
        return leave(opened.size()), nesting;
      } else if (!is_blank(token, spelled(token.range))) {
        if (!nesting.numbers && nesting.sizes.size() > counts.size()) {
          mixed(place(), token, in_words_of(token), "lists");
          return leave(opened.size()), nesting;
        }
        if (nesting.numbers && *nesting.numbers != counts.size()) {
          mixed(place(), token, in_words_of(token), "lists");
          return leave(opened.size()), nesting;
        }
        nesting.numbers = counts.size();
      }
      if (counts.empty()) return nesting;
      ++counts.back();
    }
  }

  // Leaves so many open lists behind.
  void leave(std::size_t lists) {
    for (; lists > 0; --lists) scanner_.skip_rest();
  }

  void mixed(const std::string& place, const Token& token, const std::string& what, const std::string& elsewhere) {
    add("mixed-list", place, token.range, shown(place) + " is " + what + ", where the others are " + elsewhere);
  }

  void uneven(const std::string& place, TextRange range, std::size_t count, std::size_t first, bool of_lists) {
    const std::string_view thing = of_lists ? "list" : "number";
    add("ragged-list", place, range,
        shown(place) + " has " + counted(count, thing) + ", and the first one has " + std::to_string(first),
        "write null for a blank");
  }

  void fill(AnsweredStep& step, const std::string& where, const Token& first) {
    // cells_below[d]: how many cells an element of the d-th list has.
    std::vector<std::size_t> cells_below(step.shape.size() + 1, 1);
    for (std::size_t level = step.shape.size(); level-- > 0;) {
      const std::size_t below = cells_below[level + 1];
      const bool fits = below <= std::numeric_limits<std::size_t>::max() / step.shape[level];
      cells_below[level] = fits ? below * step.shape[level] : std::numeric_limits<std::size_t>::max();
    }
    ListPlace counts;
    for (Token token = first;; token = scanner_.next()) {
      if (token.kind == Kind::comma) continue;
      if (token.kind == Kind::open_list) {
        counts.push_back(0);
        continue;
      }
      if (token.kind == Kind::close_list) {
        counts.pop_back();
      } else if (is_blank(token, spelled(token.range))) {
        if (!add_blanks(step, where, counts, token, cells_below[counts.size()])) return;
      } else {
        step.cells.push_back(cell_of(token, pointer(where, counts)));
      }
      if (counts.empty()) return;
      ++counts.back();
    }
  }

  bool add_blanks(AnsweredStep& step, const std::string& where, const ListPlace& counts, const Token& token,
                  std::size_t cells) {
    if (cells > 1) {
      const std::size_t left = std::max(most_blanks, text_.size() / 8) - blanks_;
      if (cells > left) {
        const std::string place = pointer(where, counts);
        add("too-many-blanks", place, token.range, shown(place) + " stands for too many blanks",
            R"(write single cells, {"1,2": 6.68}, where most of a step is blank)");
        return false;
      }
      blanks_ += cells;
    }
    step.cells.resize(step.cells.size() + cells);
    return true;
  }

  // --- one number -----------------------------------------------------------

  // A number, or nothing for a blank and for what is none.
  Cell cell_of(const Token& token, const std::string& where) {
    const std::string_view spelling = spelled(token.range);
    if (is_blank(token, spelling)) return std::nullopt;
    if (token.kind == Kind::word) {
      add("wrong-kind", where, token.range, shown(where) + " is " + std::string(spelling) + "; a number is wanted",
          "write 1 or 0");
      return std::nullopt;
    }
    const bool quoted = token.kind == Kind::text;
    std::string written = quoted ? unquoted(spelling) : std::string(spelling);
    const Result<SpelledNumber> number = spelled_number(written);
    if (!number) {
      add(number_fault(number.faults().front(), written, where, token.range, quoted ? 1 : 0));
      return std::nullopt;
    }
    WrittenNumber result{number.value().value, number.value().decimals, std::move(written)};
    if (!quoted) {
      longest_ = std::max(longest_, *result.decimals);
      result.decimals = as_the_longest;
    }
    return result;
  }

  static constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();

  std::string_view text_;
  const KnownSteps& known_;
  Scanner scanner_;
  Answers answers_;
  std::set<std::string> named_;  // as the file names them
  int longest_ = 0;              // decimals of the step's numbers without quotes
  std::size_t blanks_ = 0;       // that lists were left out for
  bool not_answers_ = false;     // but another kind of file: one fault says it all
};

}  // namespace

Result<Answers> read_answers(std::string_view text, const KnownSteps& known) {
  const Result<ParsedJson> parsed = parse_json(text);
  if (!parsed) return parsed.faults();

  AnswersReader reader(text, known);
  Answers answers = reader.read();
  Diagnostics all = parsed.value().faults;
  std::ranges::move(reader.faults, std::back_inserter(all));
  if (!all.empty()) return all;
  return answers;
}

Diagnostic number_fault(Diagnostic fault, std::string_view written, std::string where, TextRange place,
                        std::size_t quotes) {
  // Only where nothing is escaped do places in the number lead to places in the text.
  const bool as_written = place.end - place.begin == written.size() + 2 * quotes;
  const bool is_part = fault.range->end > fault.range->begin;
  if (as_written && is_part) {
    const std::size_t begin = place.begin + quotes;
    fault.range = TextRange{begin + fault.range->begin, begin + fault.range->end};
  } else {
    fault.range = place;
  }
  fault.message = (where.empty() ? "this" : shown(where)) + " is no number: " + fault.message;
  if (written == "?") fault.help = "leave a blank where a number is not known";
  fault.where = std::move(where);
  return fault;
}

}  // namespace attn
