#pragma once
// HttpServer: answers GET and HEAD over HTTP/1.1, and a POST of one small form where there is one.
// Strangers may connect, so everything that a connection can take is bounded.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"
#include "helpers/web/response.hpp"

namespace boost::asio {
class io_context;
}

namespace spark::helpers {

struct HttpEndpoint {
  IpAddress ip;
  std::uint16_t port = 0;  ///< 0: any that is free
};

struct HttpLimits {
  std::size_t connections = 32;  ///< one more closes the idlest
  std::size_t requests = 100;    ///< of one connection
  std::uint32_t header_bytes = 8192;
  std::size_t form_bytes = 1024;             ///< of the body of a form
  std::chrono::milliseconds request{5000};   ///< to send one, from its first byte
  std::chrono::milliseconds idle{10'000};    ///< until the first byte of the next one
  std::chrono::milliseconds answer{10'000};  ///< to take the answer
};

/// Whether `host`, a request's Host, is a name that this machine goes by: "localhost", an address,
/// or one of `names`; with a port or without. Any other name is a stranger's that was made to lead
/// here (DNS rebinding): the stranger's pages must not read the answer.
bool is_own_host(std::string_view host, const std::vector<std::string>& names);

/// The names that a machine goes by: its host name, the first label of that, and that label in
/// .local, as multicast DNS has it (RFC 6762). No one else can take these: nobody registers a name
/// in .local, or one of a single label. Empty: `hostname` is empty.
std::vector<std::string> names_of_machine(const std::string& hostname);

/// Runs on an io_context of one thread, from listen() until it is destroyed; connections that are
/// open then end with it. The Answer is called in that thread and must not block.
class HttpServer {
 public:
  using Answer = std::function<Response(const Request& request)>;

  /// `names` are the machine's own, for is_own_host(). `form`: the one path that takes a POST;
  /// empty: none does. Errors: the kernel refuses the endpoint, with its reason.
  static Result<HttpServer> listen(boost::asio::io_context& context, const HttpEndpoint& endpoint,
                                   std::vector<std::string> names, Answer answer,
                                   std::string form = {}, const HttpLimits& limits = {});

  HttpServer(HttpServer&&) noexcept;
  HttpServer& operator=(HttpServer&&) noexcept;
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  /// The port that the server listens on.
  [[nodiscard]] std::uint16_t port() const;

 private:
  class Listener;
  explicit HttpServer(std::shared_ptr<Listener> listener);

  std::shared_ptr<Listener> listener_;
};

}  // namespace spark::helpers
