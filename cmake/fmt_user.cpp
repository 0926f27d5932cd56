// Whether src/base/fmt.cpp is all of fmt that a source of ours needs: tried when CMake configures.
#include <string>

#include <fmt/core.h>

int main(int count, char** words) {
  const std::string text = fmt::format("{} {:>{}} {:.3f} {:g} {:+} {:x} {:c}", words[0], std::string("a"), count, 0.5,
                                       1.5f, 7L, 10u, 'c');
  return text.empty() ? 1 : 0;
}
