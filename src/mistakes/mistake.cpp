#include "mistakes/mistake.h"

namespace attn {

const Mistake* mistake_named(std::string_view id) {
  for (const Family& family : families()) {
    for (const Mistake& mistake : family.mistakes) {
      if (mistake.id == id) return &mistake;
    }
  }
  return nullptr;
}

}  // namespace attn
