#include "cli/preview_rows.hpp"

#include <cstddef>

#include "txsink/mapping/route.hpp"

namespace txsink::cli {
namespace {

using mapping::ChangeKind;

const char* name_of(ChangeKind kind) {
    switch (kind) {
        case ChangeKind::insert:
            return "insert";
        case ChangeKind::upsert:
            return "upsert";
        case ChangeKind::remove:
            return "delete";
        case ChangeKind::statement:
            break;
    }
    return "statement";
}

/// Where the string literal that begins at `begin` ends.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
    for (std::size_t i = begin + 1; i < text.size(); ++i) {
        if (text[i] == '\\') {
            ++i;
        } else if (text[i] == '\'') {
            return i;
        }
    }
    return text.size();
}

}  // namespace

std::vector<std::string> split_tuple(std::string_view tuple) {
    std::vector<std::string> literals;
    if (tuple.size() < 2) {
        return literals;
    }
    const auto inside = tuple.substr(1, tuple.size() - 2);
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i < inside.size(); ++i) {
        const char c = inside[i];
        if (c == '\'') {
            i = end_of_string(inside, i);
        } else if (c == '(' || c == ')') {
            depth += c == '(' ? 1 : -1;
        } else if (c == ',' && depth == 0) {
            literals.emplace_back(inside.substr(begin, i - begin));
            begin = i + 1;
        }
    }
    literals.emplace_back(inside.substr(begin));
    return literals;
}

ShownChange show_change(const mapping::RowChange& change, std::string_view text) {
    const auto& shape = *change.shape;
    const auto own = text.substr(change.begin, change.size);
    ShownChange shown;
    shown.route = shape.route == nullptr ? "" : shape.route->name;
    shown.act = name_of(shape.kind);
    if (shape.table != nullptr && !shape.table->name.table.empty()) {
        shown.table = to_string(shape.table->name);
    }
    if (shape.kind == ChangeKind::statement) {
        shown.statement = own;
        return shown;
    }
    const auto literals = split_tuple(own);
    for (std::size_t i = 0; i < shape.columns.size() && i < literals.size(); ++i) {
        shown.values.emplace_back(shape.table->columns[shape.columns[i]].name, literals[i]);
    }
    return shown;
}

std::string ShownChange::text() const {
    if (!statement.empty()) {
        return statement;
    }
    std::string line;
    for (const auto& [column, literal] : values) {
        line += (line.empty() ? "" : ", ") + column + " = " + literal;
    }
    return line;
}

}  // namespace txsink::cli
