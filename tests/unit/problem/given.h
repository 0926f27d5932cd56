#pragma once

#include <string>
#include <string_view>

#include "catch.h"
#include "model/attention.h"
#include "reading/problem/problem.h"
#include "reading/report.h"

// Problems as a test writes them: the text of a problem file.

inline constexpr std::size_t enough_memory = std::size_t{1} << 31;

// Two scores that the program has, and one with parameters of every kind; all else as the program has it.
inline attn::Catalog test_catalog() {
  attn::Catalog catalog;
  catalog.scores.push_back({.name = "scaled_dot"});
  catalog.scores.push_back({.name = "dot"});
  catalog.scores.push_back({.name = "mixed",
                            .parameters = {{.name = "weight", .axes = {"d_q", "d_a"}},
                                           {.name = "other", .axes = {"d_k", "d_a"}},
                                           {.name = "slope", .fallback = 0.5},
                                           {.name = "shift"}},
                            .equal_widths = false});
  catalog.positions = attn::catalog().positions;
  catalog.softmaxes = attn::catalog().softmaxes;
  catalog.options = attn::catalog().options;
  return catalog;
}

inline attn::Problem given(std::string_view text) {
  auto problem = attn::read_problem(text, test_catalog(), enough_memory);
  INFO((problem ? "" : attn::report(problem.faults(), text, "test.json")));
  REQUIRE(problem);
  return std::move(problem.value());
}

// REQUIRES: the problem has lengths, or masks.
inline attn::Integers lengths(const attn::Problem& problem) {
  return problem.attention().option<attn::PerSequence>("lengths")->values;
}
inline std::vector<attn::MaskTerm> masks(const attn::Problem& problem) {
  return *problem.attention().option<std::vector<attn::MaskTerm>>("mask");
}

inline attn::Diagnostics faults_of(std::string_view text, std::size_t max_bytes = enough_memory) {
  auto problem = attn::read_problem(text, test_catalog(), max_bytes);
  REQUIRE_FALSE(problem);
  return problem.faults();
}

// The only fault's message.
inline std::string fault_of(std::string_view text, std::size_t max_bytes = enough_memory) {
  const attn::Diagnostics faults = faults_of(text, max_bytes);
  INFO(attn::report(faults, text, "test.json"));
  REQUIRE(faults.size() == 1);
  return faults[0].message;
}
