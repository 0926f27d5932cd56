#pragma once

#include <string>

namespace attn {

// What everything that formats write for LaTeX is written in: \attnquery,
// \attnmatrix, … A document that defines one of them itself keeps its own.
std::string latex_macros();

// Before and after the text of a document that compiles alone, and of slides.
std::string latex_paper_begin();
std::string latex_slides_begin();
std::string latex_end();

}  // namespace attn
