// A program of somebody else: it computes a problem with the installed library.
#include <attn/backend/cpu/cpu.h>
#include <attn/model/attention.h>
#include <attn/model/computation.h>
#include <attn/reading/problem/problem.h>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1]);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto problem = attn::read_problem(text, attn::catalog(), std::size_t{1} << 30);
  if (!problem) {
    for (const attn::Diagnostic& fault : problem.faults()) std::cerr << fault.message << '\n';
    return 2;
  }
  attn::CpuBackend backend(1);
  const attn::Trace trace = attn::attention(problem.value(), backend);
  for (const double number : trace.find("context")->result.data()) std::cout << number << '\n';
}
