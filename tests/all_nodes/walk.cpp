// All that two and three nodes can become with one file for all, to the fixed point: what was ever
// said reaches any node at any time or never, offers cross each other, daemons are restarted, power
// fails, and nodes are cut off from the decision on. What is judged is `all_nodes::step`, the
// function that the daemon calls. Mistakes around it, one at a time, have to be found.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <iostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "all_nodes/machine.hpp"

namespace {

using namespace spark::all_nodes;  // NOLINT: one file, one subject

using Bits = std::uint8_t;  ///< a set of nodes, or of offers

constexpr bool has(Bits bits, std::size_t at) { return (bits >> at & 1U) != 0; }
constexpr Bits bit(std::size_t at) { return static_cast<Bits>(1U << at); }

enum class Mistake : std::uint8_t {
  kNone,
  kDecidesLate,   ///< without time left
  kSaysFirst,     ///< before it is written
  kByDigest,      ///< an order counts for any offer of the same text
  kForgetsToAsk,  ///< before it goes back
  kTakesOther,    ///< another digest in the second phase
  kForces,        ///< an origin that comes back tells its old decision
};
constexpr std::array<std::string_view, 7> kMistakes = {
    "none",
    "it decides without time left",
    "it says what is not written",
    "it confirms by digest",
    "it forgets to ask",
    "it takes another text in the second phase",
    "an origin that comes back forces its old decision"};

struct Scenario {
  std::string name;
  std::size_t nodes = 2;
  std::vector<std::size_t> origins;  ///< of the offers, whose ids grow
  bool is_same_text = false;
  Bits most_crashes = 2;
  bool has_lies = false;  ///< the origin orders another text under the same id
  bool has_cuts = true;
  /// Nobody refuses, and a node does at once what it decided: others may hear of it late.
  bool is_quick = false;
};

/// The offers of a scenario; a message is a place in World::said.
constexpr std::size_t kOffers = 2;
constexpr std::size_t kNodes = 3;
constexpr std::size_t kMessages = 32;  ///< of an offer: what each node says, then the orders
constexpr std::size_t kFirstOrder = kNodes * kStages.size();
constexpr std::size_t kLie = kFirstOrder + kOrders.size() - 1;  ///< "go", with another text

constexpr std::initializer_list<Stage> kEveryStage = {
    Stage::kHeard, Stage::kRefused, Stage::kYes,  Stage::kGoing, Stage::kApplied,
    Stage::kOpen,  Stage::kFailed,  Stage::kKept, Stage::kBack};

constexpr std::size_t message(std::size_t offer, std::size_t node, Stage stage) {
  return offer * kMessages + node * kStages.size() + static_cast<std::size_t>(stage);
}
constexpr std::size_t message(std::size_t offer, Order order) {
  return offer * kMessages + kFirstOrder + static_cast<std::size_t>(order) - 1;
}

struct World {
  std::uint64_t said = 0;
  std::array<std::uint32_t, kNodes> node{};  ///< its state on disk, in Walk::states_
  std::array<Bits, kOffers> time{};   ///< 0: it may be decided, 1: it is too late, 2: timers end
  std::array<Bits, kOffers> stale{};  ///< nodes whose nonce it does not name any more
  Bits asked = 0;
  Bits off = 0;
  Bits crashes = 0;
  Bits cut = 0;
  // What a law needs to know of the way here, of each offer.
  Bits decided = 0;
  std::array<Bits, kOffers> kept{};
  std::array<Bits, kOffers> back{};
  std::array<Bits, kOffers> away{};  ///< nodes that were off since the decision
  std::array<Bits, 5> unused{};
  bool operator==(const World&) const = default;
};
static_assert(std::has_unique_object_representations_v<World>);

struct WorldHash {
  std::size_t operator()(const World& world) const {
    return std::hash<std::string_view>{}(
        {reinterpret_cast<const char*>(&world), sizeof world});  // NOLINT: bytes without padding
  }
};

enum class Act : std::uint8_t {
  kAsked,
  kHeardOffer,
  kPlanned,
  kRefused,
  kHeard,
  kApproved,
  kCancelled,
  kApplied,
  kNotApplied,
  kOpen,
  kWorse,
  kExpired,
  kKept,
  kWentBack,
  kRestarted,
  kRebooted,
  // Of the world alone.
  kPowerCut,
  kTime,
  kUnwritten,
  kCount,
};
constexpr std::array<std::string_view, static_cast<std::size_t>(Act::kCount)> kActs = {
    "asks for",
    "hears of",
    "can have",
    "refuses",
    "hears",
    "is approved",
    "is cancelled",
    "applied",
    "could not apply",
    "is open with",
    "is worse with",
    "its time ends for",
    "kept",
    "went back from",
    "its daemon is restarted",
    "has power again",
    "loses power",
    "time goes on for",
    "says, and is killed before it is written"};

struct Known {
  World world;
  std::uint32_t from = 0;
  Act act = Act::kTime;
  Bits node = 0;
  Bits detail = 0;  ///< message, or the offer's first
};

class Walk {
 public:
  Walk(const Scenario& scenario, Mistake mistake) : scenario_(scenario), mistake_(mistake) {}

