#include "base/packed.h"

#include <new>
#include <zlib.h>

namespace attn {

std::string Packed::text() const {
  std::string text(size, '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  stream.next_in = const_cast<Bytef*>(deflated.data());  // zlib writes nothing there
  stream.avail_in = static_cast<uInt>(deflated.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(size);
  inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  return text;
}

}  // namespace attn
