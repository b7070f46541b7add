// Of random problems of random nodes: no circle, each in one root, and the order in which they were
// found changes nothing.

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "diagnosis/diagnose.hpp"
#include "diagnosis/explanations.hpp"
#include "diagnosis/kinds.hpp"
#include "gate/gate.hpp"

namespace spark::test {
namespace {

using diagnosis::Diagnosis;
using diagnosis::Problem;
using diagnosis::RailEnd;
using diagnosis::Wiring;
using protocol::Detail;
using protocol::Verdict;

constexpr int kRounds = 2000;
const std::vector<std::string> kLinks{"enp1s0f0np0", "enp1s0f1np1"};

struct Named {
  std::string name;
  Wiring wiring;
};

/// Each node's links lead to those nodes.
Named wired(std::string name, const std::vector<std::vector<std::set<std::string>>>& leads_to,
            bool is_on_switch) {
  Named named{.name = std::move(name), .wiring = {.own = "spark1", .rails = {}, .unheard = {}}};
  for (std::size_t node = 0; node < leads_to.size(); ++node) {
    for (std::size_t link = 0; link < leads_to[node].size(); ++link) {
      named.wiring.rails.push_back({.node = "spark" + std::to_string(node + 1),
                                    .link = kLinks[link],
                                    .leads_to = leads_to[node][link],
                                    .is_on_switch = is_on_switch});
    }
  }
  return named;
}

std::vector<Named> wirings() {
  std::vector<std::vector<std::set<std::string>>> on_switch;
  for (int node = 1; node <= 8; ++node) {
    std::set<std::string> others;
    for (int other = 1; other <= 8; ++other) {
      if (other != node) others.insert("spark" + std::to_string(other));
    }
    on_switch.push_back({others});
  }
  return {
      wired("pair", {{{"spark2"}, {"spark2"}}, {{"spark1"}, {"spark1"}}}, false),
      wired("ring of 3",
            {{{"spark2"}, {"spark3"}}, {{"spark3"}, {"spark1"}}, {{"spark1"}, {"spark2"}}}, false),
      wired("ring of 4",
            {{{"spark2"}, {"spark4"}},
             {{"spark3"}, {"spark1"}},
             {{"spark4"}, {"spark2"}},
             {{"spark1"}, {"spark3"}}},
            false),
      wired("switch of 8", on_switch, true)};
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(engine_);
  }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class Container>
  const auto& of(const Container& all) {
    return all[below(all.size())];
  }
  template <class Container>
  void shuffle(Container& all) {
    std::ranges::shuffle(all, engine_);
  }

