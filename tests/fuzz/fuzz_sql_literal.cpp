/// @file
/// Fuzzes string literals and identifiers: whatever goes in must come out, and end where it ends.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz/sql_lexer.hpp"
#include "txsink/mapping/sql_literal.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string text(bytes, bytes + size);

    const std::string literal = txsink::mapping::string_literal(text);
    std::string_view rest = literal;
    if (txsink::fuzz::take_string(rest) != text || !rest.empty()) {
        std::abort();
    }

    const std::string name = txsink::mapping::identifier(text);
    std::string back;
    for (std::size_t i = 1; i + 1 < name.size(); ++i) {
        if (name[i] == '`' && name[++i] != '`') {
            std::abort();  // the identifier ends early
        }
        back += name[i];
    }
    if (back != text || name.front() != '`' || name.back() != '`') {
        std::abort();
    }
    return 0;
}
