#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/threads.h"

namespace attn {

// This machine's processors: vectors, and all cores.
//
// Single operations have the bits of the plain loops (run_plainly) on every machine and
// for any number of threads. Fused attention adds products up in an order of its
// own, the same for any number of threads.
class CpuBackend final : public Backend {
 public:
  // `threads` work, the caller among them; 0 for as many as there are processors.
  explicit CpuBackend(std::size_t threads = 0);

  std::string_view name() const override { return "cpu"; }

  Tensor<double> run(const Op& op, std::span<const View> operands, const View* open, const Shape& result,
                     Dtype dtype) override;

  Backend& in_any_order() override;
  std::unique_ptr<ReadyProduct> ready(const Op& op, std::span<const View> operands, const Shape& result,
                                      Dtype dtype) override;

  bool attend(const FusedAttention<float>& call) override;
  bool attend(const FusedAttention<double>& call) override;

 private:
  std::shared_ptr<Threads> threads_;
  bool any_order_ = false;
  std::unique_ptr<CpuBackend> in_any_order_;  // with the same threads
};

// What there is of it, for people: "AVX-512, 2 processors".
std::vector<std::string> cpu_devices();

}  // namespace attn
