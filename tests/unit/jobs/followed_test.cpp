#include "jobs/followed.hpp"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_document.hpp"
#include "jobs/recorded.hpp"
#include "protocol/records.hpp"

namespace spark::jobs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

TEST(Followed, IsToldWithoutWhatIsOfThisNodeAlone) {
  Followed followed{.at = {.wall = Time(std::chrono::seconds(1000))}, .running = 2};
  followed.rails.push_back({.link = "enp1s0f0np0",
                            .device = "rocep1s0f0",
                            .rail = config::Rail{0, 1},
                            .has_carrier = true,
                            .limit = 117'000'000'000,
                            .counts_rdma = true,
                            .carried = BitRate{.received = 1, .sent = 2},
                            .sent_again = 0.5,
                            .unknown = "why"});
  followed.rails.push_back({.link = "eth9"});
  followed.findings.push_back({.id = "SR-JOB-001", .what = "vllm"});
  const auto text = rails_text(followed);
  EXPECT_THAT(text, Not(HasSubstr("vllm")));
  const auto told = document_from_text<protocol::RailsTold>(protocol::kRailsSchema, text);
  ASSERT_TRUE(told) << told.error().what;
  EXPECT_EQ(*told, (protocol::RailsTold{.looked = Time(std::chrono::seconds(1000)),
                                        .running = 2,
                                        .rails = {{.link = "enp1s0f0np0",
                                                   .cage = 0,
                                                   .rail = 1,
                                                   .has_carrier = true,
                                                   .limit = 117'000'000'000,
                                                   .counts_rdma = true,
                                                   .received = 1,
                                                   .sent = 2,
                                                   .sent_again = 0.5},
                                                  {.link = "eth9"}}}));
}

TEST(Followed, OfMoreLinksThanANodeHasIsTheFirst) {
  Followed followed;
  followed.rails.resize(100, {.link = std::string(15, 'x')});
  const auto text = rails_text(followed);
  EXPECT_LT(text.size(), protocol::kMostRailsBytes);
  EXPECT_THAT(document_from_text<protocol::RailsTold>(protocol::kRailsSchema, text).value().rails,
              SizeIs(protocol::kMostRailsTold));
}

}  // namespace
}  // namespace spark::jobs