  /// What is wrong with the way to it; empty: nothing is.
  std::string run() {
    World first;
    for (std::size_t i = 0; i < scenario_.nodes; ++i)
      first.node[i] =
          place_of({.node = name(i), .part = {}, .led = {}, .waits = {}, .refused = {}});
    known_.push_back({first});
    seen_.insert(first);
    for (at_ = 0; at_ < known_.size() && wrong_.empty(); ++at_) {
      const auto before = known_.size();
      is_end_ = true;
      moves();
      if (is_end_ && wrong_.empty() && known_.size() == before) judge_end(known_[at_].world);
    }
    if (wrong_.empty() && kept_by_all_ != bit(scenario_.origins.size()) - 1)
      wrong_ = "never do all keep it";
    return wrong_;
  }

  [[nodiscard]] std::size_t count() const { return known_.size(); }

  void print_way(std::ostream& out) const {
    std::vector<const Known*> way;
    for (auto at = wrong_at_; at != 0; at = known_[at].from) way.push_back(&known_[at]);
    for (auto step = way.rbegin(); step != way.rend(); ++step) print(out, **step);
    print(out, last_);
  }

 private:
  static std::string name(std::size_t node) {
    return std::string(1, static_cast<char>('1' + node));
  }
  static std::string id(std::size_t offer) {
    return std::string(1, static_cast<char>('a' + offer));
  }
  static std::size_t offer_of(const std::string& id) {
    return static_cast<std::size_t>(id[0] - 'a');
  }

  static void print(std::ostream& out, const Known& step) {
    out << "  " << name(step.node) << " " << kActs[static_cast<std::size_t>(step.act)] << " "
        << id(step.detail / kMessages);
    const std::size_t said = step.detail % kMessages;
    if (step.act == Act::kHeard && said < kFirstOrder)
      out << ": " << name(said / kStages.size()) << " " << kStages[said % kStages.size()];
    if (step.act == Act::kHeard && said >= kFirstOrder)
      out << ": " << (said == kLie ? "go, with another text" : kOrders[said - kFirstOrder + 1]);
    if (step.world.cut != 0) out << "   (cut: " << static_cast<int>(step.world.cut) << ")";
    out << "\n";
  }

  [[nodiscard]] Terms terms(std::size_t offer) const {
    Terms terms{.id = id(offer),
                .origin = name(scenario_.origins[offer]),
                .by = "alice",
                .digest = scenario_.is_same_text ? "x" : id(offer),
                .nodes = {}};
    for (std::size_t i = 0; i < scenario_.nodes; ++i) terms.nodes.insert(name(i));
    return terms;
  }

