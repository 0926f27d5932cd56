#pragma once

namespace attn {

// Whether a file is read that has another name as well, which may be anywhere: a link that leads
// out, and cannot be told from the file itself.
enum class HardLinks { refused, read };

}  // namespace attn
