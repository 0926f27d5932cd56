#include <string>
#include <utility>

#include "base/text.h"
#include "reading/json/schema_pieces.h"
#include "reading/schemas.h"
#include "tensor/dtype.h"

// Of what commands print for programs, besides traces and reports.

namespace attn {
namespace {

Json any_text() { return {{"type", "string"}}; }

Json or_null(Json schema) { return any_of({std::move(schema), {{"type", "null"}}}); }

// An object that always has these members: "name:text files:text* error:text?", each by its definition;
// * is a list of such, ? is null or such.
Json with_members(std::string_view members) {
  Json all = Json::object();
  for (const std::string& member : split(members, ' ')) {
    const std::size_t colon = member.find(':');
    const bool is_list = member.ends_with('*'), may_be_null = member.ends_with('?');
    const std::size_t end = member.size() - (is_list || may_be_null ? 1 : 0);
    Json one = reference(std::string_view(member).substr(colon + 1, end - colon - 1));
    if (is_list) one = list_of(std::move(one));
    all[member.substr(0, colon)] = may_be_null ? or_null(std::move(one)) : std::move(one);
  }
  return whole_object(Members(std::move(all)));
}

}  // namespace

std::string golden_schema() {
  const Json count = whole_number(0);
  Json defs;
  defs["number"] = written_number_schema();
  const Json worst =
      whole_object({{"index", described(list_of(whole_number(1)), "counts from 1, one an axis")},
                    {"expected", reference("number")},
                    {"got", reference("number")},
                    {"ulps", described(or_null(count), "how many numbers of the dtype the two are apart")}});
  const Json difference = whole_object({{"step", described(or_null(any_text()), "null: of the whole trace")},
                                        {"message", any_text()},
                                        {"worst", described(or_null(worst), "the cell that is farthest off")}});
  const Json file =
      whole_object({{"file", any_text()},
                    {"golden", any_text()},
                    {"verdict", one_of_words({"ok", "differs", "error", "created", "updated", "unchanged"})},
                    {"message", or_null(any_text())},
                    {"first_different", described(or_null(any_text()), "the first step that differs")},
                    {"differences", list_of(difference)}});
  const Members members = {
      {"schema", {{"const", "attn/golden/1"}}}, {"passed", count}, {"failed", count}, {"files", list_of(file)}};
  return schema_text("What attn golden says of problems", whole_object(members), std::move(defs));
}

std::string grades_schema() {
  const Json count = whole_number(0);
  Json defs;
  defs["points"] = {{"type", "number"}, {"minimum", 0}};
  defs["by_name"] = {{"type", "object"}, {"additionalProperties", reference("points")}};
  defs["index"] = described(list_of(whole_number(1)), "counts from 1, one an axis");
  defs["per"] = one_of_words({"cell", "step"});
  defs["coarse"] = one_of_words({"right", "wrong", "ask"});
  defs["kind"] = one_of_words({"error", "convention", "note"});
  defs["verdict"] = one_of_words({"right", "wrong", "incomplete", "nothing", "unreadable", "no_problem"});
  defs["scheme"] =
      with_members("points:by_name? per:per follow_through:flag deduct:by_name too_coarse:coarse round_to:points");
  defs["step"] = described(
      with_members("id:text handed_in:flag other_shape:flag cells:count right:count consistent:count too_coarse:count "
                   "wrong:count blank:count missing:count counted:count earned:points deducted:points "
                   "undecided:points points:points of:points"),
      "earned = of * counted / cells, or all or nothing; points = earned - deducted");
  defs["deduction"] = with_members("mistake:text step:text asked:points taken:points");
  defs["cell"] = described(with_members("step:text index:index given:text"), "with too few digits to tell");
  defs["mistake"] = with_members("mistake:text kind:kind step:text ties:text* message:text");
  defs["hand_in"] = described(
      with_members("name:text files:text* problem:text? verdict:verdict points:points? of:points? percent:points? "
                   "sum:points? first_wrong:text? error:text? remarks:text* steps:step* deductions:deduction* "
                   "undecided:cell* mistakes:mistake*"),
      "points are the sum, rounded; null where it was not graded, and error says why");
  defs["made"] = with_members("mistake:text step:text hand_ins:count");
  defs["step_of_class"] = described(with_members("id:text shape:count* hand_ins:count wrong:count cells:count*"),
                                    "by how many hand-ins it, and each of its cells, is wrong");
  defs["summary"] = described(with_members("graded:count mean_percent:points median_percent:points "
                                           "distribution:count* mistakes:made* steps:step_of_class*"),
                              "distribution: 0 to 9 percent, 10 to 19, ..., 90 to 99, 100");
  defs["text"] = any_text();
  defs["flag"] = {{"type", "boolean"}};
  defs["count"] = count;
  Json whole = with_members("schema:text title:text scheme:scheme summary:summary hand_ins:hand_in*");
  whole["properties"]["schema"] = {{"const", "attn/grades/1"}};
  return schema_text("What attn grade says of a class", whole, std::move(defs));
}

std::string diff_schema() {
  const Json count = whole_number(0);
  const Json names = list_of(any_text());
  Json defs;
  defs["number"] = written_number_schema();
  defs["file"] = whole_object(
      {{"file", any_text()}, {"kind", one_of_words({"problem", "trace", "tensors"})}, {"dtype", any_text()}});
  defs["cell"] = whole_object({{"index", described(list_of(whole_number(1)), "counts from 1, one an axis")},
                               {"A", reference("number")},
                               {"B", reference("number")},
                               {"apart", reference("number")}});
  defs["step"] =
      object_of({{"id", any_text()},
                 {"verdict", one_of_words({"same", "differs", "other_shape", "only_A", "only_B"})},
                 {"name", described(any_text(), "in the other file, where it is called otherwise there")},
                 {"stored", described(any_text(), "its axes in the other file, where they are stored otherwise")},
                 {"remarks", names},
                 {"orders_left", described({{"type", "boolean"}}, "true where not every order of its axes was tried")},
                 {"A", described(any_text(), "its sizes, where they are not those in B")},
                 {"B", any_text()},
                 {"cells", described(count, "how many numbers were compared")},
                 {"differing", count},
                 {"same_bits", {{"type", "boolean"}}},
                 {"largest_absolute", reference("cell")},
                 {"largest_relative", reference("cell")}},
                {"id", "verdict"});
  defs["relation"] = any_of(
      {described(whole_object({{"factor", reference("number")}}), "the other file's numbers are so many times these"),
       described(whole_object({{"heads", list_of(whole_number(1))}}), "which of these each of the other file's is"),
       described(whole_object({{"step", any_text()}}), "the step whose numbers the other file has")});
  defs["explanation"] = whole_object({{"id", described(any_text(), "of a mistake or a convention")},
                                      {"what", any_text()},
                                      {"variant", any_text()},
                                      {"step", described(any_text(), "the first that differed, and agrees with it")},
                                      {"agree", described(names, "the steps behind it that do")},
                                      {"next", described(or_null(any_text()), "the first that does not")},
                                      {"also", described(names, "what explains as much")}});
  const Json key = whole_object({{"key", any_text()}, {"A", or_null(any_text())}, {"B", or_null(any_text())}});
  const Json unread = whole_object({{"file", one_of_words({"A", "B"})}, {"name", any_text()}, {"why", any_text()}});
  const Json tolerance = whole_object({{"relative", reference("number")},
                                       {"absolute", reference("number")},
                                       {"of_largest_in_row", reference("number")}});
  const Members members = {
      {"schema", {{"const", "attn/diff/1"}}},
      {"A", reference("file")},
      {"B", reference("file")},
      {"equal", {{"type", "boolean"}}},
      {"first_different", or_null(any_text())},
      {"tolerance", tolerance},
      {"steps", list_of(reference("step"))},
      {"unknown", described(names, "names in the other file that are no step")},
      {"unread", described(list_of(unread), "what is no step, and not compared, whatever the other file has")},
      {"keys", described(list_of(key), "in which two problems differ")},
      {"relation", or_null(reference("relation"))},
      {"rounding", described({{"type", "boolean"}}, "whether all is as far apart as rounding leaves it")},
      {"explanations", list_of(reference("explanation"))},
      {"all_tried",
       described({{"type", "boolean"}}, "false where explanations were given up: there were too many numbers")}};
  return schema_text("What attn diff says of two files", whole_object(members), std::move(defs));
}

std::string bench_schema() {
  const Json number = {{"type", "number"}};
  const Json count = whole_number(0);
  const Json size = whole_number(1);
  Json defs;
  defs["spread"] = whole_object({{"count", count},
                                 {"least", number},
                                 {"lower_quartile", number},
                                 {"median", number},
                                 {"upper_quartile", number},
                                 {"most", number}});
  const Json model = whole_object({{"name", any_text()},
                                   {"layers", count},
                                   {"hidden", described(count, "0: no feed-forward network")},
                                   {"vocabulary", described(count, "0: no logits")},
                                   {"norm", any_text()},
                                   {"norm_first", {{"type", "boolean"}}},
                                   {"activation", any_text()},
                                   {"numbers", described(number, "that are given")}});
  defs["workload"] = whole_object({{"batch", size},
                                   {"heads", size},
                                   {"kv_heads", size},
                                   {"queries", size},
                                   {"keys", size},
                                   {"width", size},
                                   {"value_width", size},
                                   {"model_width", described(count, "0: without projections")},
                                   {"causal", {{"type", "boolean"}}},
                                   {"dtype", one_of_words({dtype_names.begin(), dtype_names.end()})},
                                   {"model", or_null(model)}});
  const Json error =
      whole_object({{"kernel", or_null(number)}, {"plain", or_null(number)}, {"of_bound", or_null(number)}});
  defs["kernel"] =
      whole_object({{"kernel", any_text()},
                    {"seconds", reference("spread")},
                    {"of_peak", described(reference("spread"), "shares of the peak beside each call")},
                    {"best_of_peak", number},
                    {"working_memory", described(count, "bytes beyond inputs and outputs")},
                    {"error", described(error, "the largest, that of plain operations, and the parts of its bound")}});
  defs["peer"] = any_of({whole_object({{"peer", any_text()}, {"left_out", described(any_text(), "why")}}),
                         whole_object({{"peer", any_text()},
                                       {"seconds", reference("spread")},
                                       {"ratio", described(reference("spread"), "its time over ours")},
                                       {"best_ratio", number}})});
  defs["shape"] =
      whole_object({{"name", any_text()},
                    {"workload", reference("workload")},
                    {"limit", one_of_words({"arithmetic", "memory", "calling"})},
                    {"operations", number},
                    {"bytes", number},
                    {"peak", described(reference("spread"), "operations a second; bytes where memory is the limit")},
                    {"peak_memory", count},
                    {"kernels", list_of(reference("kernel"))},
                    {"peers", list_of(reference("peer"))}});
  const Json kernel = whole_object({{"name", any_text()}, {"summary", any_text()}});
  const Json library = any_of({whole_object({{"name", any_text()}, {"missing", described(any_text(), "why")}}),
                               whole_object({{"name", any_text()}, {"version", any_text()}})});
  const Members members = {{"schema", {{"const", "attn/bench/1"}}},
                           {"backend", any_text()},
                           {"device", any_text()},
                           {"ladder", described(list_of(kernel), "every kernel, slowest first")},
                           {"shapes", list_of(reference("shape"))},
                           {"libraries", list_of(library)}};
  return schema_text("What attn bench measured", whole_object(members), std::move(defs));
}

std::string cost_schema() {
  const Json count = {{"type", "number"}, {"minimum", 0}};
  Json work;
  for (const char* const name : {"multiplications", "additions", "divisions", "exponentials", "comparisons"})
    work[name] = count;
  work["functions"] = described(count, "tanh, sine, cosine, root");
  work["bytes_read"] = work["bytes_written"] = count;
  Json step = {{"id", any_text()}};
  step.update(work);
  Json defs;
  defs["work"] = whole_object(work);
  const Json next = whole_object({{"without_cache", reference("work")}, {"with_cache", reference("work")}});
  const Json layer =
      whole_object({{"layer", any_text()},
                    {"formula", any_text()},
                    {"operations", count},
                    {"sequential", described(count, "operations one after another")},
                    {"path", described(count, "the longest between two tokens")},
                    {"crossing", described(or_null(count), "self-attention takes no more up to so many")}});
  const Members members = {{"schema", {{"const", "attn/cost/1"}}},
                           {"dtype", one_of_words({dtype_names.begin(), dtype_names.end()})},
                           {"steps", list_of(whole_object(std::move(step)))},
                           {"total", reference("work")},
                           {"closed_cells_save", reference("work")},
                           {"next_token", described(or_null(next), "of self-attention")},
                           {"tokens", count},
                           {"width", count},
                           {"kernel", count},
                           {"neighbours", count},
                           {"layers", list_of(layer)}};
  return schema_text("What attn cost says of steps", whole_object(members), std::move(defs));
}

std::string scaling_schema() {
  const Json number = {{"type", "number"}};
  const Json count = whole_number(1);
  const Json spread = whole_object({{"mean", number}, {"variance", number}});
  const Json peak = whole_object({{"largest_weight", number},
                                  {"entropy", described(number, "in nats")},
                                  {"largest_derivative", described(number, "of a weight by a score, at most 1/4")}});
  const Json width =
      whole_object({{"width", count},
                    {"drawn", described(spread, "of all scores")},
                    {"theory", described(spread, "what they have in the long run")},
                    {"plain", described(peak, "of the softmax of each query's scores, on average")},
                    {"divided", described(peak, "the same of scores divided by the root of the width")}});
  const Members members = {{"schema", {{"const", "attn/scaling/1"}}},
                           {"queries", count},
                           {"keys", count},
                           {"seed", whole_number(0)},
                           {"widths", list_of(width)}};
  return schema_text("What attn scaling draws", whole_object(members), Json::object());
}

std::string lint_schema() {
  const Json from = described(one_of_words({"all", "result"}), "what is handed in: every step, or the result alone");
  const Json names = list_of(any_text());
  const Json invisible =
      object_of({{"mistake", any_text()}, {"from", from}, {"variants", described(names, "only these readings of it")}},
                {"mistake", "from"});
  const Members members = {{"schema", {{"const", "attn/lint/1"}}},
                           {"digits", described(whole_number(0), "decimals up to which numbers count as the same")},
                           {"invisible", list_of(invisible)},
                           {"alike", list_of(whole_object({{"mistakes", names}, {"from", from}}))},
                           {"advice", described(names, "what would help, a line each")}};
  return schema_text("What attn lint says of a problem", whole_object(members), Json::object());
}

std::string heads_schema() {
  const Json count = whole_number(1);
  const Json share = or_null({{"type", "number"}, {"minimum", 0}});
  const Json head = whole_object(
      {{"step", described(any_text(), "its weights")},
       {"layer", count},
       {"head", count},
       {"itself", described(share, "of the attention of a query, on average; null where none has such a token")},
       {"previous", share},
       {"next", share},
       {"first", share},
       {"pair", described(share, "of the first token's, to the second")}});
  const Json two = {{"type", "array"}, {"items", count}, {"minItems", 2}, {"maxItems", 2}};
  const Members members = {{"schema", {{"const", "attn/heads/1"}}},
                           {"tokens", list_of(any_text())},
                           {"pair", described(or_null(two), "two tokens, counted from 1")},
                           {"heads", list_of(head)}};
  return schema_text("Where attn heads finds that heads look", whole_object(members), Json::object());
}

std::string list_schema() {
  const Json row = whole_object({{"name", any_text()}, {"summary", any_text()}});
  const Json lists = {{"type", "object"},
                      {"additionalProperties", described(list_of(row), "by the name of the list: \"scores\", …")},
                      {"minProperties", 1}};
  return schema_text("What attn list says there is", lists, Json::object());
}

std::string error_schema() {
  const Json count = whole_number(1);
  const Json error = whole_object({{"file", described(or_null(any_text()), "null: it is no file that is wrong")},
                                   {"line", or_null(count)},
                                   {"column", described(or_null(count), "in characters, from 1")},
                                   {"pointer", described(or_null(any_text()), "a JSON Pointer into the file")},
                                   {"message", any_text()},
                                   {"help", described(any_text(), "what to do")}});
  Members members = {{"schema", {{"const", "attn/error/1"}}},
                     {"errors", list_of(error)},
                     {"unkept", described(count, "how many more there are, where there are")}};
  return schema_text("What attn says is wrong", object_of(members, {"schema", "errors"}), Json::object());
}

}  // namespace attn
