#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace attn {

// Who is in a class, in the order of its list.
struct Roster {
  struct Person {
    std::string name;
    std::vector<std::pair<std::string, std::string>> others = {};  // what else the list says: "group", "B"
  };
  std::vector<Person> people;
};

// Reads a table with headings, in UTF-8, as a spreadsheet writes it, that has a column `name`; case
// does not count. Commas, semicolons or tabs separate; empty lines are passed over. All
// faults are reported at once, each with its place: no such column, a row without a name,
// a person that is there twice (as person_key() has it); more than 100,000 people.
Result<Roster> read_roster(std::string_view text);

// Who is meant by a name: without case, blanks, underscores, and however its accents are stored.
std::string person_key(std::string_view name);

}  // namespace attn
