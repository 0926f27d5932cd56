#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace attn {

// The whole text of a file; of standard input for "-". What people write with
// editors and spreadsheets may be UTF-16 with its byte order mark, which comes as UTF-8; JSON of
// programs may not (RFC 8259, section 8.1). Its lines may all end as on an old Mac, in CR, which
// comes as LF. Faults have no place in the text, since there is none. The file counts as read
// (files/input_file.h).
Result<std::string> read_text(const std::string& path);
Result<std::string> read_writing(const std::string& path);

// The name in that folder that somebody most likely meant by another, of those that are
// asked for. Nothing where none is close, or the folder cannot be read.
std::optional<std::string> closest_file(const std::string& folder, std::string_view typed,
                                        bool (*is_asked_for)(const std::string& name));

}  // namespace attn
