// What a terminal of 80 columns shows of plan, status, gate and apply, before and after the apply,
// on machines of plan/: screens/CASE/80.txt. Of two machines also one of 60 and of 120 columns; the
// others have to fit there. SPARK_UPDATE_GOLDEN=1 rewrites them.

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/columns.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/input/verb.hpp"
#include "golden/golden_files.hpp"
#include "golden/world.hpp"
#include "protocol/paths.hpp"
#include "unit/cli/text_file.hpp"

namespace spark::test {
namespace {

namespace fs = std::filesystem;

constexpr std::array kCases{
    "a_cage_without_its_card", "everything_a_file_can_ask_for",  "ring_from_the_box",
    "ring_with_drift",         "the_cable_is_in_the_other_cage", "the_management_link_down"};
constexpr std::array<std::size_t, 3> kWidths{60, 80, 120};

bool is_recorded_screen(std::string_view machine, std::size_t width) {
  return width == 80 || machine == "everything_a_file_can_ask_for" || machine == "ring_with_drift";
}

/// A command to copy is on a line of its own, and so is a word that is wider than the terminal.
bool may_be_wider(std::string_view line) {
  const auto begin = std::min(line.find_first_not_of(' '), line.size());
  const bool is_command = line.find("  spark-reconcile ") != std::string_view::npos ||
                          line.find(":  systemctl ") != std::string_view::npos;
  return is_command || line.substr(begin).find(' ') == std::string_view::npos;
}

class Screens : public testing::TestWithParam<std::tuple<const char*, std::size_t>> {
 protected:
  Screens() {
    const auto folder = golden_folder() / "plan" / std::get<0>(GetParam());
    build_world(host_, read_golden(folder / "world.yaml"));
    host_.files().put(protocol::kDefaultFile, read_golden(folder / "cluster.yaml"));
  }

  std::string shown(const std::string& name, cli::Color color = cli::Color::kNever) {
    const cli::TextFile text;
    const cli::Terminal terminal(text.stream(), text.stream(), color, false, width_);
    const cli::Log log(stderr, {});
    auto ports = host_.host();
    const cli::Arguments arguments{.verb = cli::verb_named(name)};
    const auto code = arguments.verb->run({arguments, terminal, log, ports});
    EXPECT_TRUE(terminal.finish());
    const auto screen = std::regex_replace(text.text(), std::regex("\r[^\r\n]*\r"), "");
    last_ = "$ spark-reconcile " + name + "\n" + screen;
    if (color == cli::Color::kNever) expect_fits(screen);
    return "$ spark-reconcile " + name + "\n" + settled(screen) + "[exit code " +
           std::to_string(static_cast<int>(code)) + "]\n\n";
  }

  const std::size_t width_ = std::get<1>(GetParam());
  FakeHost host_;
  std::string last_;  ///< the last screen as it was, with its times

 private:
  void expect_fits(const std::string& screen) const {
    for (const auto line : lines_of(screen)) {
      EXPECT_TRUE(columns(line) <= width_ || may_be_wider(line)) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }

  /// Without times. A longer time breaks its lines elsewhere: these are joined.
  static std::string settled(const std::string& screen) {
    const auto timeless =
        std::regex_replace(screen, std::regex(R"(\s+[0-9]+\.[0-9]+\s+ms)"), " N ms");
    const auto joined =
        std::regex_replace(timeless, std::regex(R"(\s+(read )?in N ms)"), " $1in N ms");
    return std::regex_replace(joined, std::regex(R"((N ms;[^\n]*)\n(?![^\n]*:  spark))"), "$1 ");
  }
};

TEST_P(Screens, ReadAsRecordedAndFit) {
  std::string session;
  for (int i = 0; i < 2; ++i) {
    session += shown("plan");
    session += shown("status");
    session += shown("gate");
    session += shown("apply");
  }
  if (!is_recorded_screen(std::get<0>(GetParam()), width_)) return;
  const auto file =
      golden_folder() / "screens" / std::get<0>(GetParam()) / (std::to_string(width_) + ".txt");
  if (std::getenv("SPARK_UPDATE_GOLDEN") != nullptr) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << session;
  }
  EXPECT_EQ(session, read_golden(file));
}

/// SPARK_SCREENS_FOLDER: a folder to which each coloured screen is written as CASE-VERB-WIDTH.txt,
/// for the pictures of the documentation.
TEST_P(Screens, SayTheSameInColour) {
  const auto* folder = std::getenv("SPARK_SCREENS_FOLDER");
  for (const auto* name : {"plan", "status", "gate"}) {
    const auto coloured = shown(name, cli::Color::kAlways);
    const auto picture = last_;
    EXPECT_NE(coloured.find('\x1b'), std::string::npos) << name;
    EXPECT_EQ(std::regex_replace(coloured, std::regex("\x1b\\[[0-9;]*m"), ""), shown(name)) << name;
    if (folder != nullptr) {
      std::ofstream(fs::path(folder) /
                    fmt::format("{}-{}-{}.txt", std::get<0>(GetParam()), name, width_))
          << picture;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Screens,
                         testing::Combine(testing::ValuesIn(kCases), testing::ValuesIn(kWidths)),
                         [](const auto& param) {
                           return std::string(std::get<0>(param.param)) + "_" +
                                  std::to_string(std::get<1>(param.param));
                         });

}  // namespace
}  // namespace spark::test
