#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "kinds/common/kind.hpp"

namespace spark::kinds {

/// The files that tell workloads which devices and interfaces to use.
struct EnvironmentFile {
  static constexpr std::string_view kName = "environment";

  struct Key {
    std::string path;
    auto operator<=>(const Key&) const = default;
  };
  struct Value {
    std::string text;  ///< the whole file
    bool operator==(const Value&) const = default;
  };
  struct Details {
    std::string changes;  ///< which variables the step changes, for its label
  };

  static Desired<EnvironmentFile> desired(const config::Node& node);
  static Result<Observed<EnvironmentFile>> observe(host::View& view,
                                                   const Desired<EnvironmentFile>& wanted,
                                                   const Context& context);
  /// Also fills in `Details::changes`.
  static std::vector<Change<EnvironmentFile>> diff(const State<EnvironmentFile>& desired,
                                                   const State<EnvironmentFile>& actual);
  static Result<> apply(const Change<EnvironmentFile>& change, host::Host& host);

  /// Disturbs nothing: a job read its environment when it began.
  static Effect effect(const Change<EnvironmentFile>& /*change*/) { return {}; }
  static std::vector<std::string> files(const Change<EnvironmentFile>& change) {
    return {change.key.path};
  }
  static std::string label(const Key& key) { return key.path; }
  /// "16 variables", with what changes.
  static std::string label(const Stated<EnvironmentFile>& value);
};

template <EitherConst<EnvironmentFile::Key> T, class Visit>
void each_field(T& key, Visit visit) {
  visit("path", key.path);
}

template <EitherConst<EnvironmentFile::Value> T, class Visit>
void each_field(T& value, Visit visit) {
  visit("text", value.text);
}

template <EitherConst<EnvironmentFile::Details> T, class Visit>
void each_field(T& details, Visit visit) {
  visit("changes", details.changes);
}

}  // namespace spark::kinds