  [[nodiscard]] Event event(Act act, std::size_t detail) const {
    const auto offer = detail / kMessages;
    const auto said = detail % kMessages;
    switch (act) {
      case Act::kAsked:
        return events::Asked{terms(offer)};
      case Act::kHeardOffer:
        return events::HeardOffer{terms(offer)};
      case Act::kPlanned:
        return events::Planned{id(offer), {}, {}};
      case Act::kRefused:
        return events::Planned{id(offer), "no", {}};
      case Act::kApproved:
        return events::Approved{id(offer)};
      case Act::kCancelled:
        return events::Cancelled{id(offer), "no"};
      case Act::kApplied:
        return events::Applied{id(offer)};
      case Act::kNotApplied:
        return events::NotApplied{id(offer), "no"};
      case Act::kOpen:
        return events::Judged{id(offer), true, {}, false};
      case Act::kWorse:
        return events::Judged{id(offer), false, "no", true};
      case Act::kExpired:
        return events::Expired{id(offer)};
      case Act::kKept:
        return events::Kept{id(offer)};
      case Act::kWentBack:
        return events::WentBack{id(offer)};
      case Act::kRestarted:
        return events::Restarted{false};
      case Act::kRebooted:
        return events::Restarted{true};
      default:
        break;
    }
    const auto digest = terms(offer).digest;
    if (said < kFirstOrder)
      return events::HeardStatus{{.offer = id(offer),
                                  .digest = digest,
                                  .node = name(said / kStages.size()),
                                  .stage = static_cast<Stage>(said % kStages.size()),
                                  .why = "no",
                                  .plan = {}}};
    if (said == kLie)
      return events::HeardOrder{
          terms(offer).origin,
          {.offer = id(offer), .digest = "lie", .order = Order::kGo, .why = {}}};
    return events::HeardOrder{terms(offer).origin,
                              {.offer = id(offer),
                               .digest = digest,
                               .order = static_cast<Order>(said - kFirstOrder + 1),
                               .why = {}}};
  }

  // --- states by their place, and what becomes of them

  /// The same for two states that differ in texts alone, or in what nothing follows from any more.
  static std::string key(const State& state) {
    std::string key = state.node;
    const auto add = [&key](auto value) {
      key += static_cast<char>('0' + static_cast<int>(value));
    };
    if (const auto& part = state.part) {
      key += "p" + part->terms.id;
      add(part->stage);
      const bool is_open = part->stage != Stage::kRefused && part->stage < Stage::kKept;
      if (is_open) add(part->order);
      if (is_open && part->order < Order::kKeep)
        for (const auto& node : part->applied) key += node;
    }
    if (const auto& led = state.led) {
      key += "l" + led->terms.id;
      add(led->order);
      add(led->is_silent);
      for (const auto& [node, stage] : led->stages) {
        const auto least = led->order == Order::kKeep ? Stage::kKept : Stage::kHeard;
        if (led->order == Order::kBack || stage < least) continue;
        key += node;
        add(stage);
      }
    }
    if (state.waits) key += "w" + state.waits->id;
    for (const auto& status : state.refused) key += "r" + status.offer;
    return key;
  }

  std::uint32_t place_of(const State& state) {
    const auto [found, is_new] =
        places_.emplace(key(state), static_cast<std::uint32_t>(states_.size()));
    if (is_new) {
      states_.push_back(state);
      std::uint64_t said = 0;
      const auto words = words_of(state);
      for (const auto& status : words.statuses)
        said |= std::uint64_t{1} << message(offer_of(status.offer),
                                            static_cast<std::size_t>(state.node[0] - '1'),
                                            status.stage);
      for (const auto& order : words.orders)
        said |= std::uint64_t{1} << message(offer_of(order.offer), order.order);
      words_.push_back(said);
      // What it passes on: the order of another that it follows.
      if (state.part && state.part->order == Order::kKeep)
        said |= std::uint64_t{1} << message(offer_of(state.part->terms.id), Order::kKeep);
      board_.push_back(said);
      deaf_.push_back(0);
    }
    return found->second;
  }

  std::uint32_t after(std::uint32_t place, Act act, std::size_t detail, bool may_decide) {
    const auto asked = (std::uint64_t{place} << 16) | (static_cast<std::uint64_t>(act) << 8) |
                       (detail << 1) | (may_decide ? 1U : 0U);
    const auto [found, is_new] = steps_.emplace(asked, 0);
    if (!is_new) return found->second;
    auto happens = event(act, detail);
    const auto& state = states_[place];
    if (auto* const order = std::get_if<events::HeardOrder>(&happens);
        order != nullptr && state.part) {
      if (mistake_ == Mistake::kByDigest && order->ordered.order == Order::kKeep &&
          order->ordered.digest == state.part->terms.digest)
        order->ordered.offer = state.part->terms.id;
      if (mistake_ == Mistake::kTakesOther) order->ordered.digest = state.part->terms.digest;
    }
    auto next = step(state, happens, may_decide);
    if (mistake_ == Mistake::kForces && act == Act::kRebooted && next.led)
      next.led->is_silent = false;
    const auto to = place_of(next);
    steps_[asked] = to;
    return to;
  }

