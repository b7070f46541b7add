#pragma once
// Connection: both ends of one in this process, as spark-peers has them: its own does not block,
// and SIGPIPE is ignored.

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include <fcntl.h>
#include <sys/socket.h>

#include "base/unique_fd.hpp"

namespace spark::test {

class Connection {
 public:
  Connection() : signal_before_(std::signal(SIGPIPE, SIG_IGN)) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0 ||
        fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) {
      throw std::system_error(errno, std::generic_category(), "make a connection");
    }
    own = UniqueFd(ends[0]);
    peer = UniqueFd(ends[1]);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { static_cast<void>(std::signal(SIGPIPE, signal_before_)); }

  UniqueFd own;
  UniqueFd peer;

 private:
  void (*signal_before_)(int);
};

}  // namespace spark::test
