#include "mysql/background_task.hpp"

#include <utility>

namespace txsink::mysql {

BackgroundTask::~BackgroundTask() {
    if (thread_.joinable()) {
        {
            const std::lock_guard lock{mutex_};
            is_ending_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }
}

void BackgroundTask::start(std::function<void()> task) {
    if (!thread_.joinable()) {
        thread_ = std::thread{[this] { serve(); }};
    }
    {
        const std::lock_guard lock{mutex_};
        task_ = std::move(task);
        failure_ = nullptr;
        is_running_ = true;
    }
    changed_.notify_all();
}

bool BackgroundTask::is_over(std::chrono::milliseconds timeout) {
    std::unique_lock lock{mutex_};
    if (!changed_.wait_for(lock, timeout, [&] { return !is_running_; })) {
        return false;
    }
    if (failure_) {
        std::rethrow_exception(std::exchange(failure_, nullptr));
    }
    return true;
}

void BackgroundTask::wait() noexcept {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return !is_running_; });
    failure_ = nullptr;
}

void BackgroundTask::serve() {
    std::unique_lock lock{mutex_};
    for (;;) {
        changed_.wait(lock, [&] { return is_ending_ || task_; });
        if (!task_) {
            return;
        }
        auto task = std::exchange(task_, nullptr);
        lock.unlock();
        std::exception_ptr failure;
        try {
            task();
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        failure_ = std::move(failure);
        is_running_ = false;
        changed_.notify_all();
    }
}

}  // namespace txsink::mysql
