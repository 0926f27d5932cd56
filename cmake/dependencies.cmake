# Libraries from the system. One that is missing is named together with the
# line that installs all of them.
set(ATTN_PACKAGES libcli11-dev libfmt-dev nlohmann-json3-dev libmd-dev libzip-dev pkg-config libmpfr-dev libgmp-dev)

function(attn_missing name)
  list(JOIN ATTN_PACKAGES " " packages)
  message(FATAL_ERROR "${name} is not installed. On Debian:\n  apt-get install ${packages} catch2\n")
endfunction()

foreach(package CLI11 fmt nlohmann_json)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    attn_missing(${package})
  endif()
endforeach()

# SHA-256 for the digest of a problem's statement.
find_path(MD_INCLUDE_DIR sha256.h)
find_library(MD_LIBRARY md)
if(NOT MD_INCLUDE_DIR OR NOT MD_LIBRARY)
  attn_missing(libmd)
endif()
add_library(attn_md INTERFACE)
target_include_directories(attn_md SYSTEM INTERFACE ${MD_INCLUDE_DIR})
target_link_libraries(attn_md INTERFACE ${MD_LIBRARY})

# Functions such as sin and pow with the same bits on every machine.
find_path(MPFR_INCLUDE_DIR mpfr.h)
find_library(MPFR_LIBRARY mpfr)
find_path(GMP_INCLUDE_DIR gmp.h)
find_library(GMP_LIBRARY gmp)
if(NOT MPFR_INCLUDE_DIR OR NOT MPFR_LIBRARY)
  attn_missing(MPFR)
endif()
if(NOT GMP_INCLUDE_DIR OR NOT GMP_LIBRARY)
  attn_missing(GMP)
endif()
add_library(attn_mpfr INTERFACE)
target_include_directories(attn_mpfr SYSTEM INTERFACE ${MPFR_INCLUDE_DIR} ${GMP_INCLUDE_DIR})
target_link_libraries(attn_mpfr INTERFACE ${MPFR_LIBRARY} ${GMP_LIBRARY})

# Deflated arrays of .npz files. Found by pkg-config: what libzip has for CMake
# asks for its command-line tools as well, which Debian packages by themselves.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(LIBZIP QUIET IMPORTED_TARGET libzip)
endif()
if(NOT LIBZIP_FOUND)
  attn_missing("libzip (or pkg-config, which finds it)")
endif()
add_library(attn_zip INTERFACE)
target_link_libraries(attn_zip INTERFACE PkgConfig::LIBZIP)
