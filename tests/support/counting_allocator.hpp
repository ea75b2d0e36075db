/// @file
/// Replaces every operator new of the process, and counts. Include it in one source of an
/// executable, which is better alone in it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace txsink::test {

inline std::atomic<std::size_t> allocations{0};

}  // namespace txsink::test

// All forms: the sanitizers have their own of each, and theirs do not go with our delete. Not
// inlined: gcc would see the pair of its own new and our free(), and take it for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++txsink::test::allocations;
    return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
    ++txsink::test::allocations;
    return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void* operator new(std::size_t size) {
    if (void* memory = operator new(size, std::nothrow)) {
        return memory;
    }
    throw std::bad_alloc{};
}
[[gnu::noinline]] void* operator new[](std::size_t size) {
    if (void* memory = operator new[](size, std::nothrow)) {
        return memory;
    }
    throw std::bad_alloc{};
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}
