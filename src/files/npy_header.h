#pragma once

#include <string_view>

#include "base/result.h"
#include "files/array.h"

namespace attn {

// What the header of an .npy file says: a Python dictionary with the keys
// descr, fortran_order and shape, such as
//
//   {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
//
// It is read as these words and no others; nothing is evaluated.
Result<ArrayLayout> parse_npy_header(std::string_view dictionary);

// The array that a source holds in the .npy format, versions 1 to 3 (NEP 1), of which the header is read.
Result<StoredArray> opened_npy(std::unique_ptr<ByteSource> source);

}  // namespace attn
