# attn_hot(<source>...)
#
# Sources of the calling folder where time goes when the program runs: numbers are
# crunched there, or texts of any size read and written. The compiler may take its
# time over them; over all others it must not, which saves a quarter of the build.
function(attn_hot)
  foreach(source ${ARGN})
    if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
      message(FATAL_ERROR "attn_hot names ${source}, which is not in ${CMAKE_CURRENT_SOURCE_DIR}")
    endif()
  endforeach()
  # GCC cannot use a header that was precompiled with other optimisation.
  set_source_files_properties(${ARGN} TARGET_DIRECTORY attn_core PROPERTIES
    COMPILE_OPTIONS $<$<CONFIG:Release>:-O3> SKIP_PRECOMPILE_HEADERS ON)
endfunction()
