#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "kinds/common/kind.hpp"

namespace spark::kinds {

/// The managed block of /etc/hosts: names of the peers on the fabric. All other lines stay.
struct Hosts {
  static constexpr std::string_view kName = "hosts";

  struct Key {
    std::string path;
    auto operator<=>(const Key&) const = default;
  };
  struct Value {
    std::string lines;  ///< of the block, without its two marker lines
    bool operator==(const Value&) const = default;
  };
  /// Only of what was observed, for a rollback to restore.
  struct Details {
    std::optional<std::uint64_t> line;  ///< how many lines stand before the block
    std::optional<std::string> block;   ///< all of it, marker lines included
  };

  static Desired<Hosts> desired(const config::Node& node);
  static Result<Observed<Hosts>> observe(host::View& view, const Desired<Hosts>& wanted,
                                         const Context& context);
  static std::vector<Change<Hosts>> diff(const State<Hosts>& desired, const State<Hosts>& actual);
  static Result<> apply(const Change<Hosts>& change, host::Host& host);

  static Effect effect(const Change<Hosts>& /*change*/) { return {}; }
  static std::vector<std::string> files(const Change<Hosts>& change) { return {change.key.path}; }
  static std::string label(const Key& key) { return key.path; }
  static std::string label(const Value& value);
};

template <EitherConst<Hosts::Key> T, class Visit>
void each_field(T& key, Visit visit) {
  visit("path", key.path);
}

template <EitherConst<Hosts::Value> T, class Visit>
void each_field(T& value, Visit visit) {
  visit("lines", value.lines);
}

template <EitherConst<Hosts::Details> T, class Visit>
void each_field(T& details, Visit visit) {
  visit("line", details.line);
  visit("block", details.block);
}

}  // namespace spark::kinds
