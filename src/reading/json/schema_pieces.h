#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace attn {

// What JSON Schemas (draft 2020-12) are put together from. Members keep their order.
using Json = nlohmann::ordered_json;

// What stands among the definitions under that name.
Json reference(std::string_view name);

// The same with a description, where there are words for one.
Json described(Json schema, std::string_view words);

Json any_of(std::initializer_list<Json> schemas);
Json one_of_words(const std::vector<std::string>& words);
Json list_of(Json items);
Json whole_number(int minimum);

// The members of an object, each with its schema. Json itself could be written so, too,
// and would take a dozen times as much code.
class Members {
 public:
  struct Member {
    const char* name;
    Json schema;
  };

  Members(std::initializer_list<Member> members);
  Members(Json members) : json_(std::move(members)) {}  // NOLINT(google-explicit-constructor)

  const Json& json() const { return json_; }

 private:
  Json json_ = Json::object();
};

// An object that has these members and no others.
Json object_of(const Members& members, const std::vector<std::string>& required = {});

// The same, where all of them are always there.
Json whole_object(const Members& members);

// The same in a problem, where keys that begin with x- are free everywhere.
Json problem_object(const Members& members, const std::vector<std::string>& required = {});

// A number as a program writes one, and as a person does.
Json written_number_schema();
Json spelled_number_schema();

// "number", "tensor", …: what the others refer to.
Json tensor_definitions();

// The whole document.
std::string schema_text(std::string_view title, const Json& schema, Json definitions);

}  // namespace attn
