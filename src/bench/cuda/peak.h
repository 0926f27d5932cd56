#pragma once

#include <memory>

#include "backend/cuda/device.h"
#include "backend/cuda/samples.h"

namespace attn::cuda {

// What the device reaches where nothing but arithmetic, or nothing but memory, is
// asked of it.
class Peak {
 public:
  Peak();
  ~Peak();

  // Operations a second of a product of two square matrices of 8192 rows by
  // cuBLAS, which is looked for when the program runs; where it is not there, of
  // multiply-adds in registers alone.
  double operations(Dtype dtype);
  bool by_cublas() const;

  // Bytes a second, read and written, of copies within the device's memory.
  double bandwidth();

 private:
  struct Cublas;
  std::unique_ptr<Cublas> cublas_;
  DeviceMemory memory_;
};

}  // namespace attn::cuda
