#include "helpers/web/page_cluster.hpp"

#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/rollout_words.hpp"
#include "helpers/web/page.hpp"
#include "helpers/web/routes.hpp"
#include "unit/cluster/clusters.hpp"
#include "unit/daemon/states.hpp"

namespace spark::helpers {
namespace {

using daemon::test_now;
using daemon::test_states;
using test::known_pair;
using test::known_ring;
using test::known_ring_that_rolled_here;
using test::known_ring_that_rolls;
using test::known_switch;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::size_t count_in(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

/// The row of the table of nodes.
std::string row_of_node(const std::string& page, const std::string& node) {
  const auto name = "<span class=\"mono\">" + node + "</span>";
  const auto begin = page.find("<th scope=\"row\" role=\"rowheader\">" + name);
  return begin == std::string::npos ? "" : page.substr(begin, page.find("</tr>", begin) - begin);
}

ShownCluster shown_cluster(const test::KnownCluster& cluster) {
  return {.view = cluster.view(), .told = cluster.known.told.peers, .now = cluster.known.now};
}

node_state::NodeState own_state(const test::KnownCluster& cluster, const std::string& state) {
  auto own = test_states().at(state);
  own.shape = cluster.known.shape;
  return own;
}

std::string page_of_cluster(const test::KnownCluster& cluster, const std::string& state) {
  const auto all = shown_cluster(cluster);
  return page_html(own_state(cluster, state), test_now(), &all);
}

std::string html_of_cluster(const test::KnownCluster& cluster) {
  return cluster_html(shown_cluster(cluster), own_state(cluster, "ring"), test_now());
}

constexpr const char* kProven =
    R"(<span class="good">✓</span>/<span class="good">✓</span></span><span class="words">)"
    "rail 0: echo and RDMA, rail 1: echo and RDMA</span>";

TEST(PageOfACluster, OfHealthyNodesHasOneLineAndNoCause) {
  for (const auto& [cluster, line, nodes] :
       {std::tuple{known_pair(), "lab · pair · <span class=\"good\">2 of 2 ready</span>", 2U},
        std::tuple{known_ring(), "lab · ring of 3 · <span class=\"good\">3 of 3 ready</span>", 3U},
        std::tuple{known_switch(), "rack · switch of 8 · <span class=\"good\">8 of 8 ready</span>",
                   8U}}) {
    const auto page = page_of_cluster(cluster, "ring");
    EXPECT_THAT(page, AllOf(HasSubstr(std::string("<h1>") + line), Not(HasSubstr("cause"))))
        << line;
    EXPECT_EQ(count_in(page, kProven), nodes * (nodes - 1)) << line;
    const auto table = page.find("<h2>Nodes</h2>");
    EXPECT_EQ(
        count_in(page.substr(table, page.find("</table>", table) - table), "role=\"rowheader\""),
        nodes)
        << line;
  }
}

TEST(PageOfACluster, SaysFromWhichCommitTheFileIsAndWhoSignedIt) {
  auto ring = known_ring();
  ring.follows_a_repository("alice@lab");
  EXPECT_THAT(page_of_cluster(ring, "ring"),
              HasSubstr("git 3f9a1c0 (signed: alice@lab, 4 min ago)"));
  ring.follows_a_repository("");
  EXPECT_THAT(page_of_cluster(ring, "ring"), HasSubstr("git 3f9a1c0 (not verified, 4 min ago)"));
}

TEST(PageOfACluster, NamesTheCableThatLeadsElsewhereOnce) {
  auto ring = known_ring();
  ring.has_swapped_plugs();
  const auto view = ring.view();
  const auto html = html_of_cluster(ring);
  EXPECT_EQ(count_in(html, "the cable in spark1:0 leads to"), 1U);
  EXPECT_THAT(html, HasSubstr("cabling of enp1s0f0np0 and enP2p1s0f0np0: the cable"));
  EXPECT_THAT(html, AllOf(HasSubstr("<h2>The cause</h2>"), HasSubstr("SR-GATE-016 · "),
                          HasSubstr("→ swap the plugs in spark1:0 and spark1:1</p>"),
                          HasSubstr("rail 0: neither, rail 1: neither"),
                          HasSubstr("<small>cable</small>")));
  EXPECT_THAT(cluster_top_html(view), HasSubstr("<span class=\"bad\">0 of 3 ready</span>"));
  EXPECT_EQ(cluster_title(view), "lab: 0 of 3 ready (spark1)");
}

TEST(PageOfACluster, ASilentNodeIsUnknownAndNeverWhatItSaidLast) {
  auto ring = known_ring();
  ring.goes_silent("spark3");
  const auto page = page_of_cluster(ring, "unproven");
  EXPECT_THAT(page,
              AllOf(HasSubstr("<span class=\"warn\">2 of 3 ready</span>"),
                    HasSubstr("silent; last heard ready"), HasSubstr("2 others follow from it"),
                    HasSubstr("<code>spark-reconcile doctor -n spark3</code>")));
  EXPECT_THAT(row_of_node(page, "spark3"),
              AllOf(HasSubstr("</span> unknown"), HasSubstr("for 43 s"), HasSubstr("not known"),
                    HasSubstr("43 s ago"), Not(HasSubstr("✓")), Not(HasSubstr("ready"))));
  EXPECT_THAT(row_of_node(page, "spark1"), HasSubstr("follows from spark3"));
}

TEST(PageOfACluster, SaysHowAChangedFileRollsThroughIt) {
  const auto ring = known_ring_that_rolls();
  const auto html = html_of_cluster(ring);
  EXPECT_THAT(html, AllOf(HasSubstr("<h2>Roll-out</h2>"),
                          HasSubstr("→ 3f9a1c0: spark3 tries it; spark1 waits for spark3, which "
                                    "tries it (for 4 min); spark2 waits for spark3")));
  EXPECT_THAT(html_of_cluster(known_ring()), Not(HasSubstr("Roll-out")));
}

TEST(PageOfACluster, SaysWhichNodeHasAnotherFile) {
  auto ring = known_ring();
  ring.has_another_file("spark2");
  const auto page = page_of_cluster(ring, "ring");
  EXPECT_THAT(row_of_node(page, "spark2"),
              AllOf(HasSubstr("≠ 2b77d10"), HasSubstr("another file, digest 2b77d10")));
}

TEST(PageOfACluster, DrawsTheNodesAndWhatIsKnownOfEachCable) {
  auto ring = known_ring();
  ring.goes_silent("spark3");
  const auto page = page_of_cluster(ring, "unproven");
  EXPECT_LT(page.find("<svg class=\"map\""), page.find("<h2>The cause</h2>"));
  EXPECT_THAT(page, AllOf(HasSubstr("spark3 is silent."),
                          HasSubstr("Cable (proven): spark1 cage 0, spark2 cage 1."),
                          HasSubstr("class=\"cable good\""), HasSubstr("class=\"cable open\""),
                          Not(HasSubstr("class=\"cable bad\""))));
  EXPECT_THAT(page_of_cluster(known_switch(), "switch"),
              AllOf(HasSubstr("Switch leaf: spark1 cage 0 (proven), "), HasSubstr("switch leaf")));
  EXPECT_THAT(page_of_cluster(known_switch(17), "switch"), Not(HasSubstr("class=\"map\"")))
      << "nobody takes in so many";
}

TEST(PageOfACluster, HasASectionForEachOtherNodeWithWhatItTold) {
  auto ring = known_ring();
  auto& spark2 = ring.details_of("spark2");
  spark2.kernel = "6.14.0-1013-nvidia";
  spark2.firmware = "28.45.4028";
  spark2.rails.at(1).fault = "port of enP2p1s0f1np1: no RDMA device";
  ring.goes_silent("spark3");
  auto page = page_of_cluster(ring, "unproven");
  const auto of = [&](const std::string& node) {
    const auto begin = page.find("<summary><strong>" + node + "</strong>");
    return begin == std::string::npos ? ""
                                      : page.substr(begin, page.find("</details>", begin) - begin);
  };
  EXPECT_THAT(of("spark2"),
              AllOf(HasSubstr("ready, 2 of 4 rails proven"), HasSubstr("6.14.0-1013-nvidia"),
                    HasSubstr("28.45.4028"), HasSubstr("no RDMA device")));
  EXPECT_THAT(of("spark3"), HasSubstr("silent; what it told is 46 s old"));
  EXPECT_EQ(of("spark1"), "") << "its own sections stand below";
  auto& told = *std::ranges::find_if(
      ring.known.told.peers, [](const auto& each) { return each.details.node == "spark2"; });
  told.failed = "spark2: nobody answers on port 9843";
  told.told_ms -= 3'600'000;
  page = page_of_cluster(ring, "unproven");
  EXPECT_THAT(of("spark2"), HasSubstr("what it told is 1 h old: spark2: nobody answers on port"));
}

protocol::VerdictSince stood(const char* verdict, std::chrono::hours age) {
  return {.verdict = verdict, .since = utc_text(daemon::ago(age).wall)};
}

/// The card alone.
std::string last_day_of(const test::KnownCluster& cluster) {
  const auto page = html_of_cluster(cluster);
  const auto begin = page.find("<h2>The last day</h2>");
  return begin == std::string::npos ? ""
                                    : page.substr(begin, page.find("</section>", begin) - begin);
}

TEST(PageOfACluster, HasAStripOfTheLastDayForEachNodeThatTellsIt) {
  using std::chrono::hours;
  auto ring = known_ring();
  ring.details_of("spark2").verdicts = {stood("ready", hours(6)), stood("not ready", hours(12)),
                                        stood("asleep", hours(18))};
  const auto day = last_day_of(ring);
  EXPECT_EQ(count_in(day, "<svg class=\"strip\""), 2U) << "spark3 tells none";
  EXPECT_EQ(count_in(day, "class=\"hours\""), 1U);
  EXPECT_THAT(day, AllOf(HasSubstr("<span>spark1</span>"),
                         HasSubstr("<span>spark2</span> ready for 6 h, unknown for 6 h, not ready "
                                   "for 6 h; 2 changes; before that is not told."),
                         HasSubstr(R"(class="bad" x="50.00%" y="0" width="25.00%")")));
  EXPECT_EQ(count_in(page_of_cluster(ring, "ring"), "The last day"), 1U);
}

TEST(PageOfACluster, TheDayOfASilentNodeIsUnknownSinceItFellSilent) {
  using std::chrono::hours;
  auto ring = known_ring();
  ring.goes_silent("spark3");
  ring.details_of("spark3").verdicts = {stood("ready", hours(30))};
  EXPECT_THAT(last_day_of(ring),
              HasSubstr("<span>spark3</span> ready for 23 h 59 min, unknown for 43 s; 1 change."));
}

TEST(PageOfACluster, TheDayOfANodeThatNobodyHearsEndsWithWhatItTold) {
  using std::chrono::hours;
  auto ring = known_ring();
  ring.details_of("spark3").verdicts = {stood("ready", hours(30))};
  auto& told = *std::ranges::find_if(
      ring.known.told.peers, [](const auto& each) { return each.details.node == "spark3"; });
  told.told_ms -= 3'600'000;
  std::erase_if(ring.known.told.heard,
                [](const auto& heard) { return heard.hello.node == "spark3"; });
  for (auto& peer : ring.known.told.peers) peer.details.heard.clear();
  EXPECT_THAT(last_day_of(ring),
              HasSubstr("<span>spark3</span> ready for 22 h 59 min, unknown for 1 h; 1 change."));
}

TEST(PageOfACluster, AHelloThatIsNewerThanWhatANodeToldIsInItsDay) {
  using std::chrono::hours;
  auto ring = known_ring();
  ring.details_of("spark2").verdicts = {stood("ready", hours(30))};
  for (auto& heard : ring.known.told.heard) {
    if (heard.hello.node == "spark2") heard.hello.verdict = "not ready";
  }
  EXPECT_THAT(last_day_of(ring), AllOf(HasSubstr("<span>spark2</span> ready for 23 h"),
                                       HasSubstr("not ready for "), HasSubstr("; 1 change.")));
}

TEST(PageOfACluster, AClockThatIsWrongAndATimeThatIsNoneDoNoHarm) {
  using std::chrono::hours;
  auto ring = known_ring();
  ring.details_of("spark2").verdicts = {stood("ready", hours(-5)), stood("not ready", hours(2)),
                                        stood("ready", hours(-9)), stood("ready", hours(30))};
  ring.details_of("spark3").verdicts = {{.verdict = "ready", .since = "yesterday"}};
  EXPECT_THAT(last_day_of(ring),
              AllOf(HasSubstr("<span>spark2</span> ready for 22 h, not ready for 2 h; 3 changes."),
                    Not(HasSubstr("spark3"))));
}

TEST(PageOfACluster, OfManyNodesTheLastDayIsThatOfTheFirst) {
  auto rack = known_switch(40);
  for (const auto& node : rack.known.shape.nodes) {
    rack.details_of(node).verdicts = {stood("ready", std::chrono::hours(30))};
  }
  const auto day = last_day_of(rack);
  EXPECT_EQ(count_in(day, "<svg class=\"strip\""), 32U);
  EXPECT_THAT(day, HasSubstr("8 more are not shown"));
}

TEST(PageOfACluster, OfManyNodesShowsTheWaysOfThoseInTrouble) {
  auto rack = known_switch(12);
  EXPECT_THAT(html_of_cluster(rack),
              AllOf(HasSubstr("66 pairs of nodes not shown: 66 proven over every rail"),
                    Not(HasSubstr("<table class=\"matrix\">"))));
  rack.has_a_small_mtu("spark2");
  EXPECT_THAT(html_of_cluster(rack),
              AllOf(HasSubstr("38 pairs of nodes not shown: 34 proven over every rail, 4 not"),
                    HasSubstr("<th scope=\"row\">spark2</th>")));
}

TEST(PageOfACluster, HasOneFirstHeadingAndAScopeOnEachOther) {
  for (const auto& page :
       {page_of_cluster(known_switch(), "switch"), page_of_cluster(known_ring(), "contested"),
        page_html(test_states().at("ring"), test_now())}) {
    EXPECT_EQ(count_in(page, "<h1>"), 1U);
    EXPECT_EQ(count_in(page, "<th "), count_in(page, "<th scope="));
    EXPECT_EQ(count_in(page, "<th>"), 0U);
    EXPECT_EQ(count_in(page, "<main>"), 1U);
  }
}

TEST(PageOfACluster, EscapesWhatPeersTell) {
  auto ring = known_ring();
  ring.says_not_ready(
      "spark2",
      {{.id = "SR-GATE-002", .name = "<script>alert(1)</script>", .link = "<b>", .measured = "x"}});
  ring.details_of("spark3").version = "<i>";
  const auto page = page_of_cluster(ring, "ring");
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("<i>")), Not(HasSubstr("<b>")),
                          HasSubstr("&lt;script&gt;")));
}

