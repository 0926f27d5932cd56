#pragma once

#include <string>
#include <vector>

#include "explain/document.h"

namespace attn {

// A matrix of a document with the words that were said in the headline above it,
// for drawings, which leave the headlines out.
struct ToldMatrix {
  const Matrix* matrix;
  std::string title;
  std::string place;
};

std::vector<ToldMatrix> told_matrices(const Document& document);

// What a document says of what it leaves out: "… 8 more of these; …".
std::vector<std::string> words_left_out(const Document& document);

// What it is, how large it is and what its rows and columns are.
std::string in_words(const ToldMatrix& told);

}  // namespace attn
