/// @file
/// MemberNames: what the members of the last text's objects were named.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace txsink::decode {

/// Texts of one topic mostly have the same members in the same order. So the first objects of a
/// text have their names remembered, by the order in which they begin: a name that comes again
/// needs no look for its end and its escapes, and names that were found distinct need not be
/// compared again. Reused: no allocation for names that are like the last. Threading: one thread.
class MemberNames {
public:
    /// The names of one object: all distinct, none with an escape.
    class Object {
    public:
        /// The name of the member at `index`, if the text at `begin`, after the opening quote, is
        /// that name and a quote; else a null view.
        /// Precondition: kLongest + 1 bytes can be read at `begin`.
        [[nodiscard]] std::string_view match(std::size_t index, const char* begin) const noexcept {
            if (index >= size_) {
                return {};
            }
            const std::string& name = names_[index];
            return std::memcmp(begin, name.data(), name.size()) == 0
                       ? std::string_view{begin, name.size() - 1}
                       : std::string_view{};
        }

        void forget() noexcept { size_ = 0; }
        /// Precondition: not one of those that are there.
        void add(std::string_view name) {
            if (size_ == names_.size()) {
                names_.emplace_back();
            }
            names_[size_].assign(name);
            names_[size_++] += '"';
        }

    private:
        /// Each with the quote that ends it.
        std::vector<std::string> names_;
        std::size_t size_ = 0;
    };

    /// Bounds on memory against odd records.
    static constexpr std::size_t kLongest = 60;
    static constexpr std::size_t kMostMembers = 1'024;

    void begin_text() noexcept { next_ = 0; }
    /// The names of the object that begins now; nullptr: none are remembered for it.
    [[nodiscard]] Object* begin_object() noexcept {
        return next_ < objects_.size() ? &objects_[next_++] : nullptr;
    }

private:
    std::array<Object, 8> objects_;
    std::size_t next_ = 0;
};

}  // namespace txsink::decode