// --- what spark-web makes the view of

node_state::NodeState state_of_ring(const test::KnownCluster& ring) {
  auto state = test_states().at("ring");
  state.shape = ring.known.shape;
  state.file.digest = ring.known.own.file.digest;
  return state;
}

TEST(ViewOfThePage, IsOfWhatTheDaemonAndThePeersWrote) {
  const auto ring = known_ring();
  const auto shown = view_of(state_of_ring(ring), ring.known.told, test_now());
  ASSERT_TRUE(shown);
  const auto& view = shown->view;
  EXPECT_EQ(shown->told.size(), 2U);
  EXPECT_EQ(view.cluster, "lab");
  EXPECT_EQ(view.shape, "ring of 3");
  EXPECT_EQ(view.ready, 3);
  EXPECT_EQ(view.nodes.front().name, "spark1");
  EXPECT_EQ(view.nodes.front().version, "0.2.0");
  EXPECT_EQ(view.file.name, "cluster.yaml");
  EXPECT_EQ(view.nodes.at(1).has_our_file, true);
  EXPECT_TRUE(view.roots.empty());
}

TEST(ViewOfThePage, TakesTheFactsOfItsOwnGate) {
  const auto ring = known_ring();
  auto state = test_states().at("miswired");
  state.shape = ring.known.shape;
  const auto shown = view_of(state, ring.known.told, test_now());
  ASSERT_TRUE(shown);
  const auto& view = shown->view;
  EXPECT_EQ(shown->told.size(), 2U);
  EXPECT_EQ(view.ready, 2);
  ASSERT_FALSE(view.roots.empty());
  EXPECT_EQ(view.roots.front().problem.found.id, "SR-GATE-016");
}

