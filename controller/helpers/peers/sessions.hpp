#pragma once
// Sessions: conversations with peers over TCP on the rails, each on a thread of its own, bounded in
// number and in time. What comes of them is taken by the service's loop.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "helpers/peers/board_lines.hpp"
#include "helpers/peers/device_users.hpp"
#include "helpers/peers/lines.hpp"
#include "helpers/peers/own_key.hpp"
#include "helpers/peers/proofs.hpp"
#include "helpers/peers/rail_sockets.hpp"
#include "helpers/peers/rail_turns.hpp"
#include "protocol/peer_ask.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {

/// What a session came to.
struct Outcome {
  protocol::ExpectedPeer peer;
  std::string what;  ///< "details", "rdma" or "board"
  /// Of `details`; empty: `missing` says the reason.
  std::optional<protocol::NodeDetails> details;
  std::string digest;   ///< of the text of the details
  std::string boot_id;  ///< the peer's, where the peer asked
  std::optional<protocol::PeerReport> ours;
  std::optional<protocol::PeerReport> theirs;
  std::optional<std::vector<protocol::Signed>> said;  ///< what is on the peer's board
  bool peer_asked = false;                            ///< for a board
  Missing missing;                                    ///< why it came to nothing
  std::shared_ptr<const Secret> key;                  ///< with which it was said; null: without one
};

class Sessions {
 public:
  /// `wake`: an eventfd, written after each outcome. `recorded`: the folder in which the daemon
  /// writes what it recorded.
  Sessions(int wake, DeviceUsers users, std::string recorded);
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;
  /// Ends all of them, and waits until each has seen it.
  ~Sessions();

  /// Sessions that are begun from now on take part with this.
  void set_order(std::shared_ptr<const protocol::PeersOrder> order, OwnKey key);
  /// What peers are given from now on; null: nothing is exchanged.
  void set_board(BoardLine board);

  /// Answers one who connected over that rail: closed at once where too many are open, or the order
  /// does not expect the other end there.
  void serve(Incoming incoming, const std::string& link);
  /// Asks for the peer's details.
  void ask_details(const protocol::ExpectedPeer& peer);
  /// Proves RDMA with the peer, both ways.
  void prove(const protocol::ExpectedPeer& peer);
  /// Exchanges boards with the peer.
  void exchange(const protocol::ExpectedPeer& peer);

  /// One probe at a time goes over a rail.
  [[nodiscard]] bool is_free(const std::string& link) const { return turns_.is_free(link); }

  [[nodiscard]] std::vector<Outcome> take_outcomes();

 private:
  using Order = std::shared_ptr<const protocol::PeersOrder>;
  using Task = std::function<std::optional<Outcome>()>;
  /// What a session takes part with.
  struct Own {
    Order order;
    OwnKey key;
    BoardLine board;
  };

  /// The job_on() of the device of this end.
  [[nodiscard]] std::string job_on(const protocol::PeersOrder& order,
                                   const protocol::ExpectedPeer& peer) const;
  [[nodiscard]] Own current() const;
  /// Asks the peer for a proof and takes part in it.
  [[nodiscard]] Outcome rdma_with(const protocol::ExpectedPeer& peer, const Own& own) const;
  [[nodiscard]] Outcome board_with(const protocol::ExpectedPeer& peer, const Own& own);
  /// `asker`: the peer that connected; empty: this node asks. False: too many are open.
  bool start(const Own& own, Task task, const std::string& asker = {});
  void add(Outcome outcome);
  void reap();
  std::optional<Outcome> answer(Incoming incoming, const protocol::ExpectedPeer& peer,
                                const Own& own);
  /// Errors: as record_told.
  Result<std::string> recorded_text(const std::string& node,
                                    const std::optional<protocol::Span>& window);
  struct Asked;
  std::optional<Outcome> take_part(const Asked& asked);
  void measure(const Asked& asked, const protocol::BenchAsk& bench);
  std::optional<Outcome> answer_board(const Asked& asked, SteadyTime end);
  /// As said_in.
  Result<std::vector<protocol::Signed>> read_board(const Result<std::string>& line);
  /// Answers that this node takes no part.
  static std::nullopt_t refuse(const Asked& asked, protocol::RdmaHindrance kind,
                               const std::string& why);
  /// Answers that it does. False: who asked is gone.
  static bool agree(const Asked& asked);

  int wake_;
  DeviceUsers users_;
  std::string recorded_;
  std::mutex recording_;
  std::mutex reading_;
  UniqueFd stop_;  ///< an eventfd, readable from the end on; not valid: sessions end by deadline
  RailTurns turns_;
  RailTurns board_turns_;  ///< by peer: a board at a time is taken from who asks
  mutable std::mutex mutex_;
  Own own_;
  std::vector<Outcome> outcomes_;
  struct Running {
    std::thread thread;
    std::string asker;
    std::shared_ptr<std::atomic<bool>> is_over;
  };
  std::vector<Running> running_;
};

}  // namespace spark::helpers
