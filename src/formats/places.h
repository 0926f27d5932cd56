#pragma once

#include <set>
#include <string>
#include <vector>

#include "explain/document.h"

namespace attn {

// The places that a document tells of: "Head 1 of 3".
class Places {
 public:
  explicit Places(const Document& document);

  // The one that the headline begins with: "Head 1 of 3" of "Head 1 of 3 · Query 2 · cat". May be empty.
  std::string named_by(const Headline& headline) const;

 private:
  std::set<std::string> all_;
};

// A matrix of a document with the words that were said in the headline above it,
// for drawings, which leave the headlines out.
struct ToldMatrix {
  const Matrix* matrix;
  std::string title;
  std::string place;
  bool is_padding = false;  // all of it is of a query that stands for no token
};

std::vector<ToldMatrix> told_matrices(const Document& document);

// What a document says of what it leaves out: "… 8 more of these; …".
std::vector<std::string> words_left_out(const Document& document);

// What it is, how large it is and what its rows and columns are.
std::string in_words(const ToldMatrix& told);

}  // namespace attn