  [[nodiscard]] const State& state(const World& world, std::size_t node) const {
    return states_[world.node[node]];
  }

  // --- one step of the world

  void fail(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }

  /// It is written, then said. True: something changed.
  bool tell(World& world, std::size_t node, Act act, std::size_t detail) {
    const auto from = world.node[node];
    const auto& led = states_[from].led;
    const bool may = led && world.time[offer_of(led->terms.id)] == 0;
    const auto to = after(from, act, detail, may || mistake_ == Mistake::kDecidesLate);
    if (to == from) return false;
    world.node[node] = to;
    world.said |= words_[to];
    note(world, node, states_[from], states_[to], act);
    return true;
  }

  void note(World& world, std::size_t node, const State& from, const State& to, Act act) {
    if (to.led && to.led->order == Order::kGo && from.led->order != Order::kGo) {
      for (std::size_t i = 0; i < scenario_.nodes; ++i)
        if ((world.said >> message(offer_of(to.led->terms.id), i, Stage::kYes) & 1U) == 0)
          fail("it goes without the yes of all");
    }
    if (to.led && to.led->order == Order::kKeep && from.led->order != Order::kKeep) {
      const auto offer = offer_of(to.led->terms.id);
      world.decided |= bit(offer);
      world.away[offer] |= world.off;
      for (std::size_t i = 0; i < scenario_.nodes; ++i) {
        const auto& part = state(world, i).part;
        if (!part || part->terms.id != to.led->terms.id || !part->applied.contains(name(i)) ||
            part->order == Order::kBack || part->stage == Stage::kBack)
          fail("it is decided, and " + name(i) + " has not applied it, or has ended its time");
        if ((world.said >> message(offer, i, Stage::kOpen) & 1U) == 0)
          fail("it is decided, and the gate of " + name(i) + " was not open");
      }
    }
    if (!to.part) return;
    const auto offer = offer_of(to.part->terms.id);
    const bool is_same = from.part && from.part->terms.id == to.part->terms.id;
    // Once a part has ended, and after each start, a node names another nonce.
    const bool ends = from.part && from.part->stage < Stage::kKept &&
                      from.part->stage != Stage::kRefused &&
                      (!is_same || to.part->stage >= Stage::kKept);
    if (ends || act == Act::kRestarted || act == Act::kRebooted) {
      for (std::size_t i = 0; i < scenario_.origins.size(); ++i)
        if (has(world.asked, i)) world.stale[i] |= bit(node);
    }
    const auto stage = is_same ? from.part->stage : Stage::kHeard;
    const auto order = is_same ? from.part->order : Order::kNone;
    const auto origin = scenario_.origins[offer];
    const bool is_start = act == Act::kRestarted || act == Act::kRebooted;
    if (is_start && (to.waits || !is_same)) fail("a start takes up what waited");
    if (!is_same &&
        std::ranges::find(from.refused, to.part->terms.id, &Status::offer) != from.refused.end())
      fail("it takes part in what it refused");
    if (to.part->stage == Stage::kHeard && stage != Stage::kHeard)
      fail("it takes part again in what it took part in");
    if (order >= Order::kKeep && to.part->order != order)
      fail("it follows one decision, and then the other");
    if (to.part->order == Order::kBack && node == origin && to.led &&
        to.led->terms.id == to.part->terms.id && to.led->order < Order::kKeep)
      fail("an origin goes back, and has not decided it");
    if (to.part->stage == Stage::kGoing && stage != Stage::kGoing &&
        (world.said >> message(offer, Order::kGo) & 1U) == 0)
      fail("it begins what nobody ordered");
    if (to.part->order == Order::kKeep && order != Order::kKeep) {
      if (!has(world.decided, offer)) fail("it keeps what nobody decided to keep");
      const bool is_alone = (world.kept[offer] & ~bit(node)) == 0;
      if (node == origin && is_alone && has(world.away[offer], node))
        fail("an origin that was off forces what nobody kept");
      if (node == origin && is_alone && act != Act::kExpired)
        fail("an origin keeps what nobody kept before its time ends");
    }
    const bool goes_back =
        (to.part->order == Order::kBack && order != Order::kBack) ||
        (to.part->stage == Stage::kBack && stage != Stage::kBack && order != Order::kBack);
    if (goes_back && has(world.decided, offer)) {
      if (act != Act::kExpired) fail("it is decided, and a node goes back before its time ends");
      // An origin that was off hears those who kept it alone.
      const Bits holders = node == origin && has(world.away[offer], node)
                               ? saying_kept(world, offer)
                               : holding(world, offer);
      if ((holders & reached(world, node)) != 0)
        fail("it goes back, and could have heard of the decision");
    }
    if (is_start && stage == Stage::kGoing && to.part->order != Order::kBack)
      fail("a start goes on with what nobody knows the end of");
    if (is_start && node != origin && stage >= Stage::kApplied && to.part->order != order)
      fail("a start goes back from what is applied");
    if (to.part->stage == stage) return;
    if (to.part->stage == Stage::kKept) world.kept[offer] |= bit(node);
    if (to.part->stage == Stage::kBack) world.back[offer] |= bit(node);
    if (world.kept[offer] != 0 && world.back[offer] != 0 && world.cut == 0 &&
        world.away[offer] == 0)
      fail("some kept it and others went back, and no node was off or cut off");
  }

