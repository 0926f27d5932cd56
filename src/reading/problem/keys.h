#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "problem/faults.h"
#include "problem/statement.h"
#include "reading/json/json.h"

namespace attn {

class KnownKeys;

// Reads what one attention of a block says of itself, or (`whole`) a problem of its
// own within another; nothing, and a fault, where it is no object.
std::optional<Statement> read_nested_statement(const JsonValue& value, const std::string& where, bool whole,
                                               const Catalog& catalog, const KnownKeys& keys, Faults& faults);

// What the keys of a problem are read with, and where to.
struct ProblemReading {
  const KnownKeys& keys;
  Statement& statement;
  Faults& faults;
};

// What can stand at a key.
struct KeyKind {
  std::function<nlohmann::ordered_json()> schema;  // none of an object whose members are keys themselves
  std::function<void(const ProblemReading&, const JsonValue&, const std::string& where)> read;
  std::string parts = {};  // the members of an object that is read as a whole: "query key"
};

// A key of a problem, but for its options (problem/option.h), which are rows of
// their own.
struct ProblemKey {
  std::string_view pointer;      // "/weights/query"
  std::string_view also_called;  // by people and frameworks: without case, "-" and "_"
  std::string_view summary;      // for people; empty where the key says it
  KeyKind kind;

  // What stands before and behind the last slash: "/weights" and "query".
  std::string_view parent() const { return pointer.substr(0, pointer.rfind('/')); }
  std::string_view name() const { return pointer.substr(pointer.rfind('/') + 1); }
};

// All of them, in the order in which a schema lists them. Where there are keys
// below one, it is an object whose members are these; it is read by itself only
// where something else stands there. The catalog outlives them.
std::vector<ProblemKey> problem_keys(const Catalog& catalog);

}  // namespace attn
