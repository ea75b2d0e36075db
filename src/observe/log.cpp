#include "txsink/observe/log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <string_view>
#include <utility>

#include "observe/log_formatter.hpp"

namespace txsink::observe {
namespace {

void append(spdlog::memory_buf_t& out, std::string_view text) {
    out.append(text.data(), text.data() + text.size());
}

// Bytes from 0x80 up pass: messages are UTF-8. The rules are JSON's; in text lines only control
// characters are escaped, so that what comes from outside cannot forge a line of its own.
void append_escaped(spdlog::memory_buf_t& out, std::string_view text, bool as_json) {
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n') {
            append(out, "\\n");
        } else if (byte < 0x20 || byte == 0x7f) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
        } else {
            if (as_json && (c == '"' || c == '\\')) {
                out.push_back('\\');
            }
            out.push_back(c);
        }
    }
}

class LineFormatter final : public spdlog::formatter {
public:
    explicit LineFormatter(LogFormat format) : format_{format} {}

    void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
        const auto seconds = std::chrono::floor<std::chrono::seconds>(message.time);
        const auto fraction =
            std::chrono::duration_cast<std::chrono::milliseconds>(message.time - seconds).count();
        const auto time = fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                                      fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                                      fraction);
        const auto level_view = spdlog::level::to_string_view(message.level);
        const std::string_view level = message.level == spdlog::level::warn
                                           ? std::string_view{"warn"}
                                           : std::string_view{level_view.data(), level_view.size()};
        const std::string_view text{message.payload.data(), message.payload.size()};
        const auto to = std::back_inserter(out);
        if (format_ == LogFormat::json) {
            fmt::format_to(to, R"({{"time":"{}","level":"{}","message":")", time, level);
            append_escaped(out, text, true);
            append(out, "\"}\n");
        } else {
            fmt::format_to(to, "{} {:<5} ", time, level);
            append_escaped(out, text, false);
            append(out, "\n");
        }
    }

    [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
        return std::make_unique<LineFormatter>(format_);
    }

private:
    LogFormat format_;
};

spdlog::level::level_enum to_spdlog(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return spdlog::level::debug;
        case LogLevel::info:
            return spdlog::level::info;
        case LogLevel::warn:
            return spdlog::level::warn;
        case LogLevel::error:
            return spdlog::level::err;
    }
    return spdlog::level::info;
}

LogFormat g_format = LogFormat::text;

}  // namespace

LogFormat log_format() noexcept {
    return g_format;
}

std::unique_ptr<spdlog::formatter> make_log_formatter(LogFormat format) {
    return std::make_unique<LineFormatter>(format);
}

void set_up_log(const LogSettings& settings) {
    g_format = settings.format;
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    auto logger = std::make_shared<spdlog::logger>("txsink", std::move(sink));
    logger->set_formatter(make_log_formatter(settings.format));
    logger->set_level(to_spdlog(settings.level));
    spdlog::set_default_logger(std::move(logger));
}

}  // namespace txsink::observe
