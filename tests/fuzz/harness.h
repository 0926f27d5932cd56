#pragma once

#include <string>
#include <string_view>
#include <vector>

// What a fuzzer runs: functions that take any bytes whatever, and of which none
// may crash the program, hang it, or find it untrue to its word.

namespace attn {

// One of them: a row of the table in CMakeLists.txt, and a file of that name.
struct Harness {
  std::string name;
  void (*run)(std::string_view bytes) = nullptr;
};

// Every one: where all are in one program, which replays files.
const std::vector<Harness>& harnesses();

// Ends the program, and says what is not so, where a promise does not hold.
void demand(bool holds, std::string_view promise);
void demand(bool holds, std::string_view promise, std::string_view of);

}  // namespace attn
