#include "helpers/web/page.hpp"

#include <initializer_list>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/html.hpp"
#include "helpers/web/routes.hpp"
#include "node_state/problems.hpp"
#include "unit/daemon/states.hpp"

namespace spark::helpers {
namespace {

using daemon::test_now;
using daemon::test_states;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string page_of(const std::string& name) {
  return page_html(test_states().at(name), test_now());
}

/// What is to be seen before anybody opens a folded section.
std::string unfolded(std::string page) {
  for (auto begin = page.find("<details"); begin != std::string::npos;
       begin = page.find("<details", begin)) {
    const std::string_view end = "</details>";
    page.erase(begin, page.find(end, begin) + end.size() - begin);
  }
  return page;
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Page, BeginsWithTheNodeInOneSentence) {
  EXPECT_THAT(
      page_of("ring"),
      AllOf(HasSubstr("<title>spark1: ready</title>"),
            HasSubstr("<h2>spark1 is ready: 2 cables proven, 4 rails carry RDMA. Nothing differs."
                      "</h2>")));
  EXPECT_THAT(page_of("contested"),
              AllOf(HasSubstr("<title>spark1: not ready</title>"),
                    HasSubstr("<h2>spark1 is not ready: mtu of enp1s0f0np0: 1500, the file says "
                              "9000.</h2>")));
}

TEST(Page, D9OneFaultStandsInOnePlace) {
  for (const auto& [name, measured] : std::initializer_list<std::pair<std::string, std::string>>{
           {"contested", "1500, the file says 9000"},
           {"contested", "31.5 Gb/s, the floor is 64"},
           {"contested", "Operation not permitted"},
           {"contested", "plug the cable, or look at the other end"},
           {"miswired", "swap the plugs in spark1:0 and spark1:1"},
           {"refused", "unknown key &#39;fabrik&#39;"},
           {"unproven", "spark3 does not answer"},
           {"paused", "No buffer space available"}}) {
    EXPECT_EQ(count_of(unfolded(page_of(name)), measured), 1U) << name << ": " << measured;
  }
}

TEST(Page, HasEachRootWithItsRemedy) {
  for (const auto& [name, state] : test_states()) {
    const auto page = unfolded(page_html(state, test_now()));
    for (const auto& root : node_state::diagnosis_of(state, test_now()).roots) {
      const auto& found = root.problem.found;
      const auto remedy = written(text_of(root.problem.remedy));
      EXPECT_THAT(page, AllOf(HasSubstr(prose(found.measured)), HasSubstr(html(found.id)),
                              HasSubstr(remedy.empty() ? "" : "→ " + prose(remedy))))
          << name << ": " << found.text();
    }
  }
}

TEST(Page, D9AHealthyNodeShowsNoEmptySections) {
  EXPECT_THAT(unfolded(page_of("ring")),
              AllOf(Not(HasSubstr("Needs attention")), Not(HasSubstr("SR-GATE-"))));
}

TEST(Page, ShowsDriftWithItsWriter) {
  EXPECT_THAT(unfolded(page_of("contested")),
              AllOf(HasSubstr("/etc/netplan/40-cx7.yaml:5, active on enp1s0f0np0"),
                    HasSubstr("<code>exclusive: true</code> in the file keeps"),
                    HasSubstr("cluster.yaml:17:8")));
}

TEST(Page, HasTheRailsThatJobsUse) {
  EXPECT_THAT(page_of("ring"), AllOf(HasSubstr("1 job uses RDMA, as seen 8 s ago"),
                                     HasSubstr("94.1 Gb/s"), HasSubstr("126.0 Gb/s")));
  EXPECT_THAT(page_of("ring"), Not(HasSubstr("SR-JOB-001")));
  EXPECT_THAT(page_of("contested"), HasSubstr("SR-JOB-001"));
  EXPECT_THAT(page_of("ready"), Not(HasSubstr("<h2>Jobs</h2>")));
}

TEST(Page, HasTheRoutesOfTheFile) {
  EXPECT_THAT(page_of("contested"), AllOf(HasSubstr("1 of 2 in sync"), HasSubstr("not enforced"),
                                          HasSubstr("10.78.0.0/16 via 192.0.2.44")));
  EXPECT_THAT(page_of("ring"), Not(HasSubstr("<h2>Routes</h2>")));
}

TEST(Page, DrawsWhoIsAtTheOtherEndBySignAndInWords) {
  const auto proven = page_of("ring");
  EXPECT_THAT(proven, HasSubstr(R"(class="good middle">✓ proven</text>)"));
  EXPECT_THAT(proven, HasSubstr("Cable to spark2: proven, spark2:0 answered.\""));
  EXPECT_THAT(proven, HasSubstr(R"(<span class="bad">✗ wrong</span>)")) << "the legend";
  const auto wrong = page_of("miswired");
  EXPECT_THAT(wrong, HasSubstr(R"(class="bad middle">✗ spark3:0</text>)"));
  EXPECT_THAT(wrong, HasSubstr(R"(class="cable bad")"));
  EXPECT_THAT(wrong, HasSubstr("Cable to spark2: wrong, spark3:0 instead.\""));
  EXPECT_THAT(wrong, Not(HasSubstr("✓ proven</text>")));
  EXPECT_THAT(wrong, HasSubstr("swap the plugs in spark1:0 and spark1:1"));
  auto state = test_states().at("ring");
  for (auto& link : state.links) {
    if (link.cabling) link.cabling = gate::Cabling{};
  }
  const auto open = page_html(state, test_now());
  EXPECT_THAT(open, HasSubstr(R"(class="warn middle">? not proven</text>)"));
  EXPECT_THAT(open, Not(HasSubstr(R"(class="cable good")"))) << "green only once proven";
}

TEST(Page, DrawsEveryCageAndSaysItInWords) {
  EXPECT_THAT(page_of("contested"),
              HasSubstr(R"(aria-label="Cage 1: enp1s0f1np1 up, carrier; enP2p1s0f1np1 up, no )"
                        R"(carrier. Cable to spark3: not proven.")"));
  EXPECT_THAT(page_of("switch"),
              HasSubstr("Switch leaf to spark2, spark3, spark4, spark5, spark6, spark7, spark8: "
                        "proven, spark2:0 answered."));
  EXPECT_THAT(page_of("ready"), HasSubstr("No cable in the file."));
  EXPECT_THAT(page_of("waiting"), HasSubstr("enp1s0f0np0 absent; enP2p1s0f0np0 absent"));
}

TEST(Page, ShowsBothTheFileInForceAndTheFindingsOfTheRefusedOne) {
  EXPECT_THAT(page_of("refused"), AllOf(HasSubstr("the file is refused: "),
                                        HasSubstr("the last good one stays in force"),
                                        HasSubstr("[SR-SPEC-031]"), HasSubstr("3b5518c1a27d4e0f")));
}

TEST(Page, SaysWhoPausedItAndForHowLong) {
  EXPECT_THAT(page_of("paused"),
              AllOf(HasSubstr("swapping the cable of cage 1"), HasSubstr("Asked for by ada."),
                    HasSubstr("until 2031-04-05 06:28:08 UTC")));
}

TEST(Page, SaysWhatIsMutedForHowLongAndWhy) {
  EXPECT_THAT(page_of("paused"),
              AllOf(HasSubstr("<h2>Muted</h2>"), HasSubstr("SparkNodeNotReady"),
                    HasSubstr("for 1 h 51 min more, until 2031-04-05 07:58:08 UTC by ada"),
                    HasSubstr("new cable in rack 3"), HasSubstr("1 raised.")));
}

TEST(Page, OfANodeOfWhichNothingIsKnownSaysSo) {
  EXPECT_THAT(page_of("nothing"),
              AllOf(HasSubstr("<title>spark-reconcile: unknown</title>"),
                    HasSubstr("<h2>No cluster file has been in force yet.</h2>"),
                    HasSubstr("No link is known yet.")));
}

TEST(Page, EscapesWhateverComesFromOutside) {
  const auto page = page_of("hostile");
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("\"'>")), Not(HasSubstr("\x1b")),
                          Not(HasSubstr("\xff")), HasSubstr("&lt;script&gt;")));
}