  /// Who can tell others that it stays.
  [[nodiscard]] Bits holding(const World& world, std::size_t offer) const {
    Bits nodes = 0;
    for (std::size_t i = 0; i < scenario_.nodes; ++i)
      if ((board_[world.node[i]] >> message(offer, Order::kKeep) & 1U) != 0) nodes |= bit(i);
    return nodes;
  }

  [[nodiscard]] Bits saying_kept(const World& world, std::size_t offer) const {
    Bits nodes = 0;
    for (std::size_t i = 0; i < scenario_.nodes; ++i)
      if ((words_[world.node[i]] >> message(offer, i, Stage::kKept) & 1U) != 0) nodes |= bit(i);
    return nodes;
  }

  /// Whom a node can ask: those that are on, and not cut off as it is not.
  [[nodiscard]] Bits reached(const World& world, std::size_t node) const {
    if (has(world.cut, node)) return 0;
    return static_cast<Bits>((bit(scenario_.nodes) - 1) & ~world.off & ~world.cut & ~bit(node));
  }

  void hear_board(World& world, std::size_t node, std::uint64_t said, bool& is_new) {
    for (said &= ~deaf_[world.node[node]]; said != 0; said &= said - 1) {
      const auto heard = static_cast<std::size_t>(std::countr_zero(said));
      if (tell(world, node, Act::kHeard, heard)) {
        is_new = true;
      } else {
        deaf_[world.node[node]] |= std::uint64_t{1} << heard;
      }
    }
  }

  /// A node and those that it reaches hear each other's boards, until nobody hears anything new.
  void ask_once_more(World& world, std::size_t node) {
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (std::size_t other = 0; other < scenario_.nodes; ++other) {
        if (!has(reached(world, node), other)) continue;
        hear_board(world, node, board_[world.node[other]], is_new);
        hear_board(world, other, board_[world.node[node]], is_new);
      }
    }
  }

