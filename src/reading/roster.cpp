#include "reading/roster.h"

#include <algorithm>
#include <set>

#include "base/suggest.h"
#include "base/text.h"
#include "base/utf8.h"
#include "problem/faults.h"
#include "reading/answers/cells.h"
#include "reading/answers/csv_rows.h"
#include "tokenizers/unicode.h"

namespace attn {
namespace {

// Of each the program tells what was handed in: some 3 KB.
constexpr std::size_t most_people = 100'000;
constexpr const char* how_to_head = "the first line names the columns, one of them `name`: name,group";

class RosterReader {
 public:
  RosterReader(std::string_view text, Faults& faults) : rows_(CsvRows::with_headings(text)), faults_(faults) {}

  Roster read() {
    CsvRow row = next_with_something();
    if (row.empty()) {
      faults_.add("no-roster", "", "the list of the class is empty", how_to_head);
      return {};
    }
    std::set<std::string> keys;
    for (const CsvField& field : row) {
      const std::string& heading = headings_.emplace_back(rows_.content(field));
      const std::string key = person_key(heading);
      if (key.empty() || keys.insert(key).second) continue;
      faults_.add("heading-twice", "", field.range, "two columns are called `" + shown(heading) + "`",
                  "give each a heading of its own");
    }
    const auto found = std::ranges::find(headings_, "name", person_key);
    name_ = static_cast<std::size_t>(found - headings_.begin());
    if (found == headings_.end()) {
      const auto near = closest("name", headings_);
      faults_.add("no-name-column", "", range_of(row),
                  "no column is called `name`; there are " + shown(listed(headings_)),
                  near ? "is it `" + *near + "`? call it name" : std::string(how_to_head));
      return {};
    }
    Roster roster;
    while (!is_too_long_ && !(row = next_with_something()).empty()) add(row, roster);
    if (roster.people.empty() && !faults_.any())
      faults_.add("no-roster", "", "the list has no names below its headings", "write a person a line");
    return roster;
  }

  std::optional<Diagnostic> open_quote() const { return rows_.open_quote(); }

 private:
  CsvRow next_with_something() {
    while (rows_.any()) {
      CsvRow row = rows_.next();
      if (!row.empty() && !rows_.is_all_empty(row)) return row;
    }
    return {};
  }

  // REQUIRES: it is not empty.
  static TextRange range_of(const CsvRow& row) { return {row.front().range.begin, row.back().range.end}; }

  void add(const CsvRow& row, Roster& roster) {
    const TextRange whole = range_of(row);
    Roster::Person person;
    for (std::size_t at = 0; at < row.size(); ++at) {
      if (at == name_) {
        person.name = trimmed(rows_.content(row[at]));
      } else if (at < headings_.size()) {
        // A column whose heading is empty numbers the lines, as pandas has it.
        if (!person_key(headings_[at]).empty()) person.others.emplace_back(headings_[at], rows_.content(row[at]));
      } else if (!trimmed(rows_.content(row[at])).empty()) {
        faults_.add("no-heading", "", row[at].range, "this field stands below no heading",
                    "give its column a heading, or put text with a comma between quotes");
      }
    }
    const std::string key = person_key(person.name);
    if (key.empty()) {
      faults_.add("no-name", "", whole, "this line has no name", "write whose it is, or take the line out");
      return;
    }
    const bool is_new = keys_.insert(key).second;
    is_too_long_ = keys_.size() > most_people;
    if (is_too_long_) {
      faults_.add("too-many", "", whole,
                  "the list has more than " + std::to_string(most_people) + " people, and this is the next",
                  "grade a part of the class at a time");
    } else if (is_new) {
      roster.people.push_back(std::move(person));
    } else {
      faults_.add("name-twice", "", whole, "`" + shown(person.name) + "` is in the list already",
                  "give each a name of its own: " + shown(person.name) + " 2");
    }
  }

  static std::string trimmed(const std::string& text) {
    constexpr const char* blanks = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(blanks);
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
  }

  CsvRows rows_;
  Faults& faults_;
  std::vector<std::string> headings_;
  std::size_t name_ = 0;        // of the columns
  std::set<std::string> keys_;  // of the people
  bool is_too_long_ = false;
};

}  // namespace

Result<Roster> read_roster(std::string_view text) {
  if (auto fault = fault_of_bytes(text)) return std::move(*fault);
  Faults faults;
  RosterReader reader(text, faults);
  Roster roster = reader.read();
  if (auto fault = reader.open_quote()) return *std::move(fault);
  if (faults.any()) return faults.take();
  return roster;
}

std::string person_key(std::string_view name) {
  const std::string valid = first_invalid_utf8(name) ? printable(name) : std::string(name);
  return plain_name(normalised(in_small_letters(valid), NormalForm::nfc),
                    [](char c) { return c == ' ' || c == '_' || c == '\t'; });
}

}  // namespace attn
