#include "reading/roster.h"

#include <string>
#include <utility>
#include <vector>

#include "catch.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

namespace {

using Others = std::vector<std::pair<std::string, std::string>>;

Roster roster(const std::string& text) {
  Result<Roster> read = read_roster(text);
  INFO(text << "\n" << (read ? "" : read.faults()[0].message));
  REQUIRE(read);
  return std::move(read.value());
}

std::string code_of(const std::string& text) {
  INFO(text);
  const Result<Roster> read = read_roster(text);
  REQUIRE_FALSE(read);
  REQUIRE(read.faults().size() == 1);
  return read.faults()[0].code;
}

}  // namespace

TEST_CASE("a class has the people of its column of names, in their order, with what stands beside them", "[roster]") {
  for (const std::string text :
       {"group,name\n1,Anna\n2, Bo \n", "\n\ngroup;Name\n1;Anna\n\n2;Bo\n;\n", "sep=|\ngroup|NAME\n1|Anna\n2|Bo"}) {
    const Roster all = roster(text);
    INFO(text);
    REQUIRE(all.people.size() == 2);
    CHECK(all.people[0].name == "Anna");
    CHECK(all.people[1].name == "Bo");
    CHECK(all.people[1].others == Others{{"group", "2"}});
  }
  // A column without a heading only counts the lines, and blanks behind the last column are nothing.
  const Roster counted = roster(",name,group\n0,Anna,1\n1,Bo,2,, \n");
  CHECK(counted.people[0].others == Others{{"group", "1"}});
  CHECK(roster("name\nAnna\n").people[0].others.empty());
}

TEST_CASE("what is wrong with the list of a class is told for what it is", "[roster]") {
  CHECK(code_of("") == "no-roster");
  CHECK(code_of("name,group\n") == "no-roster");
  CHECK(code_of("nome,group\nAnna,1\n") == "no-name-column");
  CHECK(code_of("name,group,Group\nAnna,1,2\n") == "heading-twice");
  CHECK(code_of("name,group\nAnna,1,2\n") == "no-heading");
  CHECK(code_of("name,group\n,1\n") == "no-name");
  CHECK(code_of("name,group\nAnna,1\nanna,2\n") == "name-twice");
  CHECK(code_of("name\n\"Anna\n") == "syntax");
  CHECK(code_of(std::string("name\nAnna\0", 10)) == "syntax");
  const std::string twice = "group,name,room\n1,Anna,2\n";
  CHECK(read_roster(twice + "3,anna,4\n").faults().front().range == TextRange{twice.size(), twice.size() + 8});
}

TEST_CASE("a class has at most a hundred thousand people", "[roster]") {
  std::string text = "name\n";
  for (int i = 0; i < 100'000; ++i) text += "n" + std::to_string(i) + "\n";
  CHECK(roster(text).people.size() == 100'000);
  const Result<Roster> read = read_roster(text + "one more\n\n\"");
  REQUIRE_FALSE(read);
  CHECK(read.faults().front().message == "the list has more than 100000 people, and this is the next");
  CHECK(read.faults().front().range == TextRange{text.size(), text.size() + 8});
  CHECK(code_of(text + "n0\n") == "name-twice");
}

TEST_CASE("a person is the same in any case, with any blanks, however an accent is written", "[roster]") {
  for (const std::string name : {"Anna Müller", "anna_müller", "ANNA MU\xcc\x88LLER", "Anna\tMu\xcc\x88ller"}) {
    INFO(name);
    CHECK(person_key(name) == person_key("annamüller"));
  }
  CHECK(person_key("Anna-Müller") != person_key("Anna Müller"));
  CHECK(person_key("Anna\xff") != person_key("Anna\xfe"));
  CHECK(person_key(" _\t").empty());
}
