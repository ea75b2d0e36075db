// Random routes and random records through the real binary: the tables equal what a plain
// interpreter makes of the records, one after another.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "integration/cli_fixture.hpp"

namespace txsink::test {
namespace {

using Cell = std::optional<std::int64_t>;

/// One row of a target table; `name` and `mail` are texts.
struct Item {
    std::optional<std::string> name;
    std::optional<std::string> mail;
    Cell qty, hi, lo, ver;
    std::int64_t gone = 0;

    friend bool operator==(const Item&, const Item&) = default;
};

/// What the options of one route are.
struct Options {
    std::string mode;        // upsert | update
    std::string qty;         // replace | keep | add
    std::string name;        // replace | keep
    bool takes_extremes;     // hi: max, lo: min; else both are replaced
    bool compares_versions;  // if-newer = ver
    bool marks;              // tombstone = soft:gone
    bool has_unique_mail;    // UNIQUE (mail)
    bool nulls_what_misses;  // missing = null for qty
    std::string policy;      // dead-letter | skip
};

/// One record: absent fields are not in it; `bad_qty` gives qty a value that no INT takes.
struct Sent {
    std::int64_t id = 0;
    bool is_tombstone = false;
    bool is_dead = false;
    bool bad_qty = false;
    std::map<std::string, std::optional<std::string>> texts;  // name, mail
    std::map<std::string, Cell> numbers;                      // qty, hi, lo, ver
};

std::string json_of(const Sent& sent) {
    std::string text = fmt::format("{{\"id\":{}", sent.id);
    for (const auto& [name, value] : sent.texts) {
        text +=
            value ? fmt::format(",\"{}\":\"{}\"", name, *value) : fmt::format(",\"{}\":null", name);
    }
    for (const auto& [name, value] : sent.numbers) {
        text += value ? fmt::format(",\"{}\":{}", name, *value) : fmt::format(",\"{}\":null", name);
    }
    text += sent.bad_qty ? ",\"qty\":\"many\"" : "";
    text += sent.is_dead ? ",\"dead\":\"yes\"" : "";
    return text + "}";
}

/// The semantics of docs/routes.md, one record at a time.
class Interpreter {
public:
    explicit Interpreter(Options options) : options_{std::move(options)} {}

    std::map<std::int64_t, Item> rows;

    /// False: the record is refused, and nothing has changed.
    bool apply(const Sent& sent) {
        if (sent.is_tombstone) {
            return remove(sent.id);
        }
        const auto ver = sent.numbers.find("ver");
        const bool has_version = ver != sent.numbers.end() && ver->second;
        if (options_.compares_versions && !has_version) {
            return false;
        }
        const auto at = rows.find(sent.id);
        const bool is_newer = !options_.compares_versions || at == rows.end() || !at->second.ver ||
                              *ver->second > *at->second.ver;
        if (sent.is_dead) {
            if (!is_newer || at == rows.end()) {
                return true;
            }
            if (options_.marks && options_.compares_versions) {
                at->second.ver = ver->second;
            }
            return remove(sent.id);
        }
        if (sent.bad_qty) {
            return false;
        }
        if (at == rows.end()) {
            return options_.mode == "update" || insert(sent);
        }
        if (!is_newer) {
            return true;
        }
        Item item = at->second;
        if (!change(item, sent) || !is_allowed(sent.id, item)) {
            return false;
        }
        at->second = item;
        return true;
    }

private:
    bool remove(std::int64_t id) {
        const auto at = rows.find(id);
        if (at != rows.end() && options_.marks) {
            at->second.gone = 1;
        } else if (at != rows.end()) {
            rows.erase(at);
        }
        return true;
    }

    bool insert(const Sent& sent) {
        Item item;
        set_text(item.name, sent, "name", "replace");
        set_text(item.mail, sent, "mail", "replace");
        for (const auto& [name, cell] : cells(item)) {
            if (const auto given = sent.numbers.find(name); given != sent.numbers.end()) {
                *cell = given->second;
            }
        }
        if (!is_allowed(sent.id, item)) {
            return false;
        }
        rows[sent.id] = item;
        return true;
    }

    bool change(Item& item, const Sent& sent) {
        set_text(item.name, sent, "name", options_.name);
        set_text(item.mail, sent, "mail", "replace");
        for (const auto& [name, cell] : cells(item)) {
            const auto given = sent.numbers.find(name);
            if (given == sent.numbers.end()) {
                if (name == "qty" && options_.nulls_what_misses) {
                    combine(*cell, std::nullopt, options_.qty);
                }
                continue;
            }
            combine(*cell, given->second, rule_of(name));
        }
        if (options_.marks) {
            item.gone = 0;
        }
        return !item.qty || (*item.qty <= std::numeric_limits<std::int32_t>::max() &&
                             *item.qty >= std::numeric_limits<std::int32_t>::min());
    }

