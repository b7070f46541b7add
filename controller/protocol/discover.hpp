#pragma once
// What the nodes of a cluster that has no file yet tell each other, by frames on their cages, and
// what the verbs `init --discover` and `join` and their helper `spark-peers discover` hand to each
// other: lines of JSON.
//
//   DiscoverTask   the verb → the helper, first: who this machine is
//   DiscoverOrder  the verb → the helper, later: the file to offer, or what was answered to one
//   DiscoverFrame  the helper → every cage: a node's record, or a piece of the file
//   DiscoverSeen   the helper → the verb: the records of all nodes, whenever one has changed
//   DiscoverFile   the helper → the verb: a whole file that came over the cables
//
// None of it configures anything.

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
inline constexpr std::string_view kDiscoverMagic = "SPARKDS1";
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
/// The file that is passed on.
inline constexpr std::size_t kMostFileBytes = std::size_t{32} * 1024;
/// How long the verbs and their helper run.
inline constexpr std::chrono::minutes kDiscoverTime{10};

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

/// What a node says to the file that is offered.
enum class FileAnswer : std::uint8_t { kNone, kTaken, kRefused };

inline constexpr std::array<std::string_view, 3> kFileAnswers = {"none", "taken", "refused"};
constexpr const auto& names_of(FileAnswer /*any*/) { return kFileAnswers; }

/// One node, as it tells of itself; others pass it on unchanged.
struct NodeRecord {
  std::string node;            ///< its host name
  std::string run;             ///< 16 hexadecimal digits, others each time that the verb is run
  std::uint64_t sequence = 0;  ///< grows with each frame: a record that stands still is of a node
                               ///< that is gone
  bool is_founder = false;     ///< it runs `init --discover`; else `join`
  std::string lan;             ///< its link to the LAN; empty: none
  std::vector<CageSeen> cages;
  std::vector<IpPrefix> subnets;  ///< of those that a file could choose, the ones in use there
  std::string file;               ///< SHA-256 of the file that it offers, or has whole; empty: none
  FileAnswer answer = FileAnswer::kNone;
  bool is_over = false;  ///< of the founder: all have answered
  bool is_gone = false;  ///< its verb has ended: the last that it says
  bool operator==(const NodeRecord&) const = default;
};

template <EitherConst<NodeRecord> T, class Visit>
void each_field(T& record, Visit visit) {
  visit("node", record.node);
  visit("run", record.run);
  visit("sequence", record.sequence);
  visit("is_founder", record.is_founder);
  visit("lan", record.lan);
  visit("cages", record.cages);
  visit("subnets", record.subnets);
  visit("file", record.file);
  visit("answer", record.answer);
  visit("is_over", record.is_over);
  visit("is_gone", record.is_gone);
}

/// A piece of the file.
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
  std::optional<NodeRecord> record;
  std::optional<FileChunk> chunk;
  bool operator==(const DiscoverFrame&) const = default;
};

template <EitherConst<DiscoverFrame> T, class Visit>
void each_field(T& frame, Visit visit) {
  visit("run", frame.run);
  visit("cage", frame.cage);
  visit("record", unless_empty(frame.record));
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
  bool is_founder = false;
  std::string lan;
  std::vector<IpPrefix> subnets;
  std::vector<CageLink> links;
  bool operator==(const DiscoverTask&) const = default;
};

template <EitherConst<DiscoverTask> T, class Visit>
void each_field(T& task, Visit visit) {
  visit("node", task.node);
  visit("run", task.run);
  visit("is_founder", task.is_founder);
  visit("lan", task.lan);
  visit("subnets", task.subnets);
  visit("links", task.links);
}

struct DiscoverOrder {
  std::string offer;  ///< the file's text, of the founder; empty: none
  FileAnswer answer = FileAnswer::kNone;
  std::string file;  ///< SHA-256 of the file that the answer is to
  bool is_over = false;
  bool operator==(const DiscoverOrder&) const = default;
};

template <EitherConst<DiscoverOrder> T, class Visit>
void each_field(T& order, Visit visit) {
  visit("offer", may_lack(order.offer));
  visit("answer", may_lack(order.answer));
  visit("file", may_lack(order.file));
  visit("is_over", may_lack(order.is_over));
}

/// The records without their sequence; this machine's own is the first.
struct DiscoverSeen {
  static constexpr std::string_view kStep = "seen";
  std::vector<NodeRecord> nodes;
  bool operator==(const DiscoverSeen&) const = default;
};

template <EitherConst<DiscoverSeen> T, class Visit>
void each_field(T& seen, Visit visit) {
  visit("nodes", seen.nodes);
}

struct DiscoverFile {
  static constexpr std::string_view kStep = "file";
  std::string founder;  ///< its run
  std::string text;
  bool operator==(const DiscoverFile&) const = default;
};

template <EitherConst<DiscoverFile> T, class Visit>
void each_field(T& file, Visit visit) {
  visit("founder", file.founder);
  visit("text", file.text);
}

}  // namespace spark::protocol
