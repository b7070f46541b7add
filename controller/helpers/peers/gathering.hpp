#pragma once
// Gathering: what this node knows of the nodes around it while no file names them, and what it
// sends to them. Reads no clock and no socket.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "helpers/peers/frames.hpp"
#include "protocol/discover.hpp"

namespace spark::helpers {

/// Between two rounds of frames.
inline constexpr std::chrono::milliseconds kDiscoverEvery{500};
/// A cage that was not heard for so long is heard no more.
inline constexpr std::chrono::milliseconds kEndSilentAfter{3000};
/// A node whose record stands still for so long is gone.
inline constexpr std::chrono::milliseconds kNodeGoneAfter{5000};

class Gathering {
 public:
  using Time = std::chrono::milliseconds;  ///< of a steady clock

  /// Who comes first keeps a place until it falls silent: a flood of frames fills no memory and
  /// displaces nobody.
  static constexpr std::size_t kMostPlaces = 16;

  explicit Gathering(protocol::DiscoverTask task);

  /// A frame that came in over that cage of ours.
  void take(int cage, const protocol::DiscoverFrame& frame, Time now);
  void take(const protocol::DiscoverOrder& order);
  void set_state(int cage, protocol::CageState state);
  /// The next round is the last.
  void leave() { is_gone_ = true; }

  /// What goes out of every cage in this round, for the cage to be filled in: what this node says,
  /// what others have said, since not everybody hears everybody, and pieces of the offer while
  /// somebody lacks it.
  std::vector<protocol::DiscoverFrame> next_round(Time now);

  /// Own record first, the others by name. Without sequences.
  [[nodiscard]] protocol::DiscoverSeen seen(Time now) const;

  /// A file that has become whole, once for each founder's run. Empty: none.
  std::optional<protocol::DiscoverFile> new_file(Time now);

 private:
  struct Place {
    protocol::NodeRecord record;
    Time advanced{};  ///< when its sequence grew last
    std::optional<protocol::Opening> opening;
    std::optional<protocol::Consent> consent;
  };
  using Ends = std::map<std::pair<std::string, int>, Time>;  ///< run and cage, to when it was heard

  void note_end(int cage, const protocol::DiscoverFrame& frame, Time now);
  void note_record(const protocol::NodeRecord& record, Time now);
  void note_opening(const protocol::Opening& opening);
  void note_consent(const protocol::Consent& consent);
  /// It was heard of lately: what it said is passed on.
  [[nodiscard]] bool is_fresh(const Place& place, Time now) const;
  /// And it has not said that it is gone.
  [[nodiscard]] bool is_live(const Place& place, Time now) const;
  [[nodiscard]] std::vector<protocol::NodeRecord> live(Time now) const;
  [[nodiscard]] protocol::NodeRecord own_record(Time now) const;
  /// The only node that runs `init --discover`; or, where none does and this node keeps a file, the
  /// first by name of those that keep theirs. Null: none, more than one, or this one.
  [[nodiscard]] const protocol::NodeRecord* founder(Time now) const;
  void follow_founder(Time now);
  void add_pieces(const std::vector<protocol::NodeRecord>& others,
                  std::vector<protocol::DiscoverFrame>& frames);
  [[nodiscard]] std::string name_of(const std::string& run, Time now) const;

  protocol::DiscoverTask task_;
  protocol::NodeRecord self_;  ///< of the own record, what stays
  std::uint64_t sequence_ = 0;
  std::map<int, protocol::CageState> states_;
  std::map<int, Ends> heard_;            ///< by our cage
  std::map<std::string, Place> places_;  ///< by run
  std::vector<protocol::FileChunk> pieces_;
  std::size_t next_piece_ = 0;
  std::string file_;  ///< SHA-256 of what the pieces make
  std::optional<protocol::Opening> opening_;
  std::string transcript_;  ///< empty: not certain yet, and no consent counts
  std::optional<protocol::Consent> consent_;
  std::set<std::string> disputed_;
  FileAssembly assembly_;
  std::pair<std::string, std::string> handed_over_;  ///< run of the founder, and digest
  bool offers_ = false;                              ///< this node makes the offer
  bool refuses_ = false;
  bool is_gone_ = false;
};

}  // namespace spark::helpers
