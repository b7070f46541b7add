#pragma once
// HelloDoor: hands the socket of the hellos to spark-peers, which may not make one. The daemon
// reads nothing from the process that connects.

#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

#include "base/result.hpp"

namespace spark::daemon {

class HelloDoor {
 public:
  /// Listens at kHelloDoor below `root` ("" or without a slash at its end) for as long as it lives.
  /// Who connects gets a socket and is gone, one a second: root, and the user kPeersUser. Others
  /// cannot connect.
  /// Errors: the kernel refuses the path.
  static Result<HelloDoor> open(boost::asio::io_context& loop, const std::string& root);

  HelloDoor(HelloDoor&&) noexcept;
  HelloDoor& operator=(HelloDoor&&) noexcept;
  HelloDoor(const HelloDoor&) = delete;
  HelloDoor& operator=(const HelloDoor&) = delete;
  ~HelloDoor();

 private:
  class Listener;
  explicit HelloDoor(std::shared_ptr<Listener> listener);
  std::shared_ptr<Listener> listener_;
};

}  // namespace spark::daemon
