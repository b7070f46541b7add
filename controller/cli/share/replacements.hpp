#pragma once
// Replacements: what stands in a report in place of what identifies a machine; the same for the
// same, everywhere in the report.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/ip.hpp"
#include "cli/share/address_map.hpp"

namespace spark::cli {

/// The sorts of what is replaced.
inline constexpr const char* kHosts = "host names";
inline constexpr const char* kDomains = "domain names";
inline constexpr const char* kDevices = "device names";
inline constexpr const char* kMacs = "MAC addresses";
inline constexpr const char* kAddresses = "addresses and networks";
inline constexpr const char* kSerials = "machine ids, serial numbers, UUIDs and digests";
inline constexpr const char* kUsers = "user names";
inline constexpr const char* kNames = "names of clusters, targets and NQNs";
inline constexpr const char* kOtherWords =
    "other words (names of files, users, clusters, targets …)";

class Replacements {
 public:
  /// What of one sort was replaced: the original and what stands in its place.
  using Sort = std::map<std::string, std::string>;

  explicit Replacements(const Salt& salt) : hash_(salt), addresses_(hash_) {}
  Replacements(const Replacements&) = delete;
  Replacements& operator=(const Replacements&) = delete;
  ~Replacements() = default;

  /// From now on this name is a host's, in all texts; of "spark1.example.org", "spark1"
  /// is, and the rest is a domain's.
  void add_host(std::string_view name);
  /// From now on this is a device's name, in all texts, where it tells more than a slot or number.
  void add_device(std::string_view name);
  /// From now on this is a user's name, in all texts, unless it is one that images come with.
  void add_user(std::string_view name);
  /// From now on this is the name of a cluster or target, or an NQN, in all texts, unless it is a
  /// public word.
  void add_name(std::string_view name);

  [[nodiscard]] std::string host(std::string_view name);
  /// The name of a network or RDMA device.
  [[nodiscard]] std::string device(std::string_view name);
  [[nodiscard]] std::string mac(std::string_view text);
  [[nodiscard]] std::string ip(std::string_view text);
  [[nodiscard]] std::string prefix(std::string_view text);
  [[nodiscard]] std::string broadcast(std::string_view text, std::string_view of);
  /// A number of one machine or thing, as a machine id or a UUID: other digits in the same shape.
  [[nodiscard]] std::string serial(std::string_view text);
  /// All of the above wherever it stands in the text; a word that is not public (public_words.hpp)
  /// is replaced, and comments of others than this program are left out.
  [[nodiscard]] std::string text(std::string_view text);
  /// A user's name, also of an image.
  [[nodiscard]] std::string user(std::string_view name);
  /// Of a setting: numbers, quantities, addresses, devices and keys of sysctl. Empty: it has any
  /// other word.
  [[nodiscard]] std::optional<std::string> value(std::string_view text);

  /// By what they are: "host names", "MAC addresses".
  [[nodiscard]] const std::map<std::string, Sort>& sorts() const { return sorts_; }

 private:
  [[nodiscard]] std::string json_text(std::string_view text);
  [[nodiscard]] std::string line(std::string_view line);
  [[nodiscard]] std::string run(std::string_view run, std::size_t separator = 0);
  [[nodiscard]] std::string sysctl_key(std::string_view key, char separator);
  [[nodiscard]] std::string word(std::string_view word);
  const std::string& numbered(const std::string& sort, std::string_view original,
                              std::string_view stem);
  std::string noted(const std::string& sort, std::string_view original, std::string replacement);

  KeyedHash hash_;
  AddressMap addresses_;
  std::map<std::string, Sort> sorts_;
};

/// Where every text has a class, a name may well be one of the words that are kept ("pair").
enum class Originals : std::uint8_t { kAll, kButNames };

/// An original that is in the text all the same; empty: none is. Networks are not looked for: one
/// may well be another's replacement, as private ones are few; nor words that are public.
std::string find_original(const Replacements& replacements, std::string_view text, Originals which);

/// How many of each sort were replaced, a line each, with examples of what stands in their place.
std::string counts_of(const Replacements& replacements);

}  // namespace spark::cli