TEST(ViewOfThePage, KnowsTheFileThatWaitsHereAndTheOrder) {
  const auto ring = known_ring_that_rolls();
  auto state = state_of_ring(ring);
  state.rollout = node_state::RolloutHeld{.digest = test::kNewDigest,
                                          .since = daemon::ago(std::chrono::minutes(4)),
                                          .waits = {{.node = "spark3", .why = "tries it"}},
                                          .skipped = {}};
  state.rollout_groups = {{"spark3"}, {"spark1", "spark2"}};
  const auto shown = view_of(state, ring.known.told, test_now());
  ASSERT_TRUE(shown);
  EXPECT_EQ(cluster::rolling_text(shown->view), cluster::rolling_text(ring.view()));
}

TEST(ViewOfThePage, KnowsTheOrderWhereThisNodeHasTheFileAlready) {
  const auto ring = known_ring_that_rolled_here();
  auto state = state_of_ring(ring);
  state.rollout_groups = {{"spark1"}, {"spark3"}, {"spark2"}};
  const auto shown = view_of(state, ring.known.told, test_now());
  ASSERT_TRUE(shown);
  EXPECT_THAT(cluster::rolling_text(shown->view), HasSubstr("spark2 waits for spark3"));
  state.shape.away = {"spark3"};
  EXPECT_THAT(cluster::rolling_text(view_of(state, ring.known.told, test_now())->view),
              HasSubstr("spark3 (away) is silent; spark2 takes it later"));
}

