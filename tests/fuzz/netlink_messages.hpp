#pragma once
// The netlink messages in the input of a fuzzer.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <netlink/msg.h>

namespace spark::test {

/// Calls `take` for each message as long as they are whole, as the receiving code does. The bytes
/// are in an allocation of exactly their size, so that a look beyond their end is caught.
template <class Take>
void each_message(const std::uint8_t* data, std::size_t size, Take take) {
  const auto copy = std::make_unique<std::uint8_t[]>(size);
  std::copy_n(data, size, copy.get());
  int left = static_cast<int>(size);
  for (auto* message = reinterpret_cast<nlmsghdr*>(copy.get()); nlmsg_ok(message, left) != 0;
       message = nlmsg_next(message, &left)) {
    take(*message);
  }
}

}  // namespace spark::test
