#pragma once

#include <xlsxwriter.h>

namespace attn {

// libxlsxwriter, as much of it as is called here. It is looked for when the first spreadsheet is
// written: it brings all of OpenSSL along, and a program that was bound to it would start a third
// more slowly, whatever it is asked for.
struct XlsxLibrary {
  decltype(&::format_set_align) format_set_align;
  decltype(&::format_set_bg_color) format_set_bg_color;
  decltype(&::format_set_bold) format_set_bold;
  decltype(&::format_set_border) format_set_border;
  decltype(&::format_set_border_color) format_set_border_color;
  decltype(&::format_set_font_color) format_set_font_color;
  decltype(&::format_set_font_size) format_set_font_size;
  decltype(&::format_set_italic) format_set_italic;
  decltype(&::format_set_num_format) format_set_num_format;
  decltype(&::format_set_text_wrap) format_set_text_wrap;
  decltype(&::format_set_unlocked) format_set_unlocked;
  decltype(&::lxw_workbook_free) lxw_workbook_free;
  decltype(&::workbook_add_format) workbook_add_format;
  decltype(&::workbook_add_worksheet) workbook_add_worksheet;
  decltype(&::workbook_close) workbook_close;
  decltype(&::workbook_define_name) workbook_define_name;
  decltype(&::workbook_new) workbook_new;
  decltype(&::workbook_set_properties) workbook_set_properties;
  decltype(&::worksheet_activate) worksheet_activate;
  decltype(&::worksheet_fit_to_pages) worksheet_fit_to_pages;
  decltype(&::worksheet_freeze_panes) worksheet_freeze_panes;
  decltype(&::worksheet_gridlines) worksheet_gridlines;
  decltype(&::worksheet_protect) worksheet_protect;
  decltype(&::worksheet_set_column) worksheet_set_column;
  decltype(&::worksheet_set_landscape) worksheet_set_landscape;
  decltype(&::worksheet_set_row) worksheet_set_row;
  decltype(&::worksheet_write_blank) worksheet_write_blank;
  decltype(&::worksheet_write_formula_num) worksheet_write_formula_num;
  decltype(&::worksheet_write_formula_str) worksheet_write_formula_str;
  decltype(&::worksheet_write_number) worksheet_write_number;
  decltype(&::worksheet_write_string) worksheet_write_string;
};

// Null where it is not installed.
const XlsxLibrary* xlsx_library();

}  // namespace attn
