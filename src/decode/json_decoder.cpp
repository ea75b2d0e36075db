#include "txsink/decode/json_decoder.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "decode/json_text.hpp"
#include "decode/member_names.hpp"
#include "txsink/decode/number.hpp"

namespace txsink::decode {

namespace {

namespace ondemand = simdjson::ondemand;

/// Each level of nesting takes a stack frame here and an entry in simdjson's debug build.
constexpr std::size_t kDeepestLimit = 1'000;
/// Buffers grow to powers of two from here, so that slowly growing records do not reallocate.
constexpr std::size_t kSmallestCapacity = 4'096;
/// Objects with more members than this are sorted to find duplicate names, not compared in pairs.
constexpr std::size_t kManyMembers = 64;

/// The string that begins at `begin`, after its quote; a null view when it holds an escape.
/// Precondition: the string is closed, which simdjson's first stage has checked.
std::string_view plain_name(const char* begin) noexcept {
    const char* end = begin;
    while (*end != '"') {
        if (*end == '\\') {
            return {};
        }
        ++end;
    }
    return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

/// The buffers, and one walk over the text with simdjson's on-demand iterators.
struct JsonDecoder::State {
    explicit State(JsonLimits json_limits)
        : max_depth_{std::min(json_limits.max_depth, kDeepestLimit)} {}

    [[nodiscard]] Result<Document> decode(std::string_view input);
    [[nodiscard]] std::span<Value> values() noexcept { return nodes_; }

private:
    void hold(std::string_view input);
    [[nodiscard]] bool read_root(ondemand::document& root);
    [[nodiscard]] bool read_root_scalar(ondemand::document& root);
    [[nodiscard]] bool read_value(ondemand::value& value, std::string_view name, std::size_t depth);
    [[nodiscard]] bool read_string(ondemand::value& value,
                                   std::string_view token,
                                   std::string_view name);
    [[nodiscard]] bool read_object(simdjson::simdjson_result<ondemand::object> found,
                                   std::size_t parent,
                                   std::size_t depth);
    [[nodiscard]] bool read_array(simdjson::simdjson_result<ondemand::array> found,
                                  std::size_t parent,
                                  std::size_t depth);
    [[nodiscard]] bool read_word(std::string_view token, std::string_view name);
    [[nodiscard]] bool check_end();
    [[nodiscard]] bool check_names(std::size_t parent);
    [[nodiscard]] bool check_many_names(std::size_t parent);
    void remember_names(std::size_t parent, MemberNames::Object& names);
    std::size_t open(ValueKind kind, std::string_view name, const char* begin);
    void close(std::size_t parent);
    void add(ValueKind kind, std::string_view name, std::string_view token);

    bool fail(const char* what, const char* where);
    bool fail(simdjson::error_code code);
    bool fail_by_duplicate(std::string_view name);

    std::size_t max_depth_;
    ondemand::parser parser_;
    /// The text with the padding that simdjson reads over.
    std::unique_ptr<char[]> padded_;
    std::size_t capacity_ = 0;
    /// The text inside `padded`.
    std::string_view text_;
    ondemand::document* document_ = nullptr;
    std::vector<Value> nodes_;
    std::vector<std::string_view> names_;
    MemberNames known_names_;
    std::optional<RecordError> error_;
};

JsonDecoder::JsonDecoder(JsonLimits limits) : state_{std::make_unique<State>(limits)} {}
JsonDecoder::JsonDecoder(JsonDecoder&&) noexcept = default;
JsonDecoder& JsonDecoder::operator=(JsonDecoder&&) noexcept = default;
JsonDecoder::~JsonDecoder() = default;

Result<Document> JsonDecoder::decode(std::string_view text) {
    return state_->decode(text);
}

std::span<Value> JsonDecoder::values() noexcept {
    return state_->values();
}

Result<Document> JsonDecoder::State::decode(std::string_view input) {
    if (std::optional<RecordError> refusal = refuse_by_beginning(input)) {
        return *std::move(refusal);
    }
    hold(input);
    nodes_.clear();
    known_names_.begin_text();
    error_.reset();
    ondemand::document root;
    if (const auto code =
            parser_.iterate(text_, capacity_ + simdjson::SIMDJSON_PADDING).get(root)) {
        return not_json(explain(code));
    }
    document_ = &root;
    const bool is_read = read_root(root);
    document_ = nullptr;
    if (!is_read) {
        return *std::move(error_);
    }
    return Document{nodes_};
}

/// Copies `input` to where simdjson may read past its end.
void JsonDecoder::State::hold(std::string_view input) {
    if (input.size() > capacity_) {
        const std::size_t wanted = std::bit_ceil(std::max(input.size(), kSmallestCapacity));
        padded_ = std::make_unique<char[]>(wanted + simdjson::SIMDJSON_PADDING);
        capacity_ = wanted;
        if (parser_.allocate(wanted) != simdjson::SUCCESS) {
            capacity_ = 0;
            throw std::bad_alloc{};
        }
    }
    std::memcpy(padded_.get(), input.data(), input.size());
    // A bracket left over from the last text would look like the end of this one.
    std::memset(padded_.get() + input.size(), 0, simdjson::SIMDJSON_PADDING);
    text_ = {padded_.get(), input.size()};
}

bool JsonDecoder::State::read_root(ondemand::document& root) {
    const std::string_view whole = without_blanks(text_);
    bool is_read = false;
    if (whole.front() == '{') {
        is_read = read_object(root.get_object(), open(ValueKind::object, {}, whole.data()), 1);
    } else if (whole.front() == '[') {
        is_read = read_array(root.get_array(), open(ValueKind::array, {}, whole.data()), 1);
    } else {
        return read_root_scalar(root);
    }
    return is_read && check_end();
}

bool JsonDecoder::State::read_root_scalar(ondemand::document& root) {
    const std::string_view whole = without_blanks(text_);
    if (whole.front() != '"') {
        return read_word(whole, {});
    }
    std::string_view unescaped;
    if (const auto code = root.get_string().get(unescaped)) {
        return fail(code);
    }
    add(ValueKind::string, {}, unescaped);
    return check_end();
}

bool JsonDecoder::State::read_value(ondemand::value& value,
                                    std::string_view name,
                                    std::size_t depth) {
    const std::string_view token = value.raw_json_token();
    if (token.empty()) {
        return fail("an object or array that is never closed", token.data());
    }
    switch (token.front()) {
        case '"':
            return read_string(value, without_trailing_blanks(token), name);
        case '{':
        case '[':
            if (depth == max_depth_) {
                error_ = RecordError{RecordErrorCode::too_deep,
                                     {},
                                     fmt::format("nested deeper than {} levels", max_depth_)};
                return false;
            }
            if (token.front() == '{') {
                const std::size_t parent = open(ValueKind::object, name, token.data());
                return read_object(value.get_object(), parent, depth + 1);
            }
            return read_array(
                value.get_array(), open(ValueKind::array, name, token.data()), depth + 1);
        default:
            // simdjson checks a number only when it converts it, which would lose digits.
            return read_word(without_trailing_blanks(token), name);
    }
}

/// Most strings have no escape and can stay where they are, in the copy of the text.
bool JsonDecoder::State::read_string(ondemand::value& value,
                                     std::string_view token,
                                     std::string_view name) {
    if (token.size() < 2 || token.back() != '"') {
        return fail("a syntax error", token.data());
    }
    std::string_view unescaped = token.substr(1, token.size() - 2);
    if (std::memchr(unescaped.data(), '\\', unescaped.size()) != nullptr) {
        if (const auto code = value.get_string().get(unescaped)) {
            return fail(code);
        }
    } else if (const auto code = value.get_raw_json_string().error()) {
        return fail(code);
    }
    add(ValueKind::string, name, unescaped);
    return true;
}

bool JsonDecoder::State::read_object(simdjson::simdjson_result<ondemand::object> found,
                                     std::size_t parent,
                                     std::size_t depth) {
    if (found.error() != simdjson::SUCCESS) {
        return fail(found.error());
    }
    ondemand::object object = found.value_unsafe();
    MemberNames::Object* const known = known_names_.begin_object();
    bool are_known = known != nullptr;
    std::size_t index = 0;
    for (simdjson::simdjson_result<ondemand::field> next : object) {
        if (next.error() != simdjson::SUCCESS) {
            return fail(next.error());
        }
        // By reference: copying these small iterators costs more than what they do.
        ondemand::field&& field = std::move(next).value_unsafe();
        const char* const begin = field.key().raw();
        std::string_view name = are_known ? known->match(index++, begin) : std::string_view{};
        if (name.data() == nullptr) {
            are_known = false;
            name = plain_name(begin);
        }
        if (name.data() == nullptr) {
            if (const auto code = field.unescaped_key().get(name)) {
                return fail(code);
            }
        }
        if (!read_value(field.value(), name, depth)) {
            return false;
        }
    }
    close(parent);
    if (are_known) {
        return true;
    }
    if (!check_names(parent)) {
        return false;
    }
    if (known != nullptr) {
        remember_names(parent, *known);
    }
    return true;
}

/// Up to the first name that is none to remember. Precondition: the names are distinct.
void JsonDecoder::State::remember_names(std::size_t parent, MemberNames::Object& names) {
    names.forget();
    const std::size_t end = parent + nodes_[parent].size;
    std::size_t members = 0;
    for (std::size_t i = parent + 1; i < end; i += nodes_[i].size) {
        const std::string_view name = nodes_[i].name;
        const bool is_plain =
            text_.data() <= name.data() && name.data() < text_.data() + text_.size();
        if (!is_plain || name.size() > MemberNames::kLongest ||
            ++members > MemberNames::kMostMembers) {
            return;
        }
        names.add(name);
    }
}

bool JsonDecoder::State::read_array(simdjson::simdjson_result<ondemand::array> found,
                                    std::size_t parent,
                                    std::size_t depth) {
    if (found.error() != simdjson::SUCCESS) {
        return fail(found.error());
    }
    ondemand::array array = found.value_unsafe();
    for (simdjson::simdjson_result<ondemand::value> next : array) {
        if (next.error() != simdjson::SUCCESS) {
            return fail(next.error());
        }
        ondemand::value value = next.value_unsafe();
        if (!read_value(value, {}, depth)) {
            return false;
        }
    }
    close(parent);
    return true;
}

/// A token that is neither string, object nor array: a number, true, false or null.
bool JsonDecoder::State::read_word(std::string_view token, std::string_view name) {
    if (is_plain_whole(token) || parse_number(token)) {
        add(ValueKind::number, name, token);
    } else if (token == "true" || token == "false") {
        add(ValueKind::boolean, name, token);
    } else if (token == "null") {
        add(ValueKind::null, name, token);
    } else {
        return fail("neither a value nor a number in JSON syntax", token.data());
    }
    return true;
}

/// Refuses anything after the root value.
bool JsonDecoder::State::check_end() {
    const char* next = nullptr;
    const bool is_at_end = document_->current_location().get(next) == simdjson::OUT_OF_BOUNDS;
    return is_at_end || fail("text after the value", next);
}

/// Refuses two members of one name. A bit per name decides most of it.
bool JsonDecoder::State::check_names(std::size_t parent) {
    const std::size_t end = parent + nodes_[parent].size;
    std::uint64_t seen = 0;
    std::size_t members = 0;
    for (std::size_t i = parent + 1; i < end; i += nodes_[i].size) {
        if (++members > kManyMembers) {
            return check_many_names(parent);
        }
        const std::string_view name = nodes_[i].name;
        std::size_t hash = name.size();
        if (!name.empty()) {
            hash += 7U * static_cast<unsigned char>(name.front()) +
                    31U * static_cast<unsigned char>(name.back());
        }
        const std::uint64_t bit = std::uint64_t{1} << (hash % 64);
        if ((seen & bit) != 0) {
            for (std::size_t k = parent + 1; k < i; k += nodes_[k].size) {
                if (nodes_[k].name == name) {
                    return fail_by_duplicate(name);
                }
            }
        }
        seen |= bit;
    }
    return true;
}

bool JsonDecoder::State::check_many_names(std::size_t parent) {
    names_.clear();
    for_each_child(
        nodes_, parent, [this](std::size_t, const Value& child) { names_.push_back(child.name); });
    std::sort(names_.begin(), names_.end());
    const auto twice = std::adjacent_find(names_.begin(), names_.end());
    return twice == names_.end() || fail_by_duplicate(*twice);
}

std::size_t JsonDecoder::State::open(ValueKind kind, std::string_view name, const char* begin) {
    nodes_.push_back({.kind = kind, .text = {begin, 1}, .name = name});
    return nodes_.size() - 1;
}

/// Ends the object or array `parent`, which the iterator has just left.
void JsonDecoder::State::close(std::size_t parent) {
    const char* next = nullptr;
    if (document_->current_location().get(next) != simdjson::SUCCESS) {
        next = text_.data() + text_.size();
    }
    const char* begin = nodes_[parent].text.data();
    nodes_[parent].text = without_trailing_blanks({begin, static_cast<std::size_t>(next - begin)});
    nodes_[parent].size = static_cast<std::uint32_t>(nodes_.size() - parent);
}

void JsonDecoder::State::add(ValueKind kind, std::string_view name, std::string_view token) {
    nodes_.push_back({.kind = kind, .text = token, .name = name});
}

bool JsonDecoder::State::fail(const char* what, const char* where) {
    error_ = RecordError{RecordErrorCode::not_json,
                         {},
                         fmt::format("not JSON: {} at byte {}", what, where - text_.data())};
    return false;
}

bool JsonDecoder::State::fail(simdjson::error_code code) {
    const char* where = nullptr;
    if (document_->current_location().get(where) != simdjson::SUCCESS) {
        error_ = not_json(explain(code));
        return false;
    }
    return fail(explain(code), where);
}

bool JsonDecoder::State::fail_by_duplicate(std::string_view name) {
    const std::string shown = printable_name(name);
    error_ = RecordError{RecordErrorCode::duplicate_field,
                         shown,
                         fmt::format("two members named \"{}\" in one object", shown)};
    return false;
}

}  // namespace txsink::decode