 private:
  std::mt19937 engine_;
};

std::string some_node(Random& random, const Wiring& wiring) { return random.of(wiring.rails).node; }

Problem some_problem(Random& random, const Wiring& wiring) {
  static const auto kFacts = gate::fact_kinds();
  static constexpr std::array kNames{
      diagnosis::kCopy,        diagnosis::kHearsNobody,  diagnosis::kUntold,
      diagnosis::kSilent,      diagnosis::kNoRdma,       diagnosis::kNoWay,
      diagnosis::kOtherFile,   diagnosis::kOtherVersion, diagnosis::kPass,
      diagnosis::kReceiver,    diagnosis::kFileThere,    diagnosis::kPlan,
      diagnosis::kLedger,      diagnosis::kNoDaemon,     diagnosis::kReleased,
      diagnosis::kRefusedFile, diagnosis::kRefusal,      diagnosis::kUnfinished,
      diagnosis::kKernel,      diagnosis::kKho,          std::string_view("mtu")};
  const auto& end = random.of(wiring.rails);
  Problem problem{.node = end.node, .found = {}, .remedy = {}, .since = {}};
  auto& found = problem.found;
  if (random.one_in(4)) {
    found.name = random.of(kNames);
    if (found.name == diagnosis::kSilent || found.name == diagnosis::kHearsNobody) return problem;
  } else {
    const auto& fact = random.of(kFacts);
    found.id = fact.id;
    found.name = fact.name;
    found.link = end.link;
    found.detail = static_cast<Detail>(random.below(protocol::kDetails.size()));
    problem.verdict = random.one_in(3) ? Verdict::kUnknown : Verdict::kNotReady;
  }
  for (auto count = random.below(3); count > 0; --count) {
    auto peer = some_node(random, wiring);
    if (peer != problem.node && std::ranges::find(found.peers, peer) == found.peers.end()) {
      found.peers.push_back(std::move(peer));
    }
  }
  return problem;
}

/// Each once.
std::vector<Problem> some_problems(Random& random, const Wiring& wiring) {
  std::vector<Problem> problems;
  for (auto count = 1 + random.below(10); count > 0; --count) {
    auto problem = some_problem(random, wiring);
    problem.found.measured = std::to_string(count);
    problems.push_back(std::move(problem));
  }
  return problems;
}

Named some_wiring(Random& random) {
  static const auto kAll = wirings();
  auto named = random.of(kAll);
  for (auto& end : named.wiring.rails) end.has_carrier = !random.one_in(4);
  for (auto count = random.below(3); count > 0; --count) {
    const auto node = some_node(random, named.wiring);
    if (node != named.wiring.own) named.wiring.unheard.insert(node);
  }
  return named;
}

std::string key_of(const Problem& problem) {
  return problem.node + " " + problem.found.id + problem.found.name + " " + problem.found.measured;
}

/// Each problem with the root in which it is, "again" left apart.
std::set<std::string> keys_of(const Diagnosis& diagnosis) {
  std::set<std::string> keys;
  for (const auto& root : diagnosis.roots) {
    keys.insert(key_of(root.problem));
    for (const auto& problem : root.again) keys.insert(key_of(problem));
  }
  return keys;
}

std::size_t size_of(const Diagnosis& diagnosis) {
  std::size_t size = 0;
  for (const auto& root : diagnosis.roots) size += 1 + root.again.size() + root.effects.size();
  return size;
}

template <class Each>
void for_random_problems(Each each) {
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    Random random(seed);
    const auto named = some_wiring(random);
    const auto problems = some_problems(random, named.wiring);
    SCOPED_TRACE(named.name + ", seed " + std::to_string(seed));
    each(problems, named.wiring, random);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Diagnosis, HasEachProblemInExactlyOneRoot) {
  for_random_problems([](const auto& problems, const Wiring& wiring, Random& /*random*/) {
    const auto diagnosis = diagnosis::diagnose(problems, wiring);
    EXPECT_EQ(size_of(diagnosis), problems.size());
    for (const auto& problem : problems) EXPECT_NE(diagnosis.root_of(problem), nullptr);
    EXPECT_FALSE(diagnosis.roots.empty());
  });
}

TEST(Diagnosis, ExplainsNothingByItself) {
  for_random_problems([](const auto& problems, const Wiring& wiring, Random& /*random*/) {
    const diagnosis::Explanations explanations(problems, wiring);
    // Whom each explains, as far as that goes.
    std::vector<std::set<std::size_t>> reached(problems.size());
    for (std::size_t round = 0; round < problems.size(); ++round) {
      for (std::size_t cause = 0; cause < problems.size(); ++cause) {
        for (std::size_t effect = 0; effect < problems.size(); ++effect) {
          if (!explanations.explains(cause, effect)) continue;
          reached[cause].insert(effect);
          reached[cause].insert(reached[effect].begin(), reached[effect].end());
        }
      }
    }
    for (std::size_t i = 0; i < problems.size(); ++i) {
      EXPECT_FALSE(reached[i].contains(i)) << key_of(problems[i]);
    }
  });
}

TEST(Diagnosis, IsTheSameInWhateverOrderTheyWereFound) {
  for_random_problems([](auto problems, const Wiring& wiring, Random& random) {
    const auto before = keys_of(diagnosis::diagnose(problems, wiring));
    random.shuffle(problems);
    EXPECT_EQ(keys_of(diagnosis::diagnose(problems, wiring)), before);
  });
}

TEST(Diagnosis, NamesWhatIsLeftOnceARootIsFixed) {
  for_random_problems([](const auto& problems, const Wiring& wiring, Random& /*random*/) {
    const auto diagnosis = diagnosis::diagnose(problems, wiring);
    for (const auto& root : diagnosis.roots) {
      auto rest = problems;
      std::erase(rest, root.problem);
      const auto after = diagnosis::diagnose(rest, wiring);
      EXPECT_EQ(size_of(after), problems.size() - 1);
      for (const auto& effect : root.effects) EXPECT_NE(after.root_of(effect), nullptr);
    }
  });
}

TEST(Diagnosis, ShowsTheMostBasicFirst) {
  for_random_problems([](const auto& problems, const Wiring& wiring, Random& /*random*/) {
    const auto diagnosis = diagnosis::diagnose(problems, wiring);
    EXPECT_TRUE(std::ranges::is_sorted(diagnosis.roots, {}, [](const diagnosis::Root& root) {
      return diagnosis::rank_of(root.problem);
    }));
  });
}

}  // namespace
}  // namespace spark::test
