#pragma once

#include <span>
#include <string>

#include "base/complaint.h"
#include "compare/difference.h"
#include "explain/reports/costs.h"
#include "explain/reports/lint.h"
#include "explain/reports/lists.h"
#include "explain/reports/verdict.h"
#include "mark/report.h"
#include "mistakes/mistake.h"
#include "trace/heads.h"
#include "trace/scaling.h"
#include "trace/trace.h"

// What commands write for programs in JSON.

namespace attn {

// The trace as docs/trace-format.md says: also what golden files hold. A row of
// numbers a line, so that a changed number is a changed line.
std::string trace_json(const Trace& trace);

// A marked hand-in as docs/checking.md says, with no more than is to be
// revealed, and whose it is. Numbers that a step has right are not listed; indices count
// from 1.
std::string report_json(const Report& report, Reveal reveal, const std::string& name = "");

// Several of them: an array, in order, each with its file, or files.
std::string reports_json(std::span<const MarkedFile> files, Reveal reveal);

// What attn diff found, as the object with the schema "attn/diff/1" that
// docs/commands.md describes.
std::string difference_json(const DiffReport& report);

// What steps cost, as the object with the schema "attn/cost/1", and as a table: a step a line, and
// their sum.
std::string costs_json(const CostReport& report);
std::string costs_csv(const CostReport& report);

// What widths do to scores and their softmax, as the object with the schema "attn/scaling/1", and as
// a table: a width a line.
std::string scaling_json(const ScalingReport& report);
std::string scaling_csv(const ScalingReport& report);

// Where heads look, as the object with the schema "attn/heads/1", and as a table.
std::string heads_json(const HeadsReport& report);
std::string heads_csv(const HeadsReport& report);

// What a problem cannot show, as the object with the schema "attn/lint/1".
std::string lint_json(const LintReport& report);

// What is wrong, on one line: the object with the schema "attn/error/1" that
// docs/commands.md describes.
std::string errors_json(const Complaint& complaint);

// An object with an array for each listing: of objects with name and summary.
std::string listings_json(std::span<const Listing> listings);

// Mistakes: an array of objects with id, kind, what, hint and example; one of them
// is the object alone.
std::string catalogue_json(std::span<const Mistake* const> mistakes);
std::string mistake_json(const Mistake& mistake);

}  // namespace attn
