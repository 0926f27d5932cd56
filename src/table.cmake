# attn_table(<target> <header> <type> <table> <name>...)
#
# A table with one row a name. <name>.cpp in the calling folder defines the
# function that makes the row; it is called by the name and the type, so that
# rows of different tables may share a name:
#
#   attn_table(attn_core model/scores/score.h Score scores  dot scaled_dot)
#
# declares `Score dot_score()` and `Score scaled_dot_score()` and defines
# `const std::vector<Score>& scores()`. So a new row is one new file and one
# more name, and nobody else needs to hear of it. A row whose file stands in a
# folder of its own is named with it: text/text.
function(attn_table target header type table)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  string(TOLOWER ${type} suffix)
  set(declarations "")
  set(rows "")
  foreach(path ${ARGN})
    get_filename_component(name ${path} NAME)
    string(APPEND declarations "${type} ${name}_${suffix}();\n")
    string(APPEND rows "      ${name}_${suffix}(),\n")
    target_sources(${target} PRIVATE ${path}.cpp)
  endforeach()
  set(code "// Made from ${folder}/CMakeLists.txt.\n\n#include \"${header}\"\n\n#include <vector>\n\nnamespace attn {\n\n")
  string(APPEND code "${declarations}\n")
  string(APPEND code "const std::vector<${type}>& ${table}() {\n  static const std::vector<${type}> rows = {\n${rows}  };\n  return rows;\n}\n\n")
  string(APPEND code "}  // namespace attn\n")
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${table}_table.cpp)
  file(CONFIGURE OUTPUT ${file} CONTENT "${code}" @ONLY)
  target_sources(${target} PRIVATE ${file})
endfunction()
