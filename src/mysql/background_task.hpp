/// @file
/// BackgroundTask: a thread that does one thing at a time, and is asked how it went.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace txsink::mysql {

/// Threading: start(), is_over() and the destructor on one thread; the tasks on another. What was
/// done before start() is seen by the task, and what the task did is seen after is_over().
class BackgroundTask {
public:
    BackgroundTask() = default;
    BackgroundTask(const BackgroundTask&) = delete;
    BackgroundTask& operator=(const BackgroundTask&) = delete;
    /// Waits for the task.
    ~BackgroundTask();

    /// Precondition: no task is running.
    void start(std::function<void()> task);
    /// Waits for the end of the task, at most `timeout`. Errors: whatever the task threw, once.
    [[nodiscard]] bool is_over(std::chrono::milliseconds timeout);
    /// Waits for the end of the task, and drops what it threw.
    void wait() noexcept;

private:
    void serve();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> task_;
    std::exception_ptr failure_;
    bool is_running_ = false;
    bool is_ending_ = false;
    std::thread thread_;
};

}  // namespace txsink::mysql
