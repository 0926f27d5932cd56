# Runs a command, and writes what it prints: cmake -Dcommand=… -Doutput=FILE -P write_output.cmake
get_filename_component(folder ${output} DIRECTORY)
file(MAKE_DIRECTORY ${folder})
execute_process(COMMAND ${command} OUTPUT_FILE ${output} COMMAND_ERROR_IS_FATAL ANY)
