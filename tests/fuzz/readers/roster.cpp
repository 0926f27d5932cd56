#include "reading/roster.h"

#include <set>

#include "harness.h"
#include "said.h"

namespace attn {
namespace {

// Who is in a class.
void run(std::string_view text) {
  const Result<Roster> read = read_roster(text);
  if (!read) return demand_faults(read.faults(), text);
  std::set<std::string> names;
  for (const Roster::Person& person : read.value().people) {
    demand(!person.name.empty(), "everybody has a name");
    demand(names.insert(person_key(person.name)).second, "nobody is there twice", person.name);
  }
}

}  // namespace

Harness roster_harness() { return {"roster", run}; }

}  // namespace attn