  /// Words that only make something possible: that may come as late as they may, so it is enough
  /// to hear them at once.
  void hear_at_once(World& world) {
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (std::size_t node = 0; node < scenario_.nodes; ++node) {
        if (has(world.off, node)) continue;
        const auto due = scenario_.is_quick ? work_of(state(world, node)) : Work::kNone;
        const auto first =
            due == Work::kNone ? 0 : offer_of(state(world, node).part->terms.id) * kMessages;
        if (due == Work::kPlan) is_new |= tell(world, node, Act::kPlanned, first);
        if (due == Work::kKeep) is_new |= tell(world, node, Act::kKept, first);
        if (due == Work::kGoBack) is_new |= tell(world, node, Act::kWentBack, first);
        hear_board(world, node, world.said & of_all({Stage::kYes, Stage::kApplied}), is_new);
      }
    }
  }

  /// Of all offers, what all nodes may say of them.
  static constexpr std::uint64_t of_all(std::initializer_list<Stage> stages) {
    std::uint64_t bits = 0;
    for (std::size_t offer = 0; offer < kOffers; ++offer)
      for (std::size_t node = 0; node < kNodes; ++node)
        for (const auto stage : stages) bits |= std::uint64_t{1} << message(offer, node, stage);
    return bits;
  }

  /// Drops what nothing follows from any more.
  void forget(World& world, std::size_t offer) {
    const auto origin = scenario_.origins[offer];
    const auto& led = state(world, origin).led;
    const bool is_led = led && led->terms.id == id(offer);
    bool is_over = has(world.asked, offer) && !(is_led && is_under_way(state(world, origin)));
    bool may_take = false;
    bool may_obey = false;
    for (std::size_t i = 0; i < scenario_.nodes; ++i) {
      const auto& now = state(world, i);
      const bool takes_part = now.part && now.part->terms.id == id(offer);
      const bool knows = takes_part || std::ranges::find(now.refused, id(offer), &Status::offer) !=
                                           now.refused.end();
      const bool waits = now.waits && now.waits->id == id(offer);
      if (i == origin) world.stale[offer] |= bit(i);
      may_take |= waits || (!knows && !has(world.stale[offer], i));
      may_obey |=
          takes_part && now.part->stage < Stage::kKept && now.part->stage != Stage::kRefused;
    }
    is_over = is_over && !may_take && !may_obey;
    const auto order = is_led ? led->order : Order::kBack;
    std::uint64_t heard = 0;
    if (order == Order::kNone) heard |= of_all({Stage::kYes});
    if (may_obey) heard |= of_all({Stage::kApplied});
    if (order < Order::kKeep) heard |= of_all({Stage::kRefused, Stage::kOpen, Stage::kFailed});
    if (order < Order::kBack) heard |= of_all({Stage::kKept, Stage::kBack});
    // An order may be mistaken for one of another offer of the same text.
    if (may_take || may_obey || scenario_.is_same_text) heard |= ~of_all(kEveryStage);
    world.said &= heard | ~(std::uint64_t{0xffffffff} << offer * kMessages);
    if (!is_over) return;
    world.time[offer] = 2;
    world.stale[offer] = static_cast<Bits>(bit(scenario_.nodes) - 1);
    world.kept[offer] = world.back[offer] = world.away[offer] = 0;
    world.decided &= static_cast<Bits>(~bit(offer));
    if (world.decided == 0) world.cut = 0;
  }

  void reach(World world, Act act, std::size_t node, std::size_t detail) {
    hear_at_once(world);
    for (std::size_t offer = 0; offer < scenario_.origins.size(); ++offer) {
      if (world.kept[offer] == bit(scenario_.nodes) - 1) kept_by_all_ |= bit(offer);
      forget(world, offer);
    }
    const auto& before = known_[at_].world;
    std::vector<Bits> cuts{world.cut};
    const auto all = static_cast<Bits>(bit(scenario_.nodes) - 1);
    if (scenario_.has_cuts && before.decided == 0 && world.decided != 0) {
      cuts.push_back(all);
      for (std::size_t i = 0; scenario_.nodes > 2 && i < scenario_.nodes; ++i)
        cuts.push_back(bit(i));
    }
    for (const auto cut : cuts) {
      world.cut = cut;
      const Known next{world, static_cast<std::uint32_t>(at_), act, static_cast<Bits>(node),
                       static_cast<Bits>(detail)};
      if (!wrong_.empty() && wrong_at_ == 0) {
        wrong_at_ = at_;
        last_ = next;
        return;
      }
      if (world != known_[at_].world) is_end_ = false;
      if (seen_.insert(world).second) known_.push_back(next);
    }
  }

  void happen(std::size_t node, Act act, std::size_t detail) {
    auto world = known_[at_].world;
    if (act == Act::kExpired && mistake_ != Mistake::kForgetsToAsk) ask_once_more(world, node);
    const bool is_heard = world != known_[at_].world;
    if (act == Act::kAsked) world.asked |= bit(detail / kMessages);
    if (!tell(world, node, act, detail) && !is_heard) return;
    if (mistake_ == Mistake::kSaysFirst && world.crashes < scenario_.most_crashes &&
        act != Act::kAsked) {
      auto lost = known_[at_].world;
      lost.said = world.said;
      ++lost.crashes;
      tell(lost, node, Act::kRestarted, 0);
      reach(lost, Act::kUnwritten, node, detail);
    }
    reach(world, act, node, detail);
  }

  void moves() {
    const auto world = known_[at_].world;  // known_ grows
    for (std::size_t offer = 0; offer < scenario_.origins.size(); ++offer) {
      const auto origin = scenario_.origins[offer];
      if (!has(world.asked, offer)) {
        if (!has(world.off, origin)) happen(origin, Act::kAsked, offer * kMessages);
        continue;
      }
      if (world.time[offer] < 2) {
        auto next = world;
        ++next.time[offer];
        reach(next, Act::kTime, origin, offer * kMessages);
      }
    }
    for (std::size_t node = 0; node < scenario_.nodes; ++node) {
      if (has(world.off, node)) {
        auto next = world;
        next.off &= static_cast<Bits>(~bit(node));
        next.said |= words_[next.node[node]];
        reach(next, Act::kRebooted, node, 0);
        continue;
      }
      moves_of(world, node);
    }
  }

  /// At an origin that kept it the time is over once it is for all that were not off.
  [[nodiscard]] bool may_expire(const World& world, std::size_t node, std::size_t offer) const {
    for (std::size_t i = 0; has(world.kept[offer], node) && i < scenario_.nodes; ++i) {
      const auto& part = state(world, i).part;
      if (part && part->terms.id == id(offer) && part->stage < Stage::kKept &&
          !has(world.away[offer], i))
        return false;
    }
    return true;
  }

  void moves_of(const World& world, std::size_t node) {
    for (std::size_t offer = 0; offer < scenario_.origins.size(); ++offer) {
      const auto first = offer * kMessages;
      if (!has(world.asked, offer)) continue;
      if (!has(world.stale[offer], node)) happen(node, Act::kHeardOffer, first);
      if (world.time[offer] == 2 && may_expire(world, node, offer))
        happen(node, Act::kExpired, first);
      if (scenario_.origins[offer] == node) {
        happen(node, Act::kApproved, first);
        happen(node, Act::kCancelled, first);
        for (std::size_t other = 0; other < scenario_.nodes; ++other)
          for (const auto stage :
               {Stage::kRefused, Stage::kOpen, Stage::kFailed, Stage::kKept, Stage::kBack})
            hear(world, node, message(offer, other, stage));
      }
      for (const auto order : {Order::kGo, Order::kKeep, Order::kBack})
        hear(world, node, message(offer, order));
      if (scenario_.has_lies) happen(node, Act::kHeard, first + kLie);
    }
    const auto& now = state(world, node);
    const auto first = now.part ? offer_of(now.part->terms.id) * kMessages : 0;
    switch (work_of(now)) {
      case Work::kNone:
        break;
      case Work::kPlan:
        happen(node, Act::kPlanned, first);
        happen(node, Act::kRefused, first);
        break;
      case Work::kApply:
        happen(node, Act::kApplied, first);
        happen(node, Act::kNotApplied, first);
        break;
      case Work::kJudge:
        happen(node, Act::kOpen, first);
        happen(node, Act::kWorse, first);
        break;
      case Work::kKeep:
        happen(node, Act::kKept, first);
        break;
      case Work::kGoBack:
        happen(node, Act::kWentBack, first);
        break;
    }
    if (world.crashes == scenario_.most_crashes) return;
    auto killed = world;
    ++killed.crashes;
    if (tell(killed, node, Act::kRestarted, 0)) reach(killed, Act::kRestarted, node, 0);
    auto dark = world;
    ++dark.crashes;
    dark.off |= bit(node);
    for (std::size_t offer = 0; offer < scenario_.origins.size(); ++offer)
      if (has(world.decided, offer)) dark.away[offer] |= bit(node);
    const auto said = dark.said;
    tell(dark, node, Act::kRebooted, 0);  // nobody sees the difference before it has power
    dark.said = said;
    reach(dark, Act::kPowerCut, node, 0);
  }

  void hear(const World& world, std::size_t node, std::size_t said) {
    if (((world.said & ~deaf_[world.node[node]]) >> said & 1U) != 0)
      happen(node, Act::kHeard, said);
  }

  /// Nothing can happen any more.
  void judge_end(const World& world) {
    last_ = known_[at_];
    for (std::size_t node = 0; node < scenario_.nodes; ++node) {
      const auto& now = state(world, node);
      if (is_under_way(now) || now.waits) fail("an offer never ends on " + name(node));
      for (std::size_t offer = 0; offer < scenario_.origins.size(); ++offer) {
        const bool is_mixed = world.kept[offer] != 0 && world.back[offer] != 0;
        const auto ended = has(world.kept[offer], node) ? Stage::kKept : Stage::kBack;
        const bool is_last = now.part && now.part->terms.id == id(offer);
        if (is_mixed && is_last &&
            (words_[world.node[node]] >> message(offer, node, ended) & 1U) == 0)
          fail("a node does not say how it ended");
      }
    }
    if (!wrong_.empty()) wrong_at_ = at_;
  }

  Scenario scenario_;
  Mistake mistake_;
  std::unordered_map<std::string, std::uint32_t> places_;
  std::vector<State> states_;
  std::vector<std::uint64_t> words_;  ///< of states_: what a node says
  std::vector<std::uint64_t> board_;  ///< of states_: with what it passes on
  std::vector<std::uint64_t> deaf_;   ///< of states_: what changes nothing there
  std::unordered_map<std::uint64_t, std::uint32_t> steps_;
  std::vector<Known> known_;
  std::unordered_set<World, WorldHash> seen_;
  Bits kept_by_all_ = 0;
  std::size_t at_ = 0;
  bool is_end_ = false;
  std::string wrong_;
  std::size_t wrong_at_ = 0;
  Known last_;
};

}  // namespace

