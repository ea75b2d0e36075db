#include "txsink/mapping/table_definition.hpp"

namespace txsink::mapping {

std::string to_string(const TableName& name) {
    return name.database + '.' + name.table;
}

}  // namespace txsink::mapping
