#pragma once

#include <string>

#include "base/sink.h"
#include "trace/trace.h"

namespace attn {

// Every number of a trace on a line of its own, the given tensors before the
// steps, under the header
//
//   batch,head,step,row,column,value,row_label,column_label
//
// Indices count from 1 and are empty where a tensor has no such axis; of more
// than two axes all but the last are its row: "1 2". Labels are made harmless
// to terminals and spreadsheets.
void write_csv(const Trace& trace, Sink& sink);

// Other people's text as a cell: quoted where it must be, without control
// characters, and with an apostrophe before what a spreadsheet would compute.
std::string csv_cell(const std::string& text);

}  // namespace attn
