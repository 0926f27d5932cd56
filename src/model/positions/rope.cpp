#include <string>

#include "base/numbers.h"
#include "model/positions/position.h"
#include "words/language.h"

namespace attn {
namespace {

// The first so many features are turned: all, where the file does not say.
std::size_t turned(const Choice& choice, std::size_t width) {
  return choice.has("dims") ? static_cast<std::size_t>(choice.numbers.at("dims")) : width;
}

std::optional<Misfit> misfit(const Choice& choice, const ChoiceSetting& setting) {
  if (!choice.has("dims") && setting.query_width && setting.key_width && setting.query_width != setting.key_width)
    return Misfit{.message = "turns as many numbers of queries as of keys, and they differ in width",
                  .help = "say how many with \"dims\""};
  for (const std::optional<std::size_t>& width : {setting.query_width, setting.key_width}) {
    if (!width) continue;
    const std::size_t turns = turned(choice, *width);
    if (turns > *width)
      return Misfit{.parameter = "dims",
                    .message = "is " + std::to_string(turns) + ", and queries and keys have " + std::to_string(*width) +
                               " numbers a head",
                    .help = "at most all of them are turned"};
    if (turns % 2 == 0) continue;
    if (!choice.has("dims"))
      return Misfit{.message = "turns pairs of numbers, and queries and keys have " + std::to_string(*width),
                    .help = *width == 1 ? "give them at least 2 numbers a head"
                                        : "say how many are turned: \"dims\": " + std::to_string(*width - 1)};
    return Misfit{.parameter = "dims", .message = "is odd; pairs of numbers are turned", .help = "an even number"};
  }
  return std::nullopt;
}

struct Tables {
  std::string cosines, sines;
};

Tables record_tables(RecipeBuilder& work, const Attention& attention, const std::string& suffix, std::size_t tokens) {
  const std::size_t dims = turned(*attention.positions, attention.key_width);
  Waves waves{.kind = Waves::Kind::cosine,
              .positions = {"token", tokens},
              .features = {"pair", dims / 2},
              .first = attention.past_count(),
              .base = attention.positions->numbers.at("base"),
              .width = dims};
  const std::string angle = "(p / " + shortest(waves.base) + "^(2i/" + std::to_string(dims) + "))";
  const std::string part = suffix.empty() ? "" : suffix.substr(1);
  Tables tables;
  tables.cosines = work.step(
      {"rotation_cosines" + suffix, "Cos", language().steps.rotation_cosines(part), "{} = cos" + angle, Role::input},
      waves, {});
  waves.kind = Waves::Kind::sine;
  tables.sines = work.step(
      {"rotation_sines" + suffix, "Sin", language().steps.rotation_sines(part), "{} = sin" + angle, Role::input}, waves,
      {});
  return tables;
}

std::string record_rotated(RecipeBuilder& work, const Attention& attention, const std::string& from,
                           const Tables& tables, Heading heading, const Axis& row) {
  const Operand::Renamed as_row = {{"token", row}};
  const bool interleaved = attention.positions->numbers.at("interleaved") != 0;
  return work.step(std::move(heading), Rotate{"d_k", "pair", interleaved},
                   {from, Operand(tables.cosines, as_row), Operand(tables.sines, as_row)});
}

QueriesAndKeys record_both(RecipeBuilder& work, const Attention& attention, const QueriesAndKeys& from) {
  const std::size_t keys = attention.key_count - attention.past_count();
  const bool alike = keys == attention.query_count;
  const Tables of_keys = record_tables(work, attention, alike ? "" : ".key", keys);
  const Tables of_queries = alike ? of_keys : record_tables(work, attention, ".query", attention.query_count);
  QueriesAndKeys both;
  both.keys =
      record_rotated(work, attention, from.keys, of_keys,
                     {"rotated_keys", "K′", language().steps.rotated_keys, language().steps.turned, Role::key}, "key");
  both.queries = record_rotated(
      work, attention, from.queries, of_queries,
      {"rotated_queries", "Q′", language().steps.rotated_queries, language().steps.turned, Role::query}, "query");
  return both;
}

std::string chosen(const Attention& attention) {
  return language().steps.rope(attention.positions->numbers.at("base"),
                               attention.positions->numbers.at("interleaved") != 0,
                               turned(*attention.positions, attention.key_width));
}

}  // namespace

Position rope_position() {
  return {
      .spec = {.name = "rope",
               .summary = "pairs of numbers of queries and keys turned by angles (Su et al. 2021, section 3.2.2)",
               .parameters =
                   {{.name = "base", .summary = "what the angles are powers of", .fallback = 10000.0, .above = 0},
                    {.name = "interleaved",
                     .summary = "whether neighbours make a pair; else the first half pairs with the second",
                     .fallback = 0.0,
                     .kind = Parameter::Kind::boolean},
                    {.name = "dims",
                     .summary = "how many of the first numbers are turned, an even number; all, where it is not given",
                     .may_be_left_out = true,
                     .kind = Parameter::Kind::whole,
                     .above = 0}},
               .misfit = misfit},
      .words = chosen,
      .rotated = record_both};
}

}  // namespace attn
