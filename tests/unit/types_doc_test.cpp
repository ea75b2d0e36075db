/// @file
/// docs/types.md shows the cells that the servers are asked about. After a change to them:
/// TXSINK_UPDATE_DOCS=1 writes the page anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "support/type_cells.hpp"

namespace txsink::test {
namespace {

constexpr const char* kPage = TXSINK_SOURCE_DIR "/docs/types.md";
constexpr const char* kBegin = "<!-- cells: from tests/data/types.tsv -->\n";
constexpr const char* kEnd = "<!-- end of cells -->\n";

TEST(TypesDoc, ShowsEveryCell) {
    std::ifstream file{kPage, std::ios::binary};
    const std::string page{std::istreambuf_iterator<char>{file}, {}};
    const auto begin = page.find(kBegin);
    const auto end = page.find(kEnd);
    ASSERT_NE(begin, std::string::npos) << kPage;
    ASSERT_NE(end, std::string::npos) << kPage;
    const auto cells = read_type_cells(TXSINK_SOURCE_DIR "/tests/data/types.tsv");
    const std::string fresh =
        page.substr(0, begin) + kBegin + to_markdown(cells) + '\n' + page.substr(end);
    if (std::getenv("TXSINK_UPDATE_DOCS") != nullptr) {
        std::ofstream{kPage, std::ios::binary} << fresh;
    }
    EXPECT_TRUE(page == fresh) << "docs/types.md is stale: run this with TXSINK_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace txsink::test
