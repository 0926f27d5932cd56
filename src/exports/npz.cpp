#include <algorithm>
#include <cassert>
#include <cstdint>
#include <string>
#include <zlib.h>

#include "exports/export.h"
#include "exports/numbers.h"
#include "trace/trace.h"

namespace attn {
namespace {

// numpy has no bfloat16: these numbers are written in the four bytes whose upper half they are.
Dtype dtype_in_numpy(Dtype dtype) { return dtype == Dtype::bf16 ? Dtype::f32 : dtype; }

// What an array begins with, in version 1.0 of the .npy format (NEP 1), padded to 64 bytes.
std::string npy_header(const Shape& of, Dtype dtype) {
  std::string shape;
  for (const Dim& dim : of.dims()) shape += std::to_string(dim.size) + ", ";
  std::string header =
      "{'descr': '<f" + std::to_string(bytes_of(dtype)) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr std::size_t before = 10;
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';
  assert(header.size() < 0x10000);
  return "\x93NUMPY" + in_bytes(1, 2) + in_bytes(header.size(), 2) + header;
}

void write_npy(const Tensor<double>& tensor, Dtype dtype, Sink& sink) {
  Outgoing out(sink);
  out.text() = npy_header(tensor.shape(), dtype);
  write_stored(tensor.data(), dtype, out);
  out.hand_over();
}

// Keeps of all that is written its size and its checksum.
class Summary final : public Sink {
 public:
  void write(std::string_view piece) override {
    bytes += piece.size();
    checksum = crc32_z(checksum, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
  }

  std::uint64_t bytes = 0, checksum = 0;
};

// Writes a zip archive entry by entry, stored, its directory last (PKWARE's
// APPNOTE 6.3). Numbers of 64 bits are used where 32 are too few.
class ZipWriter {
 public:
  explicit ZipWriter(Sink& sink) : sink_(sink) {}

  // `write_to` writes the entry's bytes, the same each time: the checksum stands before them.
  template <class Write>
  void add(const std::string& name, Write write_to) {
    Summary all;
    write_to(all);
    const std::uint64_t begin = written_;
    const bool is_large = all.bytes >= most;
    const bool is_far = begin >= most;
    const std::string sizes = is_large ? in_bytes(all.bytes, 8) + in_bytes(all.bytes, 8) : "";
    const std::string wide = wide_part(sizes + (is_far ? in_bytes(begin, 8) : ""));
    put("PK\3\4" + described(all, name, wide_part(sizes)) + name + wide_part(sizes));
    write_to(sink_);
    written_ += all.bytes;
    directory_ += "PK\1\2" + in_bytes(made_by_unix, 2) + described(all, name, wide) + in_bytes(0, 6) +
                  in_bytes(readable_by_all, 4) + in_bytes(std::min(begin, most), 4) + name + wide;
    ++entries_;
  }

  void finish() {
    const std::uint64_t begin = written_;
    put(directory_);
    const std::uint64_t size = written_ - begin;
    if (entries_ >= 0xFFFF || begin >= most || size >= most) {
      put("PK\6\6" + in_bytes(44, 8) + in_bytes(wide_version, 2) + in_bytes(wide_version, 2) + in_bytes(0, 8) +
          in_bytes(entries_, 8) + in_bytes(entries_, 8) + in_bytes(size, 8) + in_bytes(begin, 8) + "PK\6\7" +
          in_bytes(0, 4) + in_bytes(begin + size, 8) + in_bytes(1, 4));
    }
    const std::uint64_t count = std::min<std::uint64_t>(entries_, 0xFFFF);
    put("PK\5\6" + in_bytes(0, 4) + in_bytes(count, 2) + in_bytes(count, 2) + in_bytes(std::min(size, most), 4) +
        in_bytes(std::min(begin, most), 4) + in_bytes(0, 2));
  }

 private:
  static constexpr std::uint64_t most = 0xFFFFFFFF;  // that stands for a number of 64 bits elsewhere
  static constexpr unsigned version = 10, wide_version = 45;
  static constexpr unsigned made_by_unix = 3 << 8 | 63;
  static constexpr std::uint64_t readable_by_all = 0x81B60000;
  static constexpr unsigned first_of_january_1980 = 0x0021;

  static std::string wide_part(const std::string& numbers) {
    return numbers.empty() ? "" : in_bytes(1, 2) + in_bytes(numbers.size(), 2) + numbers;
  }

  // What the entry's header and its row of the directory have in common.
  static std::string described(const Summary& all, const std::string& name, const std::string& wide) {
    const std::string size = in_bytes(std::min(all.bytes, most), 4);
    return in_bytes(wide.empty() ? version : wide_version, 2) + in_bytes(0, 2) + in_bytes(0, 2) + in_bytes(0, 2) +
           in_bytes(first_of_january_1980, 2) + in_bytes(all.checksum, 4) + size + size + in_bytes(name.size(), 2) +
           in_bytes(wide.size(), 2);
  }

  void put(const std::string& bytes) {
    sink_.write(bytes);
    written_ += bytes.size();
  }

  Sink& sink_;
  std::string directory_;
  std::uint64_t written_ = 0, entries_ = 0;
};

// One array a step, the same bytes whenever it is written.
void write_npz(const Trace& trace, Sink& sink) {
  const Dtype dtype = dtype_in_numpy(trace.arithmetic.dtype);
  ZipWriter archive(sink);
  for (const Step& step : trace.steps) {
    archive.add(step.heading.id + ".npy", [&](Sink& to) { write_npy(step.result, dtype, to); });
  }
  archive.finish();
}

}  // namespace

Export npz_export() {
  return {
      .name = "npz",
      .ending = ".npz",
      .summary = "every step under its id, for numpy.load",
      .write = write_npz,
      .expected_bytes = [](const Trace& trace) { return bytes_stored(trace, dtype_in_numpy(trace.arithmetic.dtype)); },
      .is_text = false};
}

}  // namespace attn
