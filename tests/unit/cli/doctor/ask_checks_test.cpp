#include "cli/doctor/ask_checks.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "cli/doctor/doctor.hpp"
#include "unit/cli/doctor/asked.hpp"

namespace spark::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::Optional;
using ::testing::SizeIs;

Findings answers_one(const Command& /*command*/) { return {{"one", Severity::kGood, "", ""}}; }
Findings answers_none(const Command& /*command*/) { return {}; }

/// Each of the two waits until the other has begun.
std::atomic<int> begun = 0;
Findings meets(const Command& /*command*/) {
  ++begun;
  begun.notify_all();
  for (auto now = begun.load(); now < 2; now = begun.load()) begun.wait(now);
  return {{"meets", Severity::kGood, "", ""}};
}

/// Hangs until the test is over.
std::promise<void> over;
std::atomic<bool> has_ended = false;
Findings hangs(const Command& /*command*/) {
  over.get_future().wait();
  has_ended = true;
  return {};
}

CheckRow row_in(Lane lane, Check check) {
  return {"row", Section::kProgram, lane, SeenBy::kAll, check};
}

class AskChecks : public ::testing::Test {
 protected:
  std::vector<std::optional<Findings>> answers(const std::vector<CheckRow>& rows,
                                               std::chrono::milliseconds time) {
    return ask_checks(rows, command_, time);
  }

 private:
  TextFile out_;
  Arguments arguments_;
  Terminal terminal_{out_.stream(), out_.stream(), Color::kNever, false};
  Log log_{out_.stream(), {}};
  test::FakeHost machine_;
  host::Host host_ = machine_.host();
  Command command_{arguments_, terminal_, log_, host_};
};

TEST_F(AskChecks, AnswersInTheOrderOfTheRows) {
  EXPECT_THAT(answers({row_in(Lane::kHelpers, answers_none), row_in(Lane::kFiles, answers_one),
                       row_in(Lane::kKernel, answers_none), row_in(Lane::kFiles, answers_none)},
                      10s),
              ElementsAre(Optional(SizeIs(0)), Optional(SizeIs(1)), Optional(SizeIs(0)),
                          Optional(SizeIs(0))));
}

TEST_F(AskChecks, AsksSeveralLanesAtTheSameTime) {
  EXPECT_THAT(answers({row_in(Lane::kFiles, meets), row_in(Lane::kKernel, meets)}, 60s),
              ElementsAre(Optional(SizeIs(1)), Optional(SizeIs(1))));
}

TEST_F(AskChecks, OneThatHangsHoldsUpItsOwnLaneAlone) {
  const auto found =
      answers({row_in(Lane::kKernel, answers_one), row_in(Lane::kKernel, hangs),
               row_in(Lane::kKernel, answers_one), row_in(Lane::kFiles, answers_one)},
              200ms);
  EXPECT_THAT(found, ElementsAre(Optional(SizeIs(1)), Eq(std::nullopt), Eq(std::nullopt),
                                 Optional(SizeIs(1))));
  over.set_value();  // else its thread would outlive this program's own data
  for (int i = 0; i < 1000 && !has_ended; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(has_ended);
  std::this_thread::sleep_for(50ms);
}

}  // namespace
}  // namespace spark::cli
