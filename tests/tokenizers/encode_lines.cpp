// Reads texts, one a line and each spelled in hexadecimal, since there is none that may not stand in one; writes the
// ids of each on a line, or "fault CODE". For agree.py and steps_test.py.

#include <iostream>
#include <string>

#include "tokenizers/tokenizer.h"

namespace {

std::string from_hexadecimal(const std::string& line) {
  std::string text;
  for (std::size_t i = 0; i + 1 < line.size(); i += 2)
    text += static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16));
  return text;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: attn_encode_lines FOLDER <LINES\n";
    return 2;
  }
  const auto tokenizer = attn::read_tokenizer(arguments[1]);
  if (!tokenizer) {
    for (const attn::Diagnostic& fault : tokenizer.faults())
      std::cerr << fault.code << ' ' << fault.where << ": " << fault.message << '\n';
    return 1;
  }
  for (std::string line; std::getline(std::cin, line);) {
    const auto tokens = tokenizer.value().encode(from_hexadecimal(line));
    if (tokens) {
      for (const attn::TextToken& token : tokens.value()) std::cout << token.id << ' ';
    } else {
      std::cout << "fault " << tokens.faults().front().code;
    }
    std::cout << '\n';
  }
}
