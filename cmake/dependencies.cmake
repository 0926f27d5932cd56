# Libraries from the system. One that is missing is named together with the
# line that installs all of them.
set(ATTN_PACKAGES libcli11-dev libfmt-dev nlohmann-json3-dev libmd-dev zlib1g-dev pkg-config libmpfr-dev libgmp-dev libhwy-dev libutf8proc-dev libpcre2-dev libxlsxwriter-dev)

function(attn_missing name)
  list(JOIN ATTN_PACKAGES " " packages)
  message(FATAL_ERROR "${name} is not installed. On Debian:\n  apt-get install ${packages} catch2\n")
endfunction()

# The archive of a library if there is one: what the program brings along need not
# be found and bound at every start. Else the library. ${variable}_LINKED is what a
# target links: a module for Python, which may stand anywhere in memory, always the library.
function(attn_find_library variable name)
  if(ATTN_BRING_ALONG)
    find_library(${variable} NAMES lib${name}.a)
  endif()
  find_library(${variable} ${name})
  find_library(${variable}_OF_MODULES ${name})
  set(is_module $<STREQUAL:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY>)
  set(${variable}_LINKED $<IF:${is_module},${${variable}_OF_MODULES},${${variable}}> PARENT_SCOPE)
endfunction()

foreach(package CLI11 fmt nlohmann_json)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    attn_missing(${package})
  endif()
endforeach()

# Debian has no archive of fmt; its headers bring along all of it, which base/fmt.cpp
# compiles once. Where a fmt needs more than that, every source compiles its own. Then
# nothing but our own code asks for the C++ library, which can be an archive too.
add_library(attn_fmt INTERFACE)
if(ATTN_BRING_ALONG)
  get_target_property(fmt_include_dirs fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
  try_compile(ATTN_FMT_COMPILES_ONCE ${PROJECT_BINARY_DIR}/fmt
    SOURCES ${PROJECT_SOURCE_DIR}/src/base/fmt.cpp ${PROJECT_SOURCE_DIR}/cmake/fmt_user.cpp
    CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${fmt_include_dirs}
    CXX_STANDARD 20)
  if(ATTN_FMT_COMPILES_ONCE)
    target_include_directories(attn_fmt SYSTEM INTERFACE ${fmt_include_dirs})
  else()
    target_link_libraries(attn_fmt INTERFACE fmt::fmt-header-only)
  endif()
  include(CheckLinkerFlag)
  check_linker_flag(CXX "-static-libstdc++;-static-libgcc" ATTN_HAS_STATIC_CXX)
  if(ATTN_HAS_STATIC_CXX AND NOT ATTN_SANITIZE)
    set(attn_runtime -static-libstdc++ -static-libgcc)
  endif()
else()
  target_link_libraries(attn_fmt INTERFACE fmt::fmt)
endif()

# SHA-256 for the digest of a problem's statement.
find_path(MD_INCLUDE_DIR sha256.h)
attn_find_library(MD_LIBRARY md)
if(NOT MD_INCLUDE_DIR OR NOT MD_LIBRARY)
  attn_missing(libmd)
endif()
add_library(attn_md INTERFACE)
target_include_directories(attn_md SYSTEM INTERFACE ${MD_INCLUDE_DIR})
target_link_libraries(attn_md INTERFACE ${MD_LIBRARY_LINKED})

# Functions such as sin and pow with the same bits on every machine.
find_path(MPFR_INCLUDE_DIR mpfr.h)
attn_find_library(MPFR_LIBRARY mpfr)
find_path(GMP_INCLUDE_DIR gmp.h)
attn_find_library(GMP_LIBRARY gmp)
if(NOT MPFR_INCLUDE_DIR OR NOT MPFR_LIBRARY)
  attn_missing(MPFR)
endif()
if(NOT GMP_INCLUDE_DIR OR NOT GMP_LIBRARY)
  attn_missing(GMP)
endif()
add_library(attn_mpfr INTERFACE)
target_include_directories(attn_mpfr SYSTEM INTERFACE ${MPFR_INCLUDE_DIR} ${GMP_INCLUDE_DIR})
target_link_libraries(attn_mpfr INTERFACE ${MPFR_LIBRARY_LINKED} ${GMP_LIBRARY_LINKED})

# Deflated arrays of .npz files.
find_path(ZLIB_INCLUDE_DIR zlib.h)
attn_find_library(ZLIB_LIBRARY z)
if(NOT ZLIB_INCLUDE_DIR OR NOT ZLIB_LIBRARY)
  attn_missing(zlib)
endif()
add_library(attn_zlib INTERFACE)
target_include_directories(attn_zlib SYSTEM INTERFACE ${ZLIB_INCLUDE_DIR})
target_link_libraries(attn_zlib INTERFACE ${ZLIB_LIBRARY_LINKED})

# What Unicode says of a character, for tokens of texts.
find_path(UTF8PROC_INCLUDE_DIR utf8proc.h)
attn_find_library(UTF8PROC_LIBRARY utf8proc)
if(NOT UTF8PROC_INCLUDE_DIR OR NOT UTF8PROC_LIBRARY)
  attn_missing(utf8proc)
endif()
add_library(attn_utf8proc INTERFACE)
target_include_directories(attn_utf8proc SYSTEM INTERFACE ${UTF8PROC_INCLUDE_DIR})
target_link_libraries(attn_utf8proc INTERFACE ${UTF8PROC_LIBRARY_LINKED})

# The patterns by which tokenizers find words.
find_path(PCRE2_INCLUDE_DIR pcre2.h)
attn_find_library(PCRE2_LIBRARY pcre2-8)
if(NOT PCRE2_INCLUDE_DIR OR NOT PCRE2_LIBRARY)
  attn_missing(PCRE2)
endif()
add_library(attn_pcre2 INTERFACE)
target_include_directories(attn_pcre2 SYSTEM INTERFACE ${PCRE2_INCLUDE_DIR})
target_link_libraries(attn_pcre2 INTERFACE ${PCRE2_LIBRARY_LINKED})

# Vectors of every instruction set, chosen when the program runs.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(LIBHWY QUIET libhwy)
endif()
if(NOT LIBHWY_FOUND)
  attn_missing("Highway (or pkg-config, which finds it)")
endif()
add_library(attn_hwy INTERFACE)  # headers alone: see src/backend/cpu/vectors/dispatch.h
target_include_directories(attn_hwy SYSTEM INTERFACE ${LIBHWY_INCLUDE_DIRS})

# Spreadsheets: headers, and the name that the library is found by when one is written.
if(ATTN_XLSX)
  find_path(XLSXWRITER_INCLUDE_DIR xlsxwriter.h)
  find_library(XLSXWRITER_LIBRARY xlsxwriter)
  if(NOT XLSXWRITER_INCLUDE_DIR OR NOT XLSXWRITER_LIBRARY)
    attn_missing("libxlsxwriter (or -DATTN_XLSX=OFF, to write no spreadsheets)")
  endif()
  get_filename_component(xlsxwriter ${XLSXWRITER_LIBRARY} REALPATH)
  get_filename_component(ATTN_XLSX_LIBRARY ${xlsxwriter} NAME)
  add_library(attn_xlsx INTERFACE)
  target_include_directories(attn_xlsx SYSTEM INTERFACE ${XLSXWRITER_INCLUDE_DIR})
  target_link_libraries(attn_xlsx INTERFACE ${CMAKE_DL_LIBS})
endif()
