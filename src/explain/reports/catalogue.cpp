#include "explain/reports/catalogue.h"

namespace attn {
namespace {

std::string kind_of(MistakeKind kind) {
  switch (kind) {
    case MistakeKind::error:
      return "A mistake.";
    case MistakeKind::convention:
      return "Another convention: it does not make an answer wrong.";
    case MistakeKind::note:
      return "Worth a note: it does not make an answer wrong.";
  }
  return "";
}

}  // namespace

Document told_catalogue() {
  Document document;
  document.blocks.emplace_back(Headline{1, {"Known mistakes"}});
  for (const Family& family : families()) {
    document.blocks.emplace_back(Headline{2, {family.title}});
    for (const Mistake& mistake : family.mistakes) {
      document.blocks.emplace_back(Prose{{mistake.id + ": " + mistake.what + ". Example: " + mistake.example}});
    }
  }
  return document;
}

Document told_mistake(const Mistake& mistake) {
  Document document;
  document.blocks.emplace_back(Headline{1, {mistake.id}});
  document.blocks.emplace_back(Prose{{"It looks as if " + mistake.what + "."}});
  document.blocks.emplace_back(Prose{{"Example: " + mistake.example}});
  document.blocks.emplace_back(Prose{{"What to do: " + mistake.hint}});
  document.blocks.emplace_back(Prose{{kind_of(mistake.kind)}});
  return document;
}

}  // namespace attn
