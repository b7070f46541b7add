#pragma once
// schema_keys: the keys of cluster.yaml or agent.yaml by their path, as the schema describes them.
// The manual pages of the two files are made from the same list.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace spark::cli {

struct SchemaKey {
  /// A dot leads into a map, "[]" into each item of a list, and a word in capitals stands for a key
  /// that the user chooses: "nodes.NAME.links.INTERFACE.mtu".
  std::string path;
  std::string type;        ///< "Whole number (68 to 65535)"
  bool required = false;   ///<
  std::string about;       ///< sentences, code in backticks; may be empty
  std::string by_default;  ///< "`false`"; empty: there is none, or `about` says it
  std::string keys_at;     ///< the path where its keys are explained; empty: below itself
  /// Of a path that ends with "KIND": the words that it stands for.
  std::vector<std::string> kinds;
  bool opens_group = false;  ///< a key of the top level with keys of its own
};

/// Those of the top level without keys of their own come first, then each other with its keys.
std::vector<SchemaKey> keys_of(const nlohmann::ordered_json& schema);

/// Type, whether it is required, meaning, default, and where its keys are: one paragraph.
std::string text_of(const SchemaKey& key);

/// What the words for values mean: "rate", and its description.
std::vector<std::pair<std::string, std::string>> values_of(const nlohmann::ordered_json& schema);

}  // namespace spark::cli
