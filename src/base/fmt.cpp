// The library fmt itself, compiled once: with fmt::fmt-header-only every source that says
// fmt::format compiles it again, which takes 4 s each, and Debian has no archive of it.
// What its headers declare as `extern template` is instantiated here, as fmt's own
// src/format.cc does. cmake/dependencies.cmake tries whether that is all that is needed.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;
template void buffer<char>::append(const char*, const char*);
#if FMT_VERSION < 110000
template void vformat_to(buffer<char>&, string_view, basic_format_args<format_context>, locale_ref);
#endif

}  // namespace detail
FMT_END_NAMESPACE