/// With any argument: two crashes also of three nodes with an offer of each, which takes minutes.
int main(int argc, char** /*argv*/) {
  const Scenario one{.name = "two nodes, one offer", .origins = {0}};
  const Scenario same{
      .name = "two nodes, the same text twice", .origins = {0, 0}, .is_same_text = true};
  const Scenario lie{.name = "two nodes, and a lie", .origins = {0}, .has_lies = true};
  const Bits crashes = argc > 1 ? 2 : 1;
  const std::vector<Scenario> scenarios = {
      one,
      {.name = "two nodes, two offers of one", .origins = {0, 0}},
      same,
      {.name = "two nodes, an offer of each", .origins = {0, 1}},
      {.name = "two nodes, the same text of each", .origins = {0, 1}, .is_same_text = true},
      lie,
      {.name = "three nodes, one offer", .nodes = 3, .origins = {0}},
      {.name = "three nodes, two offers of one", .nodes = 3, .origins = {0, 0}, .is_quick = true},
      {.name = "three nodes, an offer of each",
       .nodes = 3,
       .origins = {0, 1},
       .most_crashes = crashes,
       .is_quick = true},
  };
  for (const auto& scenario : scenarios) {
    Walk walk(scenario, Mistake::kNone);
    const auto wrong = walk.run();
    std::cout << "all_nodes: " << scenario.name << ": " << walk.count() << " states" << std::endl;
    if (wrong.empty()) continue;
    std::cerr << wrong << ", after:\n";
    walk.print_way(std::cerr);
    return 1;
  }
  const std::vector<std::pair<Mistake, Scenario>> mistakes = {
      {Mistake::kDecidesLate, one},  {Mistake::kSaysFirst, one},  {Mistake::kByDigest, same},
      {Mistake::kForgetsToAsk, one}, {Mistake::kTakesOther, lie}, {Mistake::kForces, one}};
  for (const auto& [mistake, scenario] : mistakes) {
    Walk walk(scenario, mistake);
    const auto wrong = walk.run();
    const auto& what = kMistakes[static_cast<std::size_t>(mistake)];
    if (wrong.empty()) {
      std::cerr << "nobody finds that " << what << "\n";
      return 1;
    }
    std::cout << "all_nodes: " << what << ": found after " << walk.count() << " states\n";
  }
}
