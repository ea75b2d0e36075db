/// @file
/// Process over fork, exec and pidfd.
#include "support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <ostream>
#include <stdexcept>

namespace txsink::test {
namespace {

/// Our environment with `added` on top, as NAME=value.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
    std::vector<std::string> all;
    for (char** each = environ; *each != nullptr; ++each) {
        const std::string entry{*each};
        if (!added.contains(entry.substr(0, entry.find('=')))) {
            all.push_back(entry);
        }
    }
    for (const auto& [name, value] : added) {
        all.push_back(name + "=" + value);
    }
    return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (auto& text : texts) {
        all.push_back(text.data());
    }
    all.push_back(nullptr);
    return all;
}

/// In the child: only what is safe between fork and exec of a process with threads.
[[noreturn]] void become(char** arguments, char** environment, int output, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
        ::_exit(127);
    }
    const int empty = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(empty, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    ::execvpe(arguments[0], arguments, environment);
    ::_exit(127);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const ExitStatus& status) {
    return status.signal != 0 ? out << "signal " << status.signal
                              : out << "exit code " << status.code;
}

Process::Process(std::vector<std::string> arguments,
                 const std::map<std::string, std::string>& environment,
                 std::string output_file)
    : output_file_{std::move(output_file)} {
    auto variables = environment_with(environment);
    auto argv = pointers(arguments);
    auto envp = pointers(variables);
    const int output =
        ::open(output_file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (output < 0) {
        throw std::runtime_error{output_file_ + ": " + std::strerror(errno)};
    }
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) {
        become(argv.data(), envp.data(), output, parent);
    }
    ::close(output);
    if (pid_ < 0) {
        throw std::runtime_error{std::string{"fork: "} + std::strerror(errno)};
    }
    handle_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    if (handle_ < 0) {
        throw std::runtime_error{std::string{"pidfd_open: "} + std::strerror(errno)};
    }
}

Process::~Process() {
    kill();
    ::close(handle_);
}

bool Process::is_stopped() const {
    std::ifstream file{"/proc/" + std::to_string(pid_) + "/stat"};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    // The state follows the name, which is in parentheses and may hold anything.
    const auto end_of_name = text.rfind(')');
    return end_of_name != std::string::npos && text.compare(end_of_name, 3, ") T") == 0;
}

void Process::signal(int number) {
    if (!status_) {
        ::kill(pid_, number);  // not reaped yet, so the pid is still ours
    }
}

ExitStatus Process::kill() {
    signal(SIGKILL);
    return *wait_for(std::chrono::minutes{1});
}

std::optional<ExitStatus> Process::wait_for(std::chrono::milliseconds deadline) {
    if (status_) {
        return status_;
    }
    const auto until = std::chrono::steady_clock::now() + deadline;
    pollfd ended{handle_, POLLIN, 0};
    int left = 0;
    do {
        left = static_cast<int>(std::max<std::chrono::milliseconds::rep>(
            0,
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now())
                .count()));
    } while (::poll(&ended, 1, left) < 0 && errno == EINTR);
    int raw = 0;
    if (::wait4(pid_, &raw, WNOHANG, &usage_) == pid_) {
        status_ =
            WIFSIGNALED(raw) ? ExitStatus{-1, WTERMSIG(raw)} : ExitStatus{WEXITSTATUS(raw), 0};
    }
    return status_;
}

std::string Process::output() const {
    std::ifstream file{output_file_, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

bool Process::has_said(const std::string& text) const {
    return output().find(text) != std::string::npos;
}

std::string Process::last_lines(int lines) const {
    const auto text = output();
    auto from = text.size();
    for (int i = 0; i <= lines && from != std::string::npos && from > 0; ++i) {
        from = text.rfind('\n', from - 1);
    }
    return text.substr(from == std::string::npos || from == 0 ? 0 : from + 1);
}

}  // namespace txsink::test
