#pragma once
// Heard: whose hellos were heard on which rail. Decides what is news; reads no clock and no socket.

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "protocol/peers.hpp"

namespace spark::helpers {

// Boots: whether a hello is of the boot in which its node is. Where nodes have a key nobody can
// make a hello of theirs, but one of an earlier boot can be sent again; only the node itself, when
// it is asked, knows in which boot it is. Reads no clock.

class Boots {
 public:
  using Time = std::chrono::milliseconds;  ///< CLOCK_BOOTTIME

  /// True: it is. Else it counts for nothing: its node was asked and is in another boot, or it
  /// waits until the node has been asked.
  bool knows(const protocol::HeardHello& heard);

  /// A hello of that node on that rail waits.
  [[nodiscard]] bool is_waiting(const std::string& link, const std::string& node) const;
  /// The node is asked now: its answer decides on those that wait already.
  void asked(const std::string& node);
  /// It answered that it is in that boot. Those that have waited and are right.
  std::vector<protocol::HeardHello> answered(const std::string& node, const std::string& boot);

  /// Forgets those that wait and were not heard again.
  void forget_silent(Time now);

 private:
  struct Node {
    std::string now;                ///< the boot; empty: it was not asked yet
    std::deque<std::string> wrong;  ///< of hellos that were sent again
  };
  struct Waiting {
    protocol::HeardHello heard;
    bool was_asked = false;
  };

  static constexpr std::size_t kMostWrong = 32;

  std::map<std::string, Node> nodes_;
  std::map<std::pair<std::string, std::string>, Waiting> waiting_;  ///< by link and node
};

/// Between two hellos of a node where nothing changes.
inline constexpr std::chrono::seconds kHelloEvery{5};
using protocol::kSilentAfter;

class Heard {
 public:
  using Time = std::chrono::milliseconds;  ///< CLOCK_BOOTTIME

  /// Nodes that are not expected share few places: a stranger fills no memory and displaces nobody.
  static constexpr std::size_t kMostStrangers = 16;

  /// True: it says something new, or ends a silence. A hello that is older than the last one of the
  /// same boot, or of a boot before that, was heard already, and is replayed: it counts for
  /// nothing. Without a key a node that has been silent is believed again all the same.
  bool take(const std::string& link, const std::string& mac, const protocol::Hello& hello,
            bool is_expected, Time now, bool has_key = false);

  /// This hello is the first of its node on that link since another node came there: two nodes are
  /// on one wire. Ask before it is taken. What both say may be no news, and the report has times
  /// only of what it was written with.
  [[nodiscard]] bool is_first_beside_another(const std::string& link,
                                             const protocol::Hello& hello) const;

  static constexpr std::size_t kMostRefused = 64;

  /// One of an expected node that is not taken. True: that is news.
  bool refuse(const std::string& link, const std::string& mac, const std::string& node,
              protocol::KeyFault fault, Time now);
  /// What was refused lately, while none of that node's own comes; null: nothing.
  [[nodiscard]] const protocol::RefusedHello* refused(const std::string& link,
                                                      const std::string& node) const;
  [[nodiscard]] std::vector<protocol::RefusedHello> all_refused() const;

  /// Marks who has been silent for too long, and forgets what was refused as long ago. True:
  /// somebody has become silent.
  bool mark_silent(Time now);
  /// When mark_silent finds the next one; empty: nobody is left.
  [[nodiscard]] std::optional<Time> next_silence() const;

  /// Forgets what was heard on other links than these.
  void keep_links(const std::vector<std::string>& links);

  /// The hello of that node on that rail of ours; null: none was heard.
  [[nodiscard]] const protocol::HeardHello* find(const std::string& link, const std::string& node,
                                                 int rail) const;
  /// The last hello on that link of a node that is another one, and not silent; null: there is
  /// none.
  [[nodiscard]] const protocol::HeardHello* find_other(const std::string& link,
                                                       const std::string& node) const;
  [[nodiscard]] std::vector<protocol::HeardHello> all() const;

 private:
  struct Entry {
    protocol::HeardHello heard;
    std::deque<std::string> earlier_boots;  ///< whose hellos are replays
    bool is_expected = false;
  };
  [[nodiscard]] bool is_heard(const std::string& link, const std::string& node) const;

  std::map<std::pair<std::string, std::string>, protocol::RefusedHello> refused_;  ///< link, node
  /// Link, node, cage and rail.
  std::map<std::tuple<std::string, std::string, int, int>, Entry> entries_;
};

/// What of that a node passes on: of each peer over a cable. By name.
std::vector<protocol::PassedOn> passed_on(const Heard& heard, const protocol::PeersOrder& order);

}  // namespace spark::helpers
