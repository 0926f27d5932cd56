# What `cmake --install` and a package bring, besides the program.
include(CMakePackageConfigHelpers)

set(attn_share ${CMAKE_INSTALL_DATADIR}/attn)
install(DIRECTORY data DESTINATION ${attn_share})
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs PATTERN make EXCLUDE)

# Pages of the manual and completions: the program writes them.
if(NOT CMAKE_CROSSCOMPILING)
  set(written ${CMAKE_CURRENT_BINARY_DIR}/written)
  set(pages "")
  function(attn_write output)
    add_custom_command(OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} "-Dcommand=$<TARGET_FILE:attn>;${ARGN}" -Doutput=${output}
        -P ${PROJECT_SOURCE_DIR}/cmake/write_output.cmake
      DEPENDS attn ${PROJECT_SOURCE_DIR}/cmake/write_output.cmake
      VERBATIM)
    set(pages ${pages} ${output} PARENT_SCOPE)
  endfunction()

  attn_write(${written}/man1/attn.1 man)
  get_property(commands GLOBAL PROPERTY ATTN_COMMANDS)
  foreach(command ${commands})
    attn_write(${written}/man1/attn-${command}.1 man ${command})
  endforeach()
  attn_write(${written}/bash/attn completion bash)
  attn_write(${written}/zsh/_attn completion zsh)
  attn_write(${written}/fish/attn.fish completion fish)
  add_custom_target(attn_pages ALL DEPENDS ${pages})

  install(DIRECTORY ${written}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${written}/bash/attn DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${written}/zsh/_attn DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${written}/fish/attn.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# The library. One for GPUs needs parts of the CUDA toolkit, which no package of ours names.
if(NOT ATTN_CUDA)
  set(attn_package ${CMAKE_INSTALL_LIBDIR}/cmake/attn)
  install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/attn
    FILES_MATCHING PATTERN "*.h" PATTERN cli EXCLUDE PATTERN bench EXCLUDE PATTERN cuda EXCLUDE PATTERN vectors EXCLUDE
    PATTERN xlsx EXCLUDE)
  install(TARGETS attn_core EXPORT attn ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_INCLUDEDIR}/attn)
  install(EXPORT attn NAMESPACE attn:: FILE attnTargets.cmake DESTINATION ${attn_package})
  configure_package_config_file(cmake/attnConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/attnConfig.cmake
    INSTALL_DESTINATION ${attn_package})
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/attnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/attnConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/attnConfigVersion.cmake
    DESTINATION ${attn_package})
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "the authors of attn <attn@localhost>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(ATTN_XLSX)
  # Found when a spreadsheet is written: "libxlsxwriter.so.4" is in libxlsxwriter4.
  string(REPLACE ".so." "" xlsxwriter_package ${ATTN_XLSX_LIBRARY})
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ${xlsxwriter_package})
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libfmt-dev, libgmp-dev, libmd-dev, libmpfr-dev, libpcre2-dev, libutf8proc-dev, zlib1g-dev")  # to link the library
include(CPack)
