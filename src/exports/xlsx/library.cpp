#include "exports/xlsx/library.h"

#include <dlfcn.h>
#include <optional>

#include "exports/xlsx/watched.h"

namespace attn {
namespace {

// A function of a library, of whatever type is wanted.
class LibraryFunction {
 public:
  explicit LibraryFunction(void* address) : address_(address) {}

  template <class Function>
  operator Function*() const {  // NOLINT(google-explicit-constructor)
    return reinterpret_cast<Function*>(address_);
  }

 private:
  void* address_;
};

std::optional<XlsxLibrary> loaded() {
  void* const library = dlopen(ATTN_XLSX_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library || !watch(library, "zipOpen")) return std::nullopt;
  bool is_whole = true;
  const auto function = [&](const char* name) {
    void* const address = dlsym(library, name);
    is_whole = is_whole && address;
    return LibraryFunction(address);
  };
  const XlsxLibrary all = {
      .format_set_align = function("format_set_align"),
      .format_set_bg_color = function("format_set_bg_color"),
      .format_set_bold = function("format_set_bold"),
      .format_set_border = function("format_set_border"),
      .format_set_border_color = function("format_set_border_color"),
      .format_set_font_color = function("format_set_font_color"),
      .format_set_font_size = function("format_set_font_size"),
      .format_set_italic = function("format_set_italic"),
      .format_set_num_format = function("format_set_num_format"),
      .format_set_text_wrap = function("format_set_text_wrap"),
      .format_set_unlocked = function("format_set_unlocked"),
      .lxw_workbook_free = function("lxw_workbook_free"),
      .workbook_add_format = function("workbook_add_format"),
      .workbook_add_worksheet = function("workbook_add_worksheet"),
      .workbook_close = function("workbook_close"),
      .workbook_define_name = function("workbook_define_name"),
      .workbook_new = function("workbook_new"),
      .workbook_set_properties = function("workbook_set_properties"),
      .worksheet_activate = function("worksheet_activate"),
      .worksheet_fit_to_pages = function("worksheet_fit_to_pages"),
      .worksheet_freeze_panes = function("worksheet_freeze_panes"),
      .worksheet_gridlines = function("worksheet_gridlines"),
      .worksheet_protect = function("worksheet_protect"),
      .worksheet_set_column = function("worksheet_set_column"),
      .worksheet_set_landscape = function("worksheet_set_landscape"),
      .worksheet_set_row = function("worksheet_set_row"),
      .worksheet_write_blank = function("worksheet_write_blank"),
      .worksheet_write_formula_num = function("worksheet_write_formula_num"),
      .worksheet_write_formula_str = function("worksheet_write_formula_str"),
      .worksheet_write_number = function("worksheet_write_number"),
      .worksheet_write_string = function("worksheet_write_string"),
  };
  return is_whole ? std::optional(all) : std::nullopt;
}

}  // namespace

const XlsxLibrary* xlsx_library() {
  static const std::optional<XlsxLibrary> library = loaded();
  return library ? &*library : nullptr;
}

}  // namespace attn
