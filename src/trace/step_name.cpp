#include "trace/step_name.h"

#include <algorithm>
#include <optional>

#include "base/suggest.h"
#include "base/utf8.h"

namespace attn {
namespace {

// A symbol as a keyboard has it: S″ is S''.
std::string typeable(std::string_view symbol) {
  std::string typed;
  for (std::size_t at = 0; at < symbol.size();) {
    if (static_cast<unsigned char>(symbol[at]) < 0x80) {
      typed += symbol[at++];
      continue;
    }
    const std::string_view rest = symbol.substr(at);
    const auto primes = [&](std::string_view sign, std::string_view as_typed) {
      if (!rest.starts_with(sign)) return false;
      typed += as_typed;
      at += sign.size();
      return true;
    };
    if (!primes("′", "'") && !primes("″", "''") && !primes("‴", "'''") && !primes("’", "'")) typed += symbol[at++];
  }
  return typed;
}

std::string in_small_letters(std::string_view symbol) {
  return plain_name(typeable(symbol), [](char) { return false; });
}

template <class Spelled>
std::vector<std::string> with_same(std::string_view typed, std::span<const StepName> names, Spelled spelled) {
  std::vector<std::string> ids;
  const std::string wanted = spelled(typed);
  for (const StepName& name : names) {
    // Spelled otherwise, no symbol grows.
    if (name.symbol.empty() || wanted.size() > name.symbol.size()) continue;
    if (spelled(name.symbol) == wanted) ids.push_back(name.id);
  }
  return ids;
}

template <class Headed>
std::vector<StepName> names_of_all(const Headed& all) {
  std::vector<StepName> names;
  for (const auto& one : all) names.push_back({one.heading.id, one.heading.symbol.text()});
  return names;
}

}  // namespace

std::vector<StepName> step_names(const Recipe& recipe) {
  std::vector<StepName> names;
  for (const StepId& id : recipe.steps()) names.push_back({id, recipe.find(id)->heading.symbol.text()});
  return names;
}

std::vector<StepName> step_names(const Trace& trace) { return names_of_all(trace.steps); }

std::vector<StepName> given_names(const Trace& trace) { return names_of_all(trace.givens); }

std::vector<std::string> with_symbol(std::string_view typed, std::span<const StepName> names) {
  return with_same(typed, names, typeable);
}

std::string as_step_id(std::string_view name) {
  std::string id = in_small_letters(name);
  std::ranges::replace_if(
      id, [](char c) { return c == ' ' || c == '-'; }, '_');
  return id;
}

std::vector<std::string> steps_called(std::string_view typed, std::span<const StepName> names) {
  const auto has = [&](std::string_view id) { return std::ranges::find(names, id, &StepName::id) != names.end(); };
  if (has(typed)) return {std::string(typed)};
  std::vector<std::string> ids = with_symbol(typed, names);
  if (ids.empty()) ids = with_same(typed, names, in_small_letters);
  if (ids.empty() && has(as_step_id(typed))) ids.push_back(as_step_id(typed));
  return ids;
}

// What a star stands for grows until the rest fits.
bool is_like(std::string_view text, std::string_view pattern) {
  std::size_t at = 0, in_pattern = 0;
  std::optional<std::size_t> star;  // the last one in the pattern
  std::size_t covered = 0;          // it stands for the text up to here
  while (at < text.size()) {
    const std::size_t length = code_point(text, at).bytes;
    const std::string_view letter = text.substr(at, length);
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      covered = at;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == '?') {
      ++in_pattern;
      at += length;
    } else if (pattern.substr(in_pattern).starts_with(letter)) {
      in_pattern += length;
      at += length;
    } else if (star) {
      in_pattern = *star + 1;
      at = covered += code_point(text, covered).bytes;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

bool is_step_pattern(std::string_view typed) { return typed.find_first_of("*?") != std::string_view::npos; }

std::vector<std::string> steps_like(std::string_view pattern, std::span<const StepName> names) {
  std::vector<std::string> ids;
  for (const StepName& name : names) {
    if (is_like(name.id, pattern) || is_like(typeable(name.symbol), typeable(pattern))) ids.push_back(name.id);
  }
  return ids;
}

}  // namespace attn
