#pragma once

#include "problem/choice.h"
#include "problem/faults.h"
#include "problem/statement.h"
#include "reading/json/json.h"

namespace attn {

// What a problem file says, member by member. A key that is not known is a
// fault; where it is plain which one is meant, its value is read as that one's,
// so that its own faults are found too.
Statement read_statement(const JsonValue& root, const Catalog& catalog, Faults& faults);

}  // namespace attn
