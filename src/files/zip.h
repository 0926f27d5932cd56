#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "files/input_file.h"

namespace attn {

// A file within a zip archive, as the archive's directory describes it.
struct ZipEntry {
  std::string name;
  std::uint16_t flags = 0, method = 0;
  std::uint32_t checksum = 0;                      // CRC-32 of what is unpacked
  std::uint64_t packed = 0, size = 0, offset = 0;  // bytes in the archive, bytes unpacked, where its header begins
};

// The directory at the end of an archive, zip64 included (PKWARE's APPNOTE 6.3).
// Refused where it asks for memory or time that the file's size does not
// justify, or where readers could understand it differently.
Result<std::vector<ZipEntry>> read_zip_directory(const InputFile& file);

// What is unpacked from an entry, stored or deflated; at its end the checksum is
// compared. Faults call the entry by `shown`, and all but refusals to begin are
// "has a broken entry …". REQUIRES: the file outlives the source.
Result<std::unique_ptr<ByteSource>> unpacked(const InputFile& file, const ZipEntry& entry, const std::string& shown);

}  // namespace attn
