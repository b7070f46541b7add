#pragma once
// NetlinkRequest: one netlink request while it is put together.

#include <cstdint>
#include <string>

#include <netlink/attr.h>
#include <netlink/msg.h>

#include "base/handle.hpp"
#include "base/ip.hpp"

namespace spark::host {

class NetlinkRequest {
 public:
  /// `type` is RTM_*, `header` the fixed header that the type asks for (ifinfomsg, ifaddrmsg, …).
  template <class Header>
  NetlinkRequest(int type, const Header& header, int flags = 0)
      : message_(nlmsg_alloc_simple(type, NLM_F_REQUEST | flags)) {
    // nlmsg_append only reads: its parameter lacks the const.
    fits_ = message_ && nlmsg_append(message_.get(), const_cast<Header*>(&header), sizeof(header),
                                     NLMSG_ALIGNTO) == 0;
  }

  /// For protocols whose attributes follow the netlink header at once.
  explicit NetlinkRequest(int type)
      : message_(nlmsg_alloc_simple(type, NLM_F_REQUEST)), fits_(message_ != nullptr) {}

  void put_u8(int attribute, std::uint8_t value) { put(attribute, sizeof(value), &value); }
  void put_u32(int attribute, std::uint32_t value) { put(attribute, sizeof(value), &value); }
  /// With its terminating NUL.
  void put_text(int attribute, const std::string& text) {
    put(attribute, text.size() + 1, text.c_str());
  }
  void put_ip(int attribute, const IpAddress& ip) {
    put(attribute, ip.bytes().size(), ip.bytes().data());
  }
  void put(int attribute, std::size_t size, const void* data) {
    fits_ = fits_ && nla_put(message_.get(), attribute, static_cast<int>(size), data) == 0;
  }
  /// Puts what `fill` puts inside one nested attribute.
  template <class Fill>
  void put_nested(int attribute, Fill fill) {
    nlattr* const nest = fits_ ? nla_nest_start(message_.get(), attribute) : nullptr;
    fits_ = nest != nullptr;
    fill();
    if (fits_) {
      static_cast<void>(nla_nest_end(message_.get(), nest));  // writes a length, cannot fail
    }
  }

  /// The message; null when it did not fit into a page or memory ran out.
  [[nodiscard]] nlmsghdr* header() const { return fits_ ? nlmsg_hdr(message_.get()) : nullptr; }

 private:
  Handle<nl_msg, nlmsg_free> message_;
  bool fits_ = false;
};

}  // namespace spark::host
