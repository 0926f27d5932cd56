#include "reading/problem/problem.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "problem/faults.h"
#include "problem/validate.h"
#include "reading/json/json.h"
#include "reading/problem/statement.h"
#include "reading/problem/tensor_files.h"

namespace attn {

Result<Problem> read_problem(std::string_view text, const Catalog& catalog, std::size_t max_bytes,
                             const std::optional<std::string>& folder) {
  Result<ParsedJson> parsed = parse_json(text);
  if (!parsed) return parsed.faults();

  Faults faults;
  Statement statement = read_statement(parsed.value().root, catalog, faults);
  Diagnostics all = std::move(parsed.value().faults);
  std::ranges::move(faults.take(), std::back_inserter(all));

  Result<Problem> problem = validated(std::move(statement), catalog, max_bytes, folder ? tensors_in(*folder) : nullptr);
  if (!problem) std::ranges::copy(problem.faults(), std::back_inserter(all));
  if (!all.empty() || !problem) return all;
  return problem;
}

}  // namespace attn
