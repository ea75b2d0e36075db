# txsink_embed_sql(OUTPUT FILES...)
#
# Writes a source with the files' names and texts (src/mysql/built_in_migrations.hpp), so that the
# binary needs none of them. Read when CMake configures; a change of a file configures again.
function(txsink_embed_sql output)
  set(entries "")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    cmake_path(GET file FILENAME name)
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"txsink_sql(${text})txsink_sql\"},\n")
  endforeach()
  set(source "// Generated from sql/: do not edit.\n#include \"mysql/built_in_migrations.hpp\"\n
namespace txsink::mysql {\nnamespace {\n
constexpr BuiltInFile kFiles[] = {\n${entries}};\n
}  // namespace\n
std::span<const BuiltInFile> built_in_files() noexcept {\n    return kFiles;\n}\n
}  // namespace txsink::mysql\n")
  set(previous "")
  if(EXISTS ${output})
    file(READ ${output} previous)
  endif()
  if(NOT previous STREQUAL source)
    file(WRITE ${output} "${source}")
  endif()
endfunction()
