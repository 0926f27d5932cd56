#include "formats/looks.h"

#include <algorithm>
#include <cstddef>

namespace attn {
namespace {

constexpr Hue light_gray{"#f4f4f4", "#8c8c8c", "#4d4d4d"}, gray{"#ececec", "#868686", "#4d4d4d"};
constexpr Hue grass{"#e5f2db", "#63953c", "#476b2b"};
constexpr Hue vermillion{"#fbefe6", "#d55e00", "#a64900"}, red{"#f8dcdc", "#d93a3a", "#a52c2c"};
constexpr Hue amber{"#fcf5e6", "#ba8100", "#855b00"}, orange{"#fce8d3", "#c5711e", "#8b5015"};
constexpr Hue pink{"#faf2f6", "#c2739f", "#8b5272"}, violet{"#e8def3", "#8e5bc4", "#6f4799"};
constexpr Hue sky{"#eef8fd", "#4795c1", "#346c8c"}, light_blue{"#dbe9f9", "#4585d0", "#315e94"};
constexpr Hue blue{"#e6f1f7", "#0072b2", "#0067a0"}, royal_blue{"#d5e2f6", "#2f6fd0", "#2659a6"};
constexpr Hue olive{"#f9f7dd", "#99900d", "#665f0c"}, lilac{"#ece2f5", "#9874b4", "#6d5380"};
constexpr Hue sea_green{"#e6f5f1", "#009c72", "#006b4e"}, green{"#d7edde", "#309452", "#206337"};

constexpr RoleLook roles[] = {
    {Role::input, "input", "#1d2329", "#e4e8ec", 0, "", "", light_gray, grass},
    {Role::weight_matrix, "weight_matrix", "#1d2329", "#e4e8ec", 0, "", "", light_gray, gray},
    {Role::mask, "mask", "#555e68", "#aab4be", 0, "", "", light_gray, gray},
    {Role::query, "query", "#b34700", "#ff9d66", 166, "attnquery", "B03A00", vermillion, red},
    {Role::key, "key", "#7d5700", "#e3b64a", 178, "attnkey", "7A5900", amber, orange},
    {Role::value, "value", "#9c3f78", "#e79cc6", 175, "attnvalue", "9A3A78", pink, violet},
    {Role::score, "score", "#1b6fa8", "#7fc1ee", 74, "attnscore", "00629B", sky, light_blue},
    {Role::softmax, "softmax", "#005b96", "#75b6f5", 32, "attnweight", "003F8A", blue, royal_blue},
    {Role::attention_weight, "attention_weight", "#005b96", "#75b6f5", 32, "attnweight", "003F8A", blue, royal_blue},
    {Role::weighted_value, "weighted_value", "#5a6b1f", "#bcc978", 143, "attnweighted", "5A6400", olive, lilac},
    {Role::output, "output", "#00735a", "#4fd1ae", 36, "attnoutput", "006B50", sea_green, green},
};

constexpr std::size_t at(Role role) {
  return static_cast<std::size_t>(std::ranges::find(roles, role, &RoleLook::role) - std::begin(roles));
}

consteval bool all_have_looks() {
  for (int role = 0; role <= static_cast<int>(Role::output); ++role) {
    if (at(static_cast<Role>(role)) == std::size(roles)) return false;
  }
  return true;
}
static_assert(all_have_looks());

// In the order of Mark.
constexpr MarkLook marks[] = {
    {"unmarked", "", "", ""},
    {"right", "\x1b[32m", "\\attnright", "#1b6e3c"},
    {"wrong", "\x1b[1;31m", "\\attnwrong", "#b00020"},
    {"follows", "\x1b[33m", "\\attnfollows", "#7a4f00"},
    {"unsure", "\x1b[33m", "\\attnunsure", "#7a4f00"},
    {"blank", "\x1b[2m", "\\attnblank", "#525252"},
    {"not_asked", "\x1b[2m", "\\attnblank", "#525252"},
};
static_assert(std::size(marks) == static_cast<std::size_t>(Mark::not_asked) + 1);

}  // namespace

std::span<const RoleLook> role_looks() { return roles; }

const RoleLook& look_of(Role role) { return roles[at(role)]; }

const MarkLook& look_of(Mark mark) { return marks[static_cast<std::size_t>(mark)]; }

}  // namespace attn
