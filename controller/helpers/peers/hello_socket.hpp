#pragma once
// HelloSocket: sends and receives frames by a socket that the daemon handed over, or that was
// opened before root was given up. Making such a socket takes CAP_NET_RAW, which spark-peers does
// not have.

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace spark::helpers {

struct HelloFrame {
  int link_index = 0;
  std::string mac;    ///< the sender's: "02:00:00:00:00:01"
  std::string bytes;  ///< behind the Ethernet header
};

class HelloSocket {
 public:
  /// Fetches it from the daemon at `door`. Errors: kNotFound: no daemon is there yet; kPermission:
  /// this is not the user that gets it.
  static Result<HelloSocket> fetch(const std::string& door);
  /// One that host/hello_socket.hpp opened.
  explicit HelloSocket(UniqueFd socket) : socket_(std::move(socket)) {}

  [[nodiscard]] int fd() const { return socket_.get(); }
  /// The next frame that was received; empty: none is there. Its own frames are left out.
  [[nodiscard]] std::optional<HelloFrame> receive() const;
  /// To everybody on the link.
  [[nodiscard]] Result<> send(int link_index, std::string_view bytes) const;

 private:
  UniqueFd socket_;
};

}  // namespace spark::helpers
