#include "explain/reports/catalogue.h"

#include "words/language.h"

namespace attn {
namespace {

std::string kind_of(MistakeKind kind) {
  switch (kind) {
    case MistakeKind::error:
      return language().telling.a_mistake;
    case MistakeKind::convention:
      return language().telling.a_convention;
    case MistakeKind::note:
      return language().telling.a_note;
  }
  return "";
}

}  // namespace

Document told_catalogue() {
  Document document;
  document.blocks.emplace_back(Headline{1, {language().telling.known_mistakes}});
  for (const Family& family : families()) {
    document.blocks.emplace_back(Headline{2, {family.title}});
    for (const Mistake& mistake : family.mistakes) {
      document.blocks.emplace_back(
          Prose{{language().telling.mistake(mistake.id, mistake.words.what, mistake.words.example)}});
    }
  }
  return document;
}

Document told_mistake(const Mistake& mistake) {
  Document document;
  document.blocks.emplace_back(Headline{1, {mistake.id}});
  document.blocks.emplace_back(Prose{{language().telling.looks_as_if(mistake.words.what)}});
  document.blocks.emplace_back(Prose{{language().telling.for_example(mistake.words.example)}});
  document.blocks.emplace_back(Prose{{language().telling.what_to_do(mistake.words.hint)}});
  document.blocks.emplace_back(Prose{{kind_of(mistake.kind)}});
  return document;
}

}  // namespace attn
