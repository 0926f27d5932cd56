#include "exports/mistakes.h"

#include <nlohmann/json.hpp>

namespace attn {
namespace {

using Json = nlohmann::ordered_json;

const char* word(MistakeKind kind) {
  switch (kind) {
    case MistakeKind::error:
      return "error";
    case MistakeKind::convention:
      return "convention";
    case MistakeKind::note:
      return "note";
  }
  return "";
}

Json object(const Mistake& mistake) {
  return {{"id", mistake.id},
          {"kind", word(mistake.kind)},
          {"what", mistake.words.what.text()},
          {"hint", mistake.words.hint.text()},
          {"example", mistake.words.example.text()}};
}

}  // namespace

std::string catalogue_json() {
  Json all = Json::array();
  for (const Family& family : families()) {
    for (const Mistake& mistake : family.mistakes) all.push_back(object(mistake));
  }
  return all.dump(2) + "\n";
}

std::string mistake_json(const Mistake& mistake) { return object(mistake).dump(2) + "\n"; }

}  // namespace attn
