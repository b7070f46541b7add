#pragma once
// What the nodes of a cluster that has no file yet tell each other, by frames on their cages, and
// what the verbs `init --discover` and `join` and their helper `spark-peers discover` hand to each
// other: lines of JSON.
//
//   DiscoverTask   the verb → the helper, first: who this machine is
//   DiscoverOrder  the verb → the helper, later: what is offered, and what this node says to it
//   DiscoverFrame  the helper → every cage: a node's record, opening or consent, or a piece of the
//                  offer
//   DiscoverSeen   the helper → the verb: what all nodes have said, whenever something has changed
//   DiscoverFile   the helper → the verb: a whole offer that came over the cables
//
// None of it configures anything. Each record has a commitment to a nonce and a public key, which
// its node opens once it has the whole offer, with the commitments of all nodes in it: from then on
// nobody can choose anything any more of what the four words are made of.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "base/ip.hpp"

namespace spark::protocol {

/// Before the JSON of each frame; the filter of the socket lets no other frame in. A version that
/// changes what a frame means has another number.
inline constexpr std::string_view kDiscoverMagic = "SPARKDS2";
/// A frame has at most so many bytes behind its Ethernet header: less than any MTU in use.
inline constexpr std::size_t kMostDiscoverBytes = 1400;
/// Of one line between a verb and its helper.
inline constexpr std::size_t kLongestDiscoverLine = std::size_t{128} * 1024;
/// So many nodes, this one included. More are a case for `init --switch`.
inline constexpr std::size_t kMostDiscovered = 8;
/// The ends that a node hears over all its cages.
inline constexpr std::size_t kMostEndsHeard = kMostDiscovered - 1;
/// Prefixes that a node tells of.
inline constexpr std::size_t kMostSubnetsTold = 12;
/// Of a Spark.
inline constexpr int kMostDiscoverCages = 2;
/// The offer that is passed on.
inline constexpr std::size_t kMostFileBytes = std::size_t{32} * 1024;
/// How long the verbs run; the helper ends with them.
inline constexpr std::chrono::minutes kDiscoverTime{10};

/// 16 hexadecimal digits.
bool is_run(std::string_view text);
/// 64 hexadecimal digits.
bool is_digest(std::string_view text);
/// One that a Spark has.
bool is_cage(int cage);
/// Letters, digits, '-' and '.', 63 at most.
bool is_host_name(std::string_view text);

/// A cage of a node.
struct CageEnd {
  std::string node;
  int cage = 0;
  auto operator<=>(const CageEnd&) const = default;
};

template <EitherConst<CageEnd> T, class Visit>
void each_field(T& end, Visit visit) {
  visit("node", end.node);
  visit("cage", end.cage);
}

enum class CageState : std::uint8_t {
  kDown,       ///< no link of it is up
  kNoCarrier,  ///< a link is up, and none has a carrier
  kCarrier,
};

inline constexpr std::array<std::string_view, 3> kCageStates = {"down", "no_carrier", "carrier"};
constexpr const auto& names_of(CageState /*any*/) { return kCageStates; }

struct CageSeen {
  int cage = 0;
  CageState state = CageState::kDown;
  std::vector<CageEnd> hears;  ///< sorted: whose frames come in over it
  bool operator==(const CageSeen&) const = default;
};

template <EitherConst<CageSeen> T, class Visit>
void each_field(T& cage, Visit visit) {
  visit("cage", cage.cage);
  visit("state", cage.state);
  visit("hears", cage.hears);
}

/// One node, as it tells of itself; others pass it on unchanged.
struct NodeRecord {
  std::string node;            ///< its host name
  std::string run;             ///< 16 hexadecimal digits, others each time that the verb is run
  std::string commitment;      ///< commitment_of() its opening
  std::uint64_t sequence = 0;  ///< grows with each frame: a record that stands still is of a node
                               ///< that is gone
  bool is_founder = false;     ///< it runs `init --discover`; else `join`
  std::string own_file;  ///< own_file_of() the cluster file that `join` keeps; empty: it takes one
  std::string lan;       ///< its link to the LAN; empty: none
  std::vector<CageSeen> cages;
  std::vector<IpPrefix> subnets;  ///< of those that a file could choose, the ones in use there
  std::string file;               ///< SHA-256 of the offer that it makes, or has whole; empty: none
  bool refuses = false;           ///< that offer
  bool is_gone = false;           ///< its verb has ended: the last that it says
  bool operator==(const NodeRecord&) const = default;
};

/// Names, numbers and lists are such as a node sends: whatever shows or writes them down may rely
/// on that.
bool is_possible(const NodeRecord& record);

/// What stays while the verb runs: two records of one run that differ in it are of two sources.
inline bool is_of_one_source(const NodeRecord& a, const NodeRecord& b) {
  return a.node == b.node && a.run == b.run && a.commitment == b.commitment &&
         a.is_founder == b.is_founder && a.own_file == b.own_file && a.lan == b.lan &&
         a.subnets == b.subnets;
}

template <EitherConst<NodeRecord> T, class Visit>
void each_field(T& record, Visit visit) {
  visit("node", record.node);
  visit("run", record.run);
  visit("commitment", record.commitment);
  visit("sequence", record.sequence);
  visit("is_founder", record.is_founder);
  visit("own_file", unless_empty(record.own_file));
  visit("lan", record.lan);
  visit("cages", record.cages);
  visit("subnets", record.subnets);
  visit("file", record.file);
  visit("refuses", record.refuses);
  visit("is_gone", record.is_gone);
}

/// What a commitment was to.
struct Opening {
  std::string run;
  std::string nonce;  ///< 64 hexadecimal digits
  std::string key;    ///< the node's public key: Ed25519, base64
  bool operator==(const Opening&) const = default;
};

template <EitherConst<Opening> T, class Visit>
void each_field(T& opening, Visit visit) {
  visit("run", opening.run);
  visit("nonce", opening.nonce);
  visit("key", opening.key);
}

bool is_possible(const Opening& opening);

/// The first digits of the SHA-256 of the text: what people are told by, and nothing rests on.
std::string own_file_of(const std::string& text);

/// 64 hexadecimal digits, which tell nothing of the nonce and the key, and fit no others.
std::string commitment_of(const std::string& node, const Opening& opening);

/// A person there has said yes.
struct Consent {
  std::string run;
  std::string signature;  ///< of consent_text(), by the key of the opening: Ed25519, base64
  bool operator==(const Consent&) const = default;
};

template <EitherConst<Consent> T, class Visit>
void each_field(T& consent, Visit visit) {
  visit("run", consent.run);
  visit("signature", consent.signature);
}

bool is_possible(const Consent& consent);

/// `transcript`: transcript_of() what the node consents to.
std::string consent_text(const std::string& run, const std::string& transcript);

/// A node that an offer is for.
struct OfferedNode {
  std::string node;
  std::string run;
  std::string commitment;
  bool operator==(const OfferedNode&) const = default;
};

template <EitherConst<OfferedNode> T, class Visit>
void each_field(T& node, Visit visit) {
  visit("node", node.node);
  visit("run", node.run);
  visit("commitment", node.commitment);
}

/// A file, and whom it is for. It is passed on as the text of its JSON.
struct DiscoverOffer {
  std::vector<OfferedNode> nodes;
  std::string text;  ///< empty: each node keeps its own file, and only keys are exchanged
  bool operator==(const DiscoverOffer&) const = default;
};

template <EitherConst<DiscoverOffer> T, class Visit>
void each_field(T& offer, Visit visit) {
  visit("nodes", offer.nodes);
  visit("text", offer.text);
}

/// Of all that is agreed on: SHA-256 over the offer, as it was passed on, and the openings, in the
/// order of its nodes.
std::string transcript_of(const std::string& offer, const std::vector<Opening>& openings);

/// A piece of the offer.
struct FileChunk {
  std::string file;  ///< SHA-256 of the whole
  std::uint32_t index = 0;
  std::uint32_t count = 0;
  std::string data;  ///< base64
  bool operator==(const FileChunk&) const = default;
};

template <EitherConst<FileChunk> T, class Visit>
void each_field(T& chunk, Visit visit) {
  visit("file", chunk.file);
  visit("index", chunk.index);
  visit("count", chunk.count);
  visit("data", chunk.data);
}

/// Which link a frame came out of. Both rails of a cage are on one wire, so the place says more
/// than the link that received it.
struct DiscoverFrame {
  std::string run;  ///< of the node that sends it
  int cage = 0;
  // One of them.
  std::optional<NodeRecord> record;
  std::optional<Opening> opening;
  std::optional<Consent> consent;
  std::optional<FileChunk> chunk;
  bool operator==(const DiscoverFrame&) const = default;
};

template <EitherConst<DiscoverFrame> T, class Visit>
void each_field(T& frame, Visit visit) {
  visit("run", frame.run);
  visit("cage", frame.cage);
  visit("record", unless_empty(frame.record));
  visit("opening", unless_empty(frame.opening));
  visit("consent", unless_empty(frame.consent));
  visit("chunk", unless_empty(frame.chunk));
}

/// A link of a cage of this machine.
struct CageLink {
  std::string name;
  int index = 0;
  int cage = 0;
  bool operator==(const CageLink&) const = default;
};

template <EitherConst<CageLink> T, class Visit>
void each_field(T& link, Visit visit) {
  visit("name", link.name);
  visit("index", link.index);
  visit("cage", link.cage);
}

struct DiscoverTask {
  std::string node;
  std::string run;
  std::string commitment;
  bool is_founder = false;
  std::string own_file;
  std::string lan;
  std::vector<IpPrefix> subnets;
  std::vector<CageLink> links;
  bool operator==(const DiscoverTask&) const = default;
};

template <EitherConst<DiscoverTask> T, class Visit>
void each_field(T& task, Visit visit) {
  visit("node", task.node);
  visit("run", task.run);
  visit("commitment", task.commitment);
  visit("is_founder", task.is_founder);
  visit("own_file", unless_empty(task.own_file));
  visit("lan", task.lan);
  visit("subnets", task.subnets);
  visit("links", task.links);
}

/// What is given is said from then on.
struct DiscoverOrder {
  std::string offer;  ///< the text of a DiscoverOffer, of who makes it; empty: none
  std::optional<Opening> opening;
  std::string transcript;  ///< what consents are to; empty: not certain yet
  std::optional<Consent> consent;
  std::string refuses;  ///< SHA-256 of an offer; empty: none
  bool operator==(const DiscoverOrder&) const = default;
};

template <EitherConst<DiscoverOrder> T, class Visit>
void each_field(T& order, Visit visit) {
  visit("offer", may_lack(order.offer));
  visit("opening", unless_empty(order.opening));
  visit("transcript", may_lack(order.transcript));
  visit("consent", unless_empty(order.consent));
  visit("refuses", may_lack(order.refuses));
}

struct DiscoverSeen {
  static constexpr std::string_view kStep = "seen";
  std::vector<NodeRecord> nodes;      ///< without their sequence; this machine's own is the first
  std::vector<Opening> openings;      ///< those that fit their commitments
  std::vector<Consent> consents;      ///< those that are signed by the key of the opening
  std::vector<std::string> disputed;  ///< the names of nodes that two sources claim to be
  bool operator==(const DiscoverSeen&) const = default;
};

template <EitherConst<DiscoverSeen> T, class Visit>
void each_field(T& seen, Visit visit) {
  visit("nodes", seen.nodes);
  visit("openings", seen.openings);
  visit("consents", seen.consents);
  visit("disputed", seen.disputed);
}

struct DiscoverFile {
  static constexpr std::string_view kStep = "file";
  std::string founder;  ///< its run
  std::string text;     ///< of a DiscoverOffer
  bool operator==(const DiscoverFile&) const = default;
};

template <EitherConst<DiscoverFile> T, class Visit>
void each_field(T& file, Visit visit) {
  visit("founder", file.founder);
  visit("text", file.text);
}

}  // namespace spark::protocol
