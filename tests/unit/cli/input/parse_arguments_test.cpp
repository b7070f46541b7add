#include "cli/input/parse_arguments.hpp"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/columns.hpp"
#include "base/text.hpp"
#include "cli/input/verb.hpp"

namespace spark::cli {
namespace {

using ::testing::HasSubstr;

/// What is said about a command line that is wrong; empty: nothing.
std::string error_of(std::vector<const char*> words) {
  words.insert(words.begin(), "spark-reconcile");
  const auto parsed = parse_arguments(static_cast<int>(words.size()), words.data());
  const auto* const answer = std::get_if<Answer>(&parsed);
  return answer == nullptr ? std::string() : answer->error;
}

/// What `spark-reconcile WORDS...` prints as help.
std::string help_of(std::vector<const char*> words) {
  words.insert(words.begin(), "spark-reconcile");
  const auto parsed = parse_arguments(static_cast<int>(words.size()), words.data());
  const auto* const answer = std::get_if<Answer>(&parsed);
  return answer == nullptr ? std::string() : answer->help;
}

TEST(Help, FitsATerminalOf80Columns) {
  std::vector<std::string> helps{help_of({}), help_of({"--help"}), help_of({"help"}),
                                 help_of({"help", "--all"})};
  for (const auto* verb : verbs()) {
    helps.push_back(help_of({std::string(verb->name).c_str(), "--help"}));
    EXPECT_EQ(helps.back(), help_of({"help", std::string(verb->name).c_str()})) << verb->name;
  }
  for (const auto& help : helps) {
    EXPECT_NE(help, "");
    for (const auto line : lines_of(help)) EXPECT_LE(columns(line), 80U) << line;
  }
}

TEST(Help, IsOfAFirstWeekUntilAllIsAskedFor) {
  const auto first = help_of({"help"});
  EXPECT_EQ(first, help_of({"--help"}));
  EXPECT_EQ(first, help_of({}));
  EXPECT_EQ(std::ranges::count_if(verbs(),
                                  [&](const auto* verb) {
                                    return first.contains(fmt::format("\n  {} ", verb->name));
                                  }),
            8);
  const auto all = help_of({"help", "--all"});
  for (const auto* verb : verbs()) EXPECT_THAT(all, HasSubstr(fmt::format("\n  {}", verb->name)));
  EXPECT_THAT(first, HasSubstr("help --all"));
}

TEST(ParseArguments, NameTheOptionForTheFile) {
  EXPECT_EQ(error_of({"plan", "cluster.yaml"}),
            "plan does not take 'cluster.yaml': the cluster's file is named by -f: "
            "`spark-reconcile plan -f cluster.yaml`");
  EXPECT_EQ(error_of({"plan", "-f", "cluster.yaml"}), "");
}

TEST(ParseArguments, NameTheBlanksAroundAnEqualsSign) {
  EXPECT_EQ(error_of({"export", "--format", "=", "json"}),
            "a blank too many after --format: `spark-reconcile export --format=json`");
  EXPECT_EQ(error_of({"plan", "--out", "=", "x.plan"}),
            "a blank too many after --out: `spark-reconcile plan --out=x.plan`");
  EXPECT_EQ(error_of({"export", "--format=json"}), "");
}

TEST(ParseArguments, HoldTheOptionsOfValidateTogether) {
  EXPECT_EQ(error_of({"validate", "--against", "old.yaml", "--detailed-exitcode"}), "");
  EXPECT_EQ(error_of({"validate", "--against", "old.yaml", "-n", "spark1"}), "");
  EXPECT_EQ(
      error_of({"validate", "--detailed-exitcode"}),
      "--detailed-exitcode of validate says whether two files differ: `spark-reconcile validate "
      "--against old.yaml --detailed-exitcode`");
  EXPECT_EQ(error_of({"validate", "--all-nodes", "-n", "spark1"}),
            "--all-nodes is of every node: leave out -n");
  EXPECT_EQ(error_of({"validate", "-f", "-", "--against", "-"}),
            "-f and --against cannot both be stdin: name a file for one of them");
}

TEST(ParseArguments, TakeOneFormatOfAReport) {
  for (const char* verb : {"validate", "plan"}) {
    EXPECT_EQ(error_of({verb, "--format", "json", "--json"}), "");
    EXPECT_EQ(error_of({verb, "--format", "github"}), "");
    EXPECT_EQ(error_of({verb, "--format", "github", "--json"}),
              "--json is --format json: leave out one of the two");
    EXPECT_EQ(error_of({verb, "--format", "env"}),
              std::string("--format takes text, json or github, not 'env': `spark-reconcile ") +
                  verb + " --format text`");
  }
}

TEST(ParseArguments, NameTheWordsThatAnOptionTakes) {
  EXPECT_EQ(error_of({"export", "--format", "yaml"}),
            "--format takes env, shell or json, not 'yaml': `spark-reconcile export --format env`");
}

TEST(ParseArguments, TakeDurationsInTheRangeOfTheirOption) {
  EXPECT_EQ(error_of({"apply", "--confirm", "1h"}), "");
  EXPECT_EQ(error_of({"apply", "--confirm", "5s"}), "");
  EXPECT_EQ(error_of({"apply", "--confirm", "4s"}),
            "--confirm takes 5s to 1h, not '4s': `sudo spark-reconcile apply --confirm 5s`");
  EXPECT_EQ(error_of({"pause", "--for", "168h"}), "");
  EXPECT_EQ(error_of({"pause", "--for", "200h"}),
            "--for takes 168h at most, not '200h': `sudo spark-reconcile pause --for 168h`");
  EXPECT_EQ(error_of({"follow", "https://HOST/PATH", "--settle", "1ms"}), "");
}

TEST(ParseArguments, OfferANumberAloneInAUnitThatTheOptionTakes) {
  const auto offered = [](const char* verb, const char* option, const char* value) {
    const auto error = error_of({verb, option, value});
    return error.substr(error.rfind(' ') + 1);
  };
  EXPECT_EQ(offered("apply", "--confirm", "10"), "10m`?");
  EXPECT_EQ(offered("apply", "--confirm", "120"), "120s`?");
  EXPECT_EQ(offered("apply", "--confirm", "9000"), "1h`?");
  EXPECT_EQ(offered("pause", "--for", "2"), "2h`?");
  EXPECT_EQ(offered("wait", "--timeout", "5"), "5s`?");
}

TEST(ParseArguments, TakeAUrlOfARepository) {
  EXPECT_EQ(error_of({"follow", "ssh://git@github.com/me/lab.git"}), "");
  EXPECT_EQ(error_of({"follow", "git@github.com:me/lab.git"}),
            "'git@github.com:me/lab.git' is no URL: `sudo spark-reconcile follow "
            "ssh://git@github.com/me/lab.git`");
  EXPECT_EQ(error_of({"follow", "host:/srv/lab.git"}),
            "'host:/srv/lab.git' is no URL: `sudo spark-reconcile follow ssh://host/srv/lab.git`");
}

TEST(ParseArguments, TakesTheIdOfAChangeThatFitsIntoALine) {
  const std::string longest(64, 'x');
  for (const auto* verb : {"apply", "confirm", "rollback", "release", "resume"}) {
    EXPECT_EQ(error_of({verb, "--change-id", "CHG0031~!"}), "") << verb;
    EXPECT_EQ(error_of({verb, "--change-id", longest.c_str()}), "") << verb;
  }
  EXPECT_EQ(error_of({"pause", "--for", "1h", "--change-id=CHG0031"}), "");
  EXPECT_EQ(error_of({"mute", "SparkDrift", "--for=1h", "--why=x", "--change-id=CHG0031"}), "");
  EXPECT_NE(error_of({"mute", "--change-id=CHG0031"}), "") << "the list";
  EXPECT_NE(error_of({"mute", "--end", "SparkDrift", "--change-id=CHG0031"}), "");
  const auto longer = longest + "x";
  for (const auto* id : {"a b", "a\nb", "\x1b[2J", "\xc3\xa4", longer.c_str()}) {
    EXPECT_EQ(error_of({"apply", "--change-id", id}),
              "--change-id takes at most 64 printable ASCII characters, no blanks");
  }
  EXPECT_NE(error_of({"plan", "--change-id", "CHG0031"}), "") << "it changes nothing";
}

}  // namespace
}  // namespace spark::cli
