#include <algorithm>
#include <cassert>
#include <deque>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>
#include <zip.h>

#include "exports/export.h"
#include "exports/stored.h"

namespace attn {
namespace {

// numpy has no bfloat16: these numbers are written in the four bytes whose upper half they are.
Dtype dtype_in_numpy(Dtype dtype) { return dtype == Dtype::bf16 ? Dtype::f32 : dtype; }

// What an array begins with, in version 1.0 of the .npy format (NEP 1), padded to 64 bytes.
std::string npy_header(const Shape& of, Dtype dtype) {
  std::string shape;
  for (const Dim& dim : of.dims()) shape += std::to_string(dim.size) + ", ";
  std::string header =
      "{'descr': '<f" + std::to_string(stored_bytes(dtype)) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr std::size_t before = 10;
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';
  assert(header.size() < 0x10000);
  std::string bytes = "\x93NUMPY\x01";
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header;
}

// An array that is made as the archive reads it.
class Array {
 public:
  Array(const Tensor<double>& tensor, Dtype dtype)
      : numbers_(tensor.data()), dtype_(dtype), header_(npy_header(tensor.shape(), dtype)) {}

  // What libzip asks of a source.
  static zip_int64_t asked(void* self, void* data, zip_uint64_t length, zip_source_cmd_t what) {
    auto& array = *static_cast<Array*>(self);
    switch (what) {
      case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_READABLE;
      case ZIP_SOURCE_OPEN:
        array.restart();
        return 0;
      case ZIP_SOURCE_READ:
        return array.read(static_cast<char*>(data), length);
      case ZIP_SOURCE_STAT:
        return array.describe(*static_cast<zip_stat_t*>(data));
      default:
        return 0;  // closing, freeing; of errors there are none
    }
  }

 private:
  void restart() {
    waiting_ = header_;
    given_ = next_ = 0;
  }

  zip_int64_t read(char* to, std::size_t length) {
    std::size_t count = 0;
    while (count < length) {
      if (given_ == waiting_.size() && !refill()) break;
      const std::size_t some = std::min(length - count, waiting_.size() - given_);
      waiting_.copy(to + count, some, given_);
      given_ += some;
      count += some;
    }
    return static_cast<zip_int64_t>(count);
  }

  bool refill() {
    constexpr std::size_t at_once = 8192;
    const std::size_t some = std::min(at_once, numbers_.size() - next_);
    waiting_.clear();
    given_ = 0;
    append_stored(numbers_.subspan(next_, some), dtype_, waiting_);
    next_ += some;
    return some > 0;
  }

  zip_int64_t describe(zip_stat_t& status) const {
    zip_stat_init(&status);
    status.size = header_.size() + numbers_.size() * stored_bytes(dtype_);
    status.valid = ZIP_STAT_SIZE;
    return sizeof status;
  }

  std::span<const double> numbers_;
  Dtype dtype_;
  std::string header_;
  std::string waiting_;    // bytes that have been made
  std::size_t given_ = 0;  // of those
  std::size_t next_ = 0;   // number that has not been made
};

struct CloseSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Source = std::unique_ptr<zip_source_t, CloseSource>;

// Hands on all that has been written to a source.
void hand_on(zip_source_t* source, Sink& sink) {
  if (zip_source_open(source) != 0) throw std::bad_alloc();
  std::vector<char> piece(std::size_t{1} << 16);
  while (const zip_int64_t count = zip_source_read(source, piece.data(), piece.size())) {
    if (count < 0) throw std::bad_alloc();
    sink.write({piece.data(), static_cast<std::size_t>(count)});
  }
  zip_source_close(source);
}

// One array a step, stored, the same bytes whenever it is written. The archive
// is put together in memory, where its directory can be written last.
void write_npz(const Trace& trace, Sink& sink) {
  const Dtype dtype = dtype_in_numpy(trace.arithmetic.dtype);
  Source whole(zip_source_buffer_create(nullptr, 0, 0, nullptr));
  zip_t* const archive = zip_open_from_source(whole.get(), ZIP_TRUNCATE, nullptr);
  assert(archive);
  zip_source_keep(whole.get());  // beyond the archive, which is closed first

  std::deque<Array> arrays;  // until the archive is closed
  for (const Step& step : trace.steps) {
    Array& array = arrays.emplace_back(step.result, dtype);
    zip_source_t* const source = zip_source_function(archive, Array::asked, &array);
    const auto index =
        static_cast<zip_uint64_t>(zip_file_add(archive, (step.heading.id + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8));
    constexpr zip_uint16_t first_of_january_1980 = 0x0021;
    zip_set_file_compression(archive, index, ZIP_CM_STORE, 0);
    zip_file_set_dostime(archive, index, 0, first_of_january_1980, 0);
  }
  if (zip_close(archive) != 0) {
    zip_discard(archive);
    throw std::bad_alloc();  // nothing but memory can be short
  }
  hand_on(whole.get(), sink);
}

}  // namespace

Export npz_export() {
  return {.name = "npz",
          .ending = ".npz",
          .summary = "every step under its id, for numpy.load",
          .write = write_npz,
          .is_text = false};
}

}  // namespace attn
