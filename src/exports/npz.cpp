#include <array>
#include <cassert>
#include <memory>
#include <new>
#include <string>
#include <vector>
#include <zip.h>

#include "exports/export.h"
#include "exports/stored.h"

namespace attn {
namespace {

// numpy has no bfloat16: these numbers are written in the four bytes whose upper half they are.
Dtype dtype_in_numpy(Dtype dtype) { return dtype == Dtype::bf16 ? Dtype::f32 : dtype; }

// Version 1.0 of the .npy format (NEP 1), its header padded to 64 bytes.
std::string npy(const Tensor<double>& tensor, Dtype dtype) {
  std::string shape;
  for (const Dim& dim : tensor.shape().dims()) shape += std::to_string(dim.size) + ", ";
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
  bytes += header;
  append_stored(tensor, dtype, bytes);
  return bytes;
}

struct CloseSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Source = std::unique_ptr<zip_source_t, CloseSource>;

std::string read_whole(zip_source_t* source) {
  zip_stat_t status;
  zip_stat_init(&status);
  if (zip_source_stat(source, &status) != 0 || zip_source_open(source) != 0) return "";
  std::string bytes(status.size, '\0');
  const zip_int64_t count = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  return count == static_cast<zip_int64_t>(bytes.size()) ? bytes : "";
}

// One array a step, stored, the same bytes whenever it is written.
std::string trace_npz(const Trace& trace) {
  const Dtype dtype = dtype_in_numpy(trace.arithmetic.dtype);
  Source whole(zip_source_buffer_create(nullptr, 0, 0, nullptr));
  zip_t* const archive = zip_open_from_source(whole.get(), ZIP_TRUNCATE, nullptr);
  assert(archive);
  zip_source_keep(whole.get());  // beyond the archive, which is closed first

  std::vector<std::string> arrays;  // until the archive is closed
  arrays.reserve(trace.steps.size());
  for (const Step& step : trace.steps) {
    arrays.push_back(npy(step.result, dtype));
    zip_source_t* const array = zip_source_buffer(archive, arrays.back().data(), arrays.back().size(), 0);
    const auto index =
        static_cast<zip_uint64_t>(zip_file_add(archive, (step.heading.id + ".npy").c_str(), array, ZIP_FL_ENC_UTF_8));
    constexpr zip_uint16_t first_of_january_1980 = 0x0021;
    zip_set_file_compression(archive, index, ZIP_CM_STORE, 0);
    zip_file_set_dostime(archive, index, 0, first_of_january_1980, 0);
  }
  if (zip_close(archive) != 0) {
    zip_discard(archive);
    throw std::bad_alloc();  // nothing but memory can be short
  }
  return read_whole(whole.get());
}

}  // namespace

Export npz_export() {
  return {.name = "npz",
          .ending = ".npz",
          .summary = "every step under its id, for numpy.load",
          .write = trace_npz,
          .is_text = false};
}

}  // namespace attn
