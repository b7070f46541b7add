#include "config/agent.hpp"

#include <fmt/format.h>

namespace spark::config {

std::string text_of(const Endpoint& endpoint) {
  return endpoint.ip.is_v4() ? fmt::format("{}:{}", endpoint.ip.text(), endpoint.port)
                             : fmt::format("[{}]:{}", endpoint.ip.text(), endpoint.port);
}

}  // namespace spark::config
