#include <algorithm>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "cli/asked.h"
#include "cli/console.h"
#include "harness.h"
#include "said.h"

namespace attn {
namespace {

// The words behind `attn`, a line each. Nothing that they ask for is done.
void run(std::string_view bytes) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    words.emplace_back(bytes.substr(at, end - at));
    if (words.back().find('\0') != std::string::npos) return;  // a system's words have none
    at = end + 1;
  }
  std::vector<char*> typed;
  for (std::string& word : words) typed.push_back(word.data());
  format_of_errors(typed);
  try {
    demand(static_cast<bool>(asked_for(words)), "what is understood can be done");
  } catch (const Refusal& refusal) {
    demand_printable(refusal.text());
    demand_printable(refusal.text(words, options_with_values(words)));
  }
}

}  // namespace

Harness command_line_harness() { return {"command_line", run}; }

}  // namespace attn
