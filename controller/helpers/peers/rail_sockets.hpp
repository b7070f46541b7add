#pragma once
// Sockets that reach no further than one rail: what comes from, or goes to, another link never
// passes them.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "helpers/peers/lines.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {

/// Listens on kPeersPort for what comes in by that link alone, by IPv4, and by IPv6 where the
/// kernel has it. It does not block. Errors: kNotFound: there is no such link; kBusy: somebody else
/// listens there.
Result<UniqueFd> listen_on(const std::string& link);

struct Incoming {
  UniqueFd connection;  ///< not valid: none is there
  IpAddress from;
  IpAddress to;  ///< ours
};

/// The next connection, which does not block.
Incoming accept_from(int listener);

/// Connects from `from` to `to`, out of that link. The result does not block.
/// Errors: kTimeout: nobody answered before `end`; kSystem: refused, no route, …
Result<UniqueFd> connect_over(const std::string& link, const IpAddress& from, const IpAddress& to,
                              SteadyTime end);

// RailListeners: listens on the rails over which a peer is expected, and nowhere else.

class RailListeners {
 public:
  /// Listens where one of `order`'s peers is expected, and no longer elsewhere. Why it could not,
  /// a text for each rail; a link that is not there is tried with the next order.
  std::vector<std::string> update(const protocol::PeersOrder& order);

  /// By link.
  [[nodiscard]] const std::map<std::string, UniqueFd>& all() const { return listeners_; }

 private:
  std::map<std::string, UniqueFd> listeners_;
  std::map<std::string, unsigned> indexes_;  ///< ifindex
};

// HelloSocket: sends and receives frames by a socket that the daemon handed over, or that was
// opened before root was given up. Making such a socket takes CAP_NET_RAW, which spark-peers does
// not have.

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
