# Writes OUTPUT: all words of the texts in the sources below FOLDER, which is_program_word() knows.
#
#     cmake -D FOLDER=controller -D OUTPUT=program_words.cpp -P program_words.cmake
#
# A comment behind code counts too where it has quotes. A word more does no harm: it is in a public source.
file(GLOB_RECURSE sources "${FOLDER}/*.cpp" "${FOLDER}/*.hpp")
set(words)
foreach(source IN LISTS sources)
  file(READ "${source}" text)
  string(REGEX REPLACE "\n[ \t]*//[^\n]*" "" text "${text}")
  string(REGEX REPLACE "\\\\." " " text "${text}")  # what is escaped, as \n, is no part of a word
  string(REGEX MATCHALL "\"[^\"\n]*\"" literals "${text}")
  string(REGEX MATCHALL "[A-Za-z][A-Za-z0-9]*" found "${literals}")
  list(APPEND words ${found})
  list(REMOVE_DUPLICATES words)
endforeach()
list(TRANSFORM words TOLOWER)
list(REMOVE_DUPLICATES words)
list(SORT words)
list(JOIN words " " words)
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
#include "cli/share/program_words.hpp"

std::string_view spark::cli::program_words() { return " @words@ "; }
]])
