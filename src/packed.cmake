# attn_packed(<target> <header> <name>...)
#
# Texts of some length that the program brings along and most commands have no use
# for, deflated. The text of each name is in the variable <name>_text:
#
#   attn_packed(attn_core bench/peers_script.h peers_script)
#
# makes bench/peers_script.h, which defines `inline constexpr Packed peers_script`.
function(attn_packed target header)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/packed)
  set(code "// Made by attn_packed.\n\n#pragma once\n\n#include \"base/packed.h\"\n\nnamespace attn {\n\n")
  foreach(name ${ARGN})
    set(text "${${name}_text}")
    file(WRITE ${folder}/${name} "${text}")
    file(ARCHIVE_CREATE OUTPUT ${folder}/${name}.gz PATHS ${folder}/${name} FORMAT raw
      COMPRESSION GZip COMPRESSION_LEVEL 9)
    # Behind the ten bytes of gzip's header, which has the time in it, stands the deflated text.
    file(READ ${folder}/${name}.gz bytes OFFSET 10 HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes ${bytes})
    string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes ${bytes})
    file(SIZE ${folder}/${name} size)
    file(SHA256 ${folder}/${name} sha256)
    string(REGEX REPLACE "(..)" "0x\\1, " sha256 ${sha256})
    string(APPEND code "inline constexpr unsigned char ${name}_bytes[] = {\n${bytes}\n};\n")
    string(APPEND code "inline constexpr Packed ${name} = {${name}_bytes, ${size}, {${sha256}}};\n\n")
  endforeach()
  string(APPEND code "}  // namespace attn\n")
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/include/${header} CONTENT "${code}" @ONLY)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/include)
endfunction()
