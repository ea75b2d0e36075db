/// @file
/// Whether changes of a table may change places with those of others.
#pragma once

#include "mysql/session.hpp"
#include "txsink/mapping/table_definition.hpp"

namespace txsink::mysql {

/// See TableDefinition::is_independent. The server leaves out what the account must not see, so
/// "none found" counts only where it would see all: the triggers of the table, and the foreign
/// keys of every table there is. Otherwise false.
/// Cost: some servers open every table for it; not for each batch.
[[nodiscard]] bool is_independent(Session& session, const mapping::TableName& name);

}  // namespace txsink::mysql