TEST(Page, HasNoStyleOfItsOwnSinceThePolicyForbidsIt) {
  for (const auto& [name, state] : test_states()) {
    EXPECT_THAT(page_html(state, test_now()),
                AllOf(Not(HasSubstr("style=")), Not(HasSubstr("<style"))))
        << name;
  }
}

TEST(Site, AnswersTheseAndNothingElse) {
  const auto& state = test_states().at("ready");
  for (const auto* path :
       {"/", "/still", "/style.css", "/status.json", "/metrics", "/healthz", "/readyz"}) {
    EXPECT_EQ(site(path, state, test_now()).status, 200) << path;
  }
  for (const auto* path : {"", "//", "/metrics/", "/../etc/passwd", "/favicon.ico"}) {
    EXPECT_EQ(site(path, state, test_now()).status, 404) << path;
  }
}

TEST(Site, ShowsNothingOfANodeOfWhichNothingIsKnown) {
  const auto* why = "the daemon does not run: <no> drift is corrected";
  for (const auto* path : {"/", "/still", "/status.json", "/metrics", "/healthz", "/readyz"}) {
    const auto answer = site_without_state(path, why);
    EXPECT_EQ(answer.status, 503) << path;
    EXPECT_THAT(answer.body, HasSubstr("the daemon does not run")) << path;
  }
  EXPECT_EQ(site_without_state("/style.css", why).status, 200);
  EXPECT_EQ(site_without_state("/favicon.ico", why).status, 404);
  EXPECT_THAT(site_without_state("/", why).body,
              AllOf(HasSubstr("&lt;no&gt;"), HasSubstr("spark-reconcile: unknown"),
                    HasSubstr("systemctl status spark-reconcile")));
}

TEST(Site, IsNotReadyUntilTheNodeIs) {
  const auto answer = site("/readyz", test_states().at("waiting"), test_now());
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body, "waiting: link of enp1s0f0np0: no such device [SR-GATE-001]\n");
  EXPECT_EQ(site("/healthz", test_states().at("waiting"), test_now()).status, 200);
}

}  // namespace
}  // namespace spark::helpers
