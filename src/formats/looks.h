#pragma once

#include <span>
#include <string_view>

#include "explain/document.h"

// How roles and marks look, in every format: the hues that teaching about
// attention has settled on (query red, key orange, value purple, scores blue,
// output green), after the set of Okabe and Ito, which colour-blind people can
// tell apart, each as dark or light as the paper behind it needs.

namespace attn {

// Of a box in a figure.
struct Hue {
  std::string_view fill;  // behind everything
  std::string_view line;  // around it
  std::string_view ink;   // of its heading: easily read on `fill` and on white
};

struct RoleLook {
  Role role;
  std::string_view name;     // as a class of markup, a colour of a page
  std::string_view page;     // "#b34700"
  std::string_view dark;     // the same on dark paper
  int terminal;              // of its 256 colours; 0 for its own
  std::string_view command;  // of LaTeX: "attnquery", which roles may share; "" for none
  std::string_view paper;    // what that prints in: "B03A00"
  Hue safe, classic;         // in a figure: for eyes of every kind, and as in well-known posts
};

// A row a role, in the order in which pages list them.
std::span<const RoleLook> role_looks();
const RoleLook& look_of(Role role);

// The role as a class: "query", "attention_weight".
inline std::string_view class_name(Role role) { return look_of(role).name; }

struct MarkLook {
  std::string_view name;      // as a class of markup
  std::string_view terminal;  // what switches a terminal to it; in its own red, green and yellow, which
                              // can be told from its own black or white
  std::string_view command;   // of LaTeX
  std::string_view ink;       // in a figure; "" for that of its text
};

const MarkLook& look_of(Mark mark);

}  // namespace attn
