#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "problem/statement.h"
#include "reading/json/json.h"
#include "reading/json/schema_pieces.h"

namespace attn {

class KnownKeys;

// What stands at /block; nothing, and faults, where it is faulty in itself.
std::optional<RawBlock> read_block(const JsonValue& value, const std::string& where, const Catalog& catalog,
                                   const KnownKeys& keys, Faults& faults);

// What may stand there. What one attention of it may say of itself is the definition "attention".
Json block_schema(const Catalog& catalog);

// Whether that is a key that one attention of a block has, and not the problem around it.
bool is_of_attention(std::string_view key, const Catalog& catalog);

}  // namespace attn
