#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace attn {

// Vectors that somebody has in a file, as a problem names it.
struct VectorsInFile {
  std::string file = {}, tensor = {};
  std::vector<std::size_t> shape = {};  // empty: nobody has looked

  bool empty() const { return file.empty(); }
};

// What of a model is wanted as a problem.
struct ImportWishes {
  std::string from = {};                             // of importable_models(); empty: what config.json says
  std::vector<std::size_t> ids = {};                 // of the tokens, in the model's table of embeddings
  std::vector<std::string> labels = {};              // of the tokens; as many, or none
  std::vector<std::string> vocabulary = {};          // what each token of the model is called; may be empty
  std::optional<std::string> prefix = {};            // of the names of tensors; nothing: found out
  std::string folder = {};                           // that the problem says its files are in: "" or "bert/"
  bool logits = true;                                // where the model has them
  std::optional<std::size_t> first = {}, last = {};  // of the layers, counted from 1

  // What a state dict of PyTorch does not say.
  std::optional<std::size_t> heads = {};
  bool norm_first = false;
  std::string activation = {};
  std::size_t tokens = 0;                  // how many, where they have no ids
  VectorsInFile inputs = {}, memory = {};  // empty: drawn at random
  VectorsInFile source = {};               // those that go into the encoder of a whole nn.Transformer
};

// A model as a problem.
struct ImportedModel {
  std::string problem;                // the text of a problem file (docs/problem-format.md)
  std::vector<std::string> left_out;  // what of the model stands behind what is computed, in words
};

// Makes a problem of a model as others store it: a folder with config.json and
// model.safetensors (or several, with model.safetensors.index.json), or one file of tensors.
// The problem refers to the tensors where they lie; numbers are read only where two of
// them have to be added up.
//
// What the model does and a problem cannot say is a fault that names it: a tensor that
// nobody reads, a setting that is not computed here. Only what stands behind the last
// hidden state may be left out, and is named.
//
// Faults: "no-file", "bad-file", "bad-config", "unknown-model", "not-computed", "no-tensor", "bad-shape", "bad-ids".
//
// REQUIRES: wishes.from is empty, or the name of one of model_families().
Result<ImportedModel> import_model(const std::string& path, const ImportWishes& wishes);

// The names of the families, as --from takes them, and a line about each.
std::vector<std::pair<std::string, std::string>> model_families();

}  // namespace attn
