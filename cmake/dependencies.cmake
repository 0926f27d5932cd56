# Libraries from the system. One that is missing is named together with the
# line that installs all of them.
set(ATTN_PACKAGES libcli11-dev libfmt-dev nlohmann-json3-dev libmd-dev)

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
