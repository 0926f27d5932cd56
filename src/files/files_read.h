#pragma once

#include <optional>
#include <string>

namespace attn {

// Which file a path leads to, the same by whatever name, through whatever links:
// a regular file's device and number; the resolved path where nothing is there
// yet; "" for devices and pipes, of which every opening is another.
std::string file_identity(const std::string& path);

// Remembers a regular file that is open for reading, under the name it was asked
// for by. This is the process's own record: nothing is to be written over what it has read.
void remember_read(int descriptor, const std::string& name);

// The name by which the file that the path leads to was read, if it was.
std::optional<std::string> name_of_read(const std::string& path);

// For a file that is read to be brought up to date.
void forget_read(const std::string& path);

}  // namespace attn
