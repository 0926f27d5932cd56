#include "harness.h"
#include "tensors.h"

namespace attn {
namespace {

// Arrays of NumPy in an archive.
void run(std::string_view bytes) { read_tensors(".npz", bytes); }

}  // namespace

Harness npz_harness() { return {"npz", run}; }

}  // namespace attn

#ifdef ATTN_FUZZ

#include <cstdint>
#include <cstring>
#include <string>
#include <zlib.h>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

std::uint32_t number_at(const std::uint8_t* at) {
  std::uint32_t number = 0;
  std::memcpy(&number, at, sizeof number);
  return number;
}

// What an entry of the directory says is made true: its sizes and its checksum are those of the bytes that
// stand where its header says, so that what is behind the check of both is reached.
void make_true(std::uint8_t* data, std::size_t size, std::uint8_t* entry) {
  const std::size_t header = number_at(entry + 42), packed = number_at(entry + 20);
  if (header > size || size - header < 30) return;
  const std::size_t begin =
      header + 30 + (number_at(data + header + 26) & 0xFFFF) + (number_at(data + header + 26) >> 16);
  if (begin > size || packed > size - begin) return;
  std::string unpacked(reinterpret_cast<const char*>(data + begin), packed);
  if (entry[10] == 8) {  // deflated
    std::string room(std::size_t{1} << 16, '\0');
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return;
    stream.next_in = data + begin;
    stream.avail_in = static_cast<uInt>(packed);
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    inflate(&stream, Z_FINISH);
    room.resize(stream.total_out);
    inflateEnd(&stream);
    unpacked = room;
  }
  const auto checksum = static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(unpacked.data()), static_cast<uInt>(unpacked.size())));
  const auto whole = static_cast<std::uint32_t>(unpacked.size());
  std::memcpy(entry + 16, &checksum, sizeof checksum);
  std::memcpy(entry + 24, &whole, sizeof whole);
  std::memcpy(data + header + 14, &checksum, sizeof checksum);
  std::memcpy(data + header + 22, &whole, sizeof whole);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 4 == 0) return size;
  for (std::size_t at = 0; at + 46 <= size; ++at) {
    if (std::memcmp(data + at, "PK\1\2", 4) == 0) make_true(data, size, data + at);
  }
  return size;
}

#endif
