#include "cli/text/apply_text.hpp"

#include <cstddef>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/input/verb.hpp"
#include "fake/fake_pass.hpp"
#include "protocol/paths.hpp"
#include "unit/cli/text_file.hpp"

namespace spark::cli {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

/// The NVMe target of the file gives no answer, and systemd waits for it.
class ApplyWaits : public test::PassTest {
 protected:
  ApplyWaits() {
    host_.files().put(protocol::kDefaultFile, text_);
    host_.bus().on_start("spark-nvme@", [this](const std::string& /*unit*/) -> Result<> {
      meanwhile_ = out_.text();
      return fail(ErrorCode::kTimeout, "no answer");
    });
  }

  ExitCode apply_on(std::optional<std::size_t> width) {
    const Terminal terminal(out_.stream(), out_.stream(), Color::kNever, false, width);
    const Log log(out_.stream(), {});
    const Arguments arguments{.verb = verb_named("apply")};
    return arguments.verb->run({arguments, terminal, log, ports_});
  }

  TextFile out_;
  std::string meanwhile_;  ///< what is shown while the target is waited for
};

TEST_F(ApplyWaits, AndATerminalShowsForWhat) {
  EXPECT_NE(apply_on(80), ExitCode::kRolledBack) << out_.text();
  EXPECT_THAT(meanwhile_, HasSubstr(" of "));
  const auto last = meanwhile_.substr(meanwhile_.rfind(" of "));
  EXPECT_THAT(last, AllOf(HasSubstr(": nvme nqn.2014-08.org.example:data 198.51.100.12 4420 …"),
                          EndsWith("\r")));
}

TEST_F(ApplyWaits, AndAPipeHasNoLineOfItYet) {
  EXPECT_NE(apply_on(std::nullopt), ExitCode::kRolledBack) << out_.text();
  EXPECT_THAT(meanwhile_, Not(HasSubstr("nvme nqn.2014-08.org.example:data 198.51.100.12 4420")));
  EXPECT_THAT(out_.text(), HasSubstr("… nvme nqn.2014-08.org.example:data 198.51.100.12 4420"));
}

}  // namespace
}  // namespace spark::cli
