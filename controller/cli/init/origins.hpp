#pragma once
// Origins: who set what the kernel has on the rails, and the file that says so.

#include <string>
#include <string_view>
#include <vector>

#include "base/ip.hpp"
#include "cli/init/rails_here.hpp"
#include "host/view.hpp"

namespace spark::cli {

/// "netplan", or who is known to write a netplan file by that name, or "NetworkManager".
std::string writer_of(std::string_view path);

class Origins {
 public:
  Origins(host::View& view, const std::vector<RailHere>& rails);

  // As texts for a comment: "netplan: /etc/netplan/60-rails.yaml:5". Where nothing says so, "the
  // kernel", which forgets it at the next boot.
  [[nodiscard]] std::string of_address(const RailHere& rail,
                                       const host::AddressInfo& address) const;
  [[nodiscard]] std::string of_mtu(const RailHere& rail) const;
  /// Empty: no unit or script sets the link down.
  [[nodiscard]] std::string of_down(const RailHere& rail) const;

  /// Units and scripts that set up rails at boot, by what to write of them: "FILE, which the unit
  /// X runs".
  [[nodiscard]] const std::vector<std::string>& setup_files() const { return setup_files_; }

 private:
  /// One source of settings for one rail.
  struct Source {
    std::string link;
    std::string text;  ///< of the comment
    std::vector<IpPrefix> addresses;
    std::optional<std::uint32_t> mtu;
    std::optional<bool> up;
    bool automatic = false;  ///< its addresses are from DHCP
  };

  void add_managers(host::View& view, const RailHere& rail);
  void add_netplan(host::View& view, const std::vector<RailHere>& rails);
  void add_profiles(host::View& view, const std::vector<RailHere>& rails);
  void add_setup(host::View& view, const std::vector<RailHere>& rails);

  std::vector<Source> sources_;  ///< the first that fits is the origin
  std::vector<std::string> setup_files_;
};

}  // namespace spark::cli
