#pragma once
// HostRails: the rails of this machine, and `lo` where it has addresses, as entries of `links`, as
// far as the language takes them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/init/origins.hpp"
#include "cli/init/rails_here.hpp"
#include "cli/init/yaml_text.hpp"
#include "config/yaml/diagnostic.hpp"
#include "host/view.hpp"

namespace spark::cli {

/// How the file names a rail. Each step down is for what the language refuses.
enum class RailEntry : std::uint8_t {
  kSet,       ///< with all values, which the program keeps
  kCompared,  ///< `owner: host`: compared, never set
  kComment,   ///< only in a comment
};

/// A value and where it comes from.
struct KnownAddress {
  host::AddressInfo info;
  std::string origin;
};

struct HostRail {
  RailHere here;
  RailEntry entry = RailEntry::kSet;
  std::vector<KnownAddress> addresses;  ///< those that a file can hold
  std::vector<host::RouteInfo> routes;  ///< those too
  std::string mtu_origin;
  std::string down_origin;         ///< what sets the link down at boot; empty: nothing, or it is up
  std::vector<std::string> notes;  ///< what the file does not hold, and why
  int first_line = 0;              ///< of its entry in the text that was written last
  int last_line = 0;
};

class HostRails {
 public:
  HostRails(host::View& view, std::vector<RailHere> rails, const Origins& origins);

  /// Some rail has an entry that is more than a comment.
  [[nodiscard]] bool has_entries() const;
  /// Writes `links:` of the node, and notes which lines are whose.
  void write(YamlText& yaml);
  /// Takes an error of the parser to the entries that it is about, so that the next text is without
  /// it. False: it is about none of them.
  bool step_down(const config::Diagnostic& error);
  /// Puts a warning of the parser beside its entry.
  void note(const config::Diagnostic& warning);

  [[nodiscard]] const std::vector<HostRail>& rails() const { return rails_; }
  /// The last number that all IPv4 addresses in a /24 have in common, a node's `number`.
  [[nodiscard]] std::optional<std::uint64_t> number() const;

 private:
  std::vector<HostRail> rails_;
};

}  // namespace spark::cli