    [[nodiscard]] std::string rule_of(const std::string& name) const {
        if (name == "qty") {
            return options_.qty;
        }
        if (name == "hi" && options_.takes_extremes) {
            return "max";
        }
        return name == "lo" && options_.takes_extremes ? "min" : "replace";
    }

    static void combine(Cell& stored, const Cell& incoming, const std::string& rule) {
        if (rule == "replace") {
            stored = incoming;
        } else if (rule == "add" && incoming) {
            stored = stored.value_or(0) + *incoming;
        } else if (rule == "max" && incoming) {
            stored = stored ? std::max(*stored, *incoming) : *incoming;
        } else if (rule == "min" && incoming) {
            stored = stored ? std::min(*stored, *incoming) : *incoming;
        }
    }

    static void set_text(std::optional<std::string>& cell,
                         const Sent& sent,
                         const std::string& name,
                         const std::string& rule) {
        if (const auto given = sent.texts.find(name); given != sent.texts.end() && rule != "keep") {
            cell = given->second;
        }
    }

    static std::vector<std::pair<std::string, Cell*>> cells(Item& item) {
        return {{"qty", &item.qty}, {"hi", &item.hi}, {"lo", &item.lo}, {"ver", &item.ver}};
    }

    [[nodiscard]] bool is_allowed(std::int64_t id, const Item& item) const {
        return !options_.has_unique_mail || !item.mail ||
               std::none_of(rows.begin(), rows.end(), [&](const auto& row) {
                   return row.first != id && row.second.mail == item.mail;
               });
    }

    Options options_;
};

class Draw {
public:
    explicit Draw(std::uint64_t seed) : engine_{seed} {}

