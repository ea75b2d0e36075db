/// @file
/// Reads the definition of a target table from the server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mysql/session.hpp"
#include "txsink/mapping/table_definition.hpp"

namespace txsink::mysql {

/// The definition of `name`; without a database it is one of the session's own.
///
/// Names are taken as the server has them, exactly where its file system tells case apart, and
/// nowhere but in the database named. What our types cannot hold is `unsupported`: also
/// FLOAT(M,D) and DOUBLE(M,D), which round. A primary key on a prefix of a column names no row:
/// it is listed among the unique keys, as a key without columns, like those on expressions.
/// A table is independent only where the account may see that it is: with TRIGGER on the table and
/// SELECT on *.*, as a foreign key may come from any database.
/// MySQL's own invisible primary key (my_row_id) is left out. An ENUM member beyond utf8mb3 reads
/// as "?": the servers do not tell it.
/// Errors: configuration: no such database, table or column; a view; an engine without
/// transactions.
[[nodiscard]] mapping::TableDefinition read_table(Session& session, const mapping::TableName& name);

/// The members of `enum('a','it''s')` or `set(...)`, unquoted.
[[nodiscard]] std::vector<std::string> enum_members(std::string_view column_type);

}  // namespace txsink::mysql