TEST(ViewOfThePage, IsNoneWhereNothingWasToldOfOthers) {
  const auto ring = known_ring();
  const auto state = state_of_ring(ring);
  auto told = ring.known.told;
  told.is_enabled = false;
  EXPECT_FALSE(view_of(state, told, test_now())) << "ready.peers is off, or it is released";
  told = ring.known.told;
  told.expected.clear();
  EXPECT_FALSE(view_of(state, told, test_now())) << "a node alone";
  told = ring.known.told;
  told.own.node = "spark9";
  EXPECT_FALSE(view_of(state, told, test_now())) << "of the file before";
  EXPECT_FALSE(view_of(test_states().at("nothing"), ring.known.told, test_now()));
}

TEST(SiteOfACluster, ReloadsThePageButForThatWhichStays) {
  const auto ring = known_ring();
  const auto shown = shown_cluster(ring);
  const auto reload = std::pair<std::string, std::string>("Refresh", "30");
  const auto& state = test_states().at("ring");
  const auto often = site("/", state, test_now(), &shown);
  EXPECT_THAT(often.headers, testing::Contains(reload));
  EXPECT_THAT(often.body, HasSubstr("<a href=\"/still\">"));
  const auto still = site("/still", state, test_now(), &shown);
  EXPECT_EQ(still.status, 200);
  EXPECT_THAT(still.headers, Not(testing::Contains(reload)));
  EXPECT_THAT(still.body, AllOf(HasSubstr("3 of 3 ready"), HasSubstr("<a href=\"/\">")));
  EXPECT_EQ(site_without_state("/still", "why").status, 503);
}

}  // namespace
}  // namespace spark::helpers
