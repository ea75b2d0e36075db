/// @file
/// TXSINK_FAILPOINT(name): a place where a test can kill the process; nothing in a release.
///
/// With TXSINK_FAILPOINTS compiled in, the environment variable TXSINK_FAILPOINT=name:n sends
/// SIGKILL to the own process at the n-th pass (1 = the first) of the point of that name;
/// name:n:stop sends SIGSTOP: until SIGCONT the process is a zombie that holds what it holds.
#pragma once

#ifdef TXSINK_FAILPOINTS
namespace txsink {
void pass_failpoint(const char* name) noexcept;
}
#define TXSINK_FAILPOINT(name) ::txsink::pass_failpoint(name)
#else
#define TXSINK_FAILPOINT(name) static_cast<void>(0)
#endif
