#include <string>
#include <vector>

#include "backend/cpu/cpu.h"
#include "backend/cpu/instructions.h"
#include "base/numbers.h"
#include "bytes.h"
#include "harness.h"
#include "reference_backend.h"
#include "unit/backend/drawn.h"

namespace attn {
namespace {

// Numbers of the fuzzer's in place of those that were drawn, as long as there are any.
void put_in(Bytes& bytes, drawn::Call& call, Dtype dtype) {
  for (Tensor<double>& operand : call.operands) {
    for (double& number : operand.data()) {
      if (!bytes.any()) return;
      number = stored(bytes.number(), dtype);
    }
  }
}

// An operation by the kernels of every instruction set, against the plain loops: the same bits.
void run(std::string_view text) {
  static const std::vector<std::string> sets = instruction_sets();
  static CpuBackend cpu(1);
  ReferenceBackend plain;
  Bytes bytes(text);
  const int kind = static_cast<int>(bytes.between(0, drawn::kinds - 1));
  constexpr Dtype dtypes[] = {Dtype::f64, Dtype::f32, Dtype::bf16, Dtype::f16};
  const Dtype dtype = dtypes[bytes.between(0, 3)];
  const Vectors vectors = bytes.one_in(3) ? Vectors::columns : Vectors::rows;
  drawn::Drawn random(bytes.bits<std::uint16_t>());
  drawn::Call call = drawn::drawn_call(random, kind, dtype);
  put_in(bytes, call, dtype);
  const Tensor<double> expected = drawn::made_by(plain, call, dtype, vectors);
  for (const std::string& set : sets) {
    use_instruction_set(set);
    const Tensor<double> got = drawn::made_by(cpu, call, dtype, vectors);
    demand(got.shape() == expected.shape(), "the shape is that of the plain loops", set);
    const auto other = drawn::first_other(got, expected);
    demand(!other, "the bits are those of the plain loops",
           set + (other ? ": " + shortest(got[*other]) + ", and not " + shortest(expected[*other]) : ""));
  }
  use_instruction_set("");
}

}  // namespace

Harness operations_harness() { return {"operations", run}; }

}  // namespace attn