    std::int64_t number(std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>{least, most}(engine_);
    }
    bool chance(int percent) { return number(1, 100) <= percent; }
    template <typename T>
    T one_of(const std::vector<T>& values) {
        return values[static_cast<std::size_t>(
            number(0, static_cast<std::int64_t>(values.size()) - 1))];
    }

private:
    std::mt19937_64 engine_;
};

Options draw_options(Draw& draw) {
    Options options;
    options.mode = draw.chance(75) ? "upsert" : "update";
    options.qty = draw.one_of<std::string>({"replace", "keep", "add", "add"});
    options.name = draw.one_of<std::string>({"replace", "replace", "keep"});
    options.takes_extremes = draw.chance(50);
    options.compares_versions = draw.chance(40);
    options.marks = draw.chance(30);
    options.has_unique_mail = draw.chance(50);
    options.nulls_what_misses = draw.chance(25);
    options.policy = draw.chance(70) ? "dead-letter" : "skip";
    return options;
}

Sent draw_record(Draw& draw) {
    Sent sent;
    sent.id = draw.number(1, 9);
    sent.is_tombstone = draw.chance(5);
    sent.is_dead = draw.chance(5);
    sent.bad_qty = draw.chance(4);
    if (draw.chance(60)) {
        sent.texts["name"] =
            draw.chance(10) ? std::nullopt : std::optional{fmt::format("n{}", draw.number(1, 99))};
    }
    if (draw.chance(50)) {
        sent.texts["mail"] =
            draw.chance(20) ? std::nullopt : std::optional{fmt::format("m{}", draw.number(1, 30))};
    }
    for (const char* name : {"qty", "hi", "lo", "ver"}) {
        const bool is_version = name == std::string{"ver"};
        if ((name == std::string{"qty"} && sent.bad_qty) || !draw.chance(is_version ? 95 : 60)) {
            continue;
        }
        sent.numbers[name] = draw.chance(8) ? Cell{} : Cell{draw.number(-50, 50)};
        if (name == std::string{"qty"} && draw.chance(5)) {
            sent.numbers[name] = 2'000'000'000;
        }
    }
    return sent;
}

std::string section_of(const Options& options, int index, const std::string& topic) {
    std::string text = fmt::format(
        "[route.r{0}]\ntopic = {1}\ntable = t{0}\nmode = {2}\non-bad-record = {3}\n"
        "delete-when = $.dead = 'yes'\n",
        index,
        topic,
        options.mode,
        options.policy);
    text += fmt::format(
        "column.qty.on-conflict = {}\ncolumn.name.on-conflict = {}\n", options.qty, options.name);
    if (options.takes_extremes) {
        text += "column.hi.on-conflict = max\ncolumn.lo.on-conflict = min\n";
    }
    text += options.compares_versions ? "if-newer = ver\n" : "";
    text += options.marks ? "tombstone = soft:gone\n" : "";
    text += options.nulls_what_misses ? "column.qty.missing = null\n" : "";
    return text;
}

class RandomRoutes : public CliTest, public ::testing::WithParamInterface<int> {
protected:
    [[nodiscard]] std::map<std::int64_t, Item> stored(int index) {
        std::map<std::int64_t, Item> rows;
        const auto number = [](const std::optional<std::string>& text) {
            return text ? Cell{std::stoll(*text)} : Cell{};
        };
        for (const auto& row : db().query(
                 fmt::format("SELECT id, name, mail, qty, hi, lo, ver, gone FROM t{}", index))) {
            rows[std::stoll(*row.at(0))] = {row.at(1),
                                            row.at(2),
                                            number(row.at(3)),
                                            number(row.at(4)),
                                            number(row.at(5)),
                                            number(row.at(6)),
                                            std::stoll(row.at(7).value_or("0"))};
        }
        return rows;
    }
};

TEST_P(RandomRoutes, EqualOneStatementARecord) {
    constexpr int kRoutes = 10;
    constexpr int kRecords = 300;
    const auto seed = static_cast<std::uint64_t>(GetParam());
    Draw draw{seed};
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::vector<Interpreter> interpreters;
    std::vector<std::vector<std::int64_t>> refused(kRoutes);
    std::vector<std::string> topics;
    std::vector<Options> all_options;
    std::string file = fmt::format(
        "connector = random\nbad-record.limit = 0\n[kafka]\nbootstrap.servers = {}\n[mysql]\nuri = "
        "{}\n[batch]\nrows = {}\nlinger = 20ms\n",
        broker,
        uri(),
        draw.one_of<int>({7, 40, 500}));
    TestProducer producer{broker};
    for (int index = 0; index < kRoutes; ++index) {
        const auto options = draw_options(draw);
        all_options.push_back(options);
        interpreters.emplace_back(options);
        topics.push_back(unique_name("random"));
        create_topic(broker, topics.back(), 1);
        db().execute(fmt::format(
            "CREATE TABLE t{} (id INT PRIMARY KEY, name VARCHAR(10), mail VARCHAR(10){}, qty INT, "
            "hi INT, lo INT, ver INT, gone TINYINT) ENGINE = InnoDB",
            index,
            options.has_unique_mail ? " UNIQUE" : ""));
        if (options.mode == "update") {
            for (std::int64_t id = 1; id <= 6; ++id) {
                db().execute(fmt::format("INSERT INTO t{} (id) VALUES ({})", index, id));
                interpreters.back().rows[id] = {};
            }
        }
        file += section_of(options, index, topics.back());
        for (int offset = 0; offset < kRecords; ++offset) {
            const Sent sent = draw_record(draw);
            producer.produce(
                topics.back(),
                0,
                std::to_string(sent.id),
                sent.is_tombstone ? std::nullopt : std::optional<std::string>{json_of(sent)});
            if (!interpreters.back().apply(sent)) {
                refused[static_cast<std::size_t>(index)].push_back(offset);
            }
        }
    }
    producer.flush();
    const auto path = testing::TempDir() + unique_name("routes") + ".ini";
    std::ofstream{path} << file;
    const auto ending = run_txsink({"run", "--until-end", "--config", path});
    ASSERT_EQ(ending.code, 0) << ending.output << file;
    for (int index = 0; index < kRoutes; ++index) {
        SCOPED_TRACE(section_of(all_options[static_cast<std::size_t>(index)],
                                index,
                                topics[static_cast<std::size_t>(index)]));
        EXPECT_TRUE(stored(index) == interpreters[static_cast<std::size_t>(index)].rows)
            << "table t" << index;
        std::vector<std::int64_t> dead;
        for (const auto& row : db().query(fmt::format(
                 "SELECT record_offset FROM txsink_dead_letters WHERE topic = '{}' ORDER BY 1",
                 topics[static_cast<std::size_t>(index)]))) {
            dead.push_back(std::stoll(*row.at(0)));
        }
        const bool keeps = all_options[static_cast<std::size_t>(index)].policy == "dead-letter";
        EXPECT_EQ(dead,
                  keeps ? refused[static_cast<std::size_t>(index)] : std::vector<std::int64_t>{});
        EXPECT_EQ(
            db().number(fmt::format("SELECT next_offset FROM txsink_offsets WHERE topic = '{}'",
                                    topics[static_cast<std::size_t>(index)])),
            kRecords);
    }
    std::filesystem::remove(path);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRoutes, ::testing::Range(1, 5));

}  // namespace
}  // namespace txsink::test
