#include "resource/resource.hpp"

#include <fmt/format.h>

namespace spark {

Aside waiting_for_link(const std::string& link) {
  return {
      Aside::Why::kWaiting, "SR-LINK-001",
      fmt::format("no device '{}': a Spark powers its ConnectX-7 off while no cable is plugged; "
                  "it is set up by the next apply after the device appears",
                  link)};
}

Aside unreadable(const Error& error) { return {Aside::Why::kUnknown, "SR-HOST-001", error.what}; }

}  // namespace spark
