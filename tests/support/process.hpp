/// @file
/// Process: a child process of a test, its signals, its output and its end.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace txsink::test {

/// How a process ended: with an exit code, or by a signal (then `code` is -1).
struct ExitStatus {
    int code = -1;
    int signal = 0;
    friend bool operator==(const ExitStatus&, const ExitStatus&) = default;
    friend std::ostream& operator<<(std::ostream& out, const ExitStatus& status);
};

/// A child process; killed and reaped at the latest by the destructor, or with the test's own
/// process. Standard output and error go to one file, standard input is empty.
///
/// Errors: std::runtime_error when it cannot be started.
/// Threading: one thread, the main one (a child dies with the thread that started it).
class Process {
public:
    /// `arguments[0]`: a path, or a name that PATH has. `environment` is added to our own.
    Process(std::vector<std::string> arguments,
            const std::map<std::string, std::string>& environment,
            std::string output_file);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process();

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    [[nodiscard]] bool is_running() { return !wait_for(std::chrono::milliseconds{0}); }
    /// True while SIGSTOP holds it.
    [[nodiscard]] bool is_stopped() const;

    /// Does nothing once it has ended.
    void signal(int number);
    /// SIGKILL, and waits for the end.
    ExitStatus kill();
    /// Nothing when it still runs after `deadline`. May be asked again after the end.
    std::optional<ExitStatus> wait_for(std::chrono::milliseconds deadline);

    /// What it has used of the processors, once it has ended. Its ru_maxrss is no use: it is at
    /// least what the parent had when it started it.
    [[nodiscard]] const rusage& usage() const noexcept { return usage_; }

    /// All that it has written until now.
    [[nodiscard]] std::string output() const;
    /// Whether the output holds `text`.
    [[nodiscard]] bool has_said(const std::string& text) const;
    /// The last `lines` lines of the output.
    [[nodiscard]] std::string last_lines(int lines) const;

private:
    pid_t pid_ = -1;
    int handle_ = -1;  ///< a pidfd: readable once the process has ended
    std::string output_file_;
    std::optional<ExitStatus> status_;
    rusage usage_{};
};

}  // namespace txsink::test
