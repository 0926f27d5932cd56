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
    set_property(GLOBAL APPEND PROPERTY ATTN_HOT_SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  endforeach()
endfunction()

# attn_kernels(<source>...)
#
# The same where all the time goes into loops over numbers: -O3, which makes a tenth
# more code than -O2 of everything else that is hot, and is worth it there alone.
function(attn_kernels)
  attn_hot(${ARGN})
  set_source_files_properties(${ARGN} TARGET_DIRECTORY attn_core PROPERTIES
    COMPILE_OPTIONS $<$<CONFIG:Release>:-O3> SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# attn_compile_apart(<target> <from>)
#
# Moves the hot sources of a target to one of their own: a header that was
# precompiled is of use only to sources with the same optimisation.
function(attn_compile_apart target from)
  get_property(hot GLOBAL PROPERTY ATTN_HOT_SOURCES)
  get_target_property(sources ${from} SOURCES)
  list(REMOVE_ITEM sources ${hot})
  set_property(TARGET ${from} PROPERTY SOURCES ${sources})
  add_library(${target} OBJECT ${hot})
  target_include_directories(${target} PRIVATE $<TARGET_PROPERTY:${from},INCLUDE_DIRECTORIES>)
  target_sources(${from} PRIVATE $<TARGET_OBJECTS:${target}>)
endfunction()

# attn_compile_together(<target> EXCEPT <folder or source>...)
#
# Makes one unit of a target's sources that stand in the same folder, so that
# what they all include is read once. Helpers of a folder need names of their own
# then; not so in the folders excepted, of which each source is a unit. The
# target belongs to the calling folder.
function(attn_compile_together target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" EXCEPT)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_filename_component(path ${source} ABSOLUTE)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR}/src ${path})
    get_filename_component(folder ${path} DIRECTORY)
    if(path MATCHES "^[^.].*\\.cpp$" AND NOT path IN_LIST arg_EXCEPT AND NOT folder IN_LIST arg_EXCEPT)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${folder}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
