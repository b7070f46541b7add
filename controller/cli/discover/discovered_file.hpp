#pragma once
// discovered_text: the cluster file of nodes whose cables were heard.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"
#include "cli/discover/wiring.hpp"
#include "cli/init/rails_here.hpp"
#include "host/files.hpp"

namespace spark::cli {

/// What this node has on its rails already.
struct OwnRails {
  std::string node;
  std::map<int, SubnetsInUse> in_use;  ///< by cage
};

/// Of a wiring that is whole. A cable or switch keeps the subnets that all of its ends have, and
/// this node its number. Others clash with none of `taken`, nor with those that the nodes told of.
/// Errors: kNotFound when no subnets are free.
Result<std::string> discovered_text(const Wiring& wiring,
                                    const std::vector<protocol::NodeRecord>& nodes,
                                    std::vector<IpPrefix> taken, const OwnRails& own = {});

// What a node puts in its place: the cluster file, and the keys of others.

/// The cluster file of this machine, where it may have none yet.
enum class Placed : std::uint8_t {
  kAbsent,     ///< nothing is there
  kSame,       ///< the same text is there
  kDifferent,  ///< another text is there
};

/// What is at kDefaultFile. Errors: it cannot be read.
Result<Placed> find_placed(host::Files& files, const std::string& text);

/// Errors: kBusy: another text is there, and how to move it away; it cannot be read.
Result<> check_no_other_file(host::Files& files, const std::string& text);

/// Puts the text there, durably. A file that is there is never replaced. Errors: as above; it
/// cannot be written.
Result<Placed> place_file(host::Files& files, const std::string& text);

/// A key of another node that this one trusts: a line "NAME ed25519 BASE64" of kTrustedFile.
struct TrustedKey {
  std::string node;
  std::string key;  ///< the public half, base64
  bool operator==(const TrustedKey&) const = default;
};

/// The text with these keys too; all else in it stays. Errors: kBusy: another key stands there for
/// one of the nodes, which is never replaced.
Result<std::string> with_keys(const std::string& text, const std::vector<TrustedKey>& keys);

/// They could be put there. Errors: as with_keys(); those of the files port.
Result<> check_trusted(host::Files& files, const std::vector<TrustedKey>& keys);
/// Durably.
Result<> place_trusted(host::Files& files, const std::vector<TrustedKey>& keys);
/// Takes the key of that node out, durably. Errors: kNotFound: there is none, with whose are; those
/// of the files port.
Result<> forget_trusted(host::Files& files, const std::string& node);

}  // namespace spark::cli
