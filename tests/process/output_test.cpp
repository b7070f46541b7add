// What the verbs print, and for whom.

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Output : public ::testing::Test {
 protected:
  Output() {
    spark_.add_link("enp1s0f0np0");
    spark_.file_with_links("enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.1/24] }");
  }

  Spark spark_;
};

TEST_F(Output, OfAPlanNamesTheLineThatAsks) {
  const auto plan = spark_.reconcile({"plan"});
  EXPECT_THAT(plan, ExitsWith(0));
  EXPECT_THAT(plan.out, AllOf(HasSubstr("1500 → 9000"), HasSubstr("cluster.yaml:6")));
  EXPECT_THAT(plan.out, HasSubstr("Next: spark-reconcile apply"));
  EXPECT_THAT(spark_.reconcile({"diff"}).out, plan.out);
}

TEST_F(Output, OfAPlanIsTheSameTwice) {
  EXPECT_EQ(spark_.reconcile({"plan"}).out, spark_.reconcile({"plan"}).out);
}

TEST_F(Output, SaysByItsCodeHowTheNodeStands) {
  EXPECT_THAT(spark_.reconcile({"plan", "--detailed-exitcode"}), ExitsWith(2));
  EXPECT_THAT(spark_.reconcile({"status", "--exit-code"}), ExitsWith(2));
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"plan", "--detailed-exitcode"}), ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"status", "--exit-code"}), ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"status"}).out, HasSubstr("in sync"));
}

TEST_F(Output, AsJsonHasOneEnvelopeForEveryVerb) {
  for (const std::string verb : {"validate", "plan", "apply", "status", "facts", "version"}) {
    const auto json = spark_.json({verb});
    EXPECT_EQ(json["schema"], "spark-reconcile/" + verb + "/v1");
    EXPECT_TRUE(json["version"].is_string()) << verb;
    EXPECT_TRUE(json.contains("node")) << verb;
    EXPECT_TRUE(json.contains("digest")) << verb;
    EXPECT_THAT(json["generated_at"].get<std::string>(), ::testing::EndsWith("Z")) << verb;
    EXPECT_EQ(json["exit_code"], 0) << verb;
  }
  EXPECT_TRUE(nlohmann::json::accept(spark_.reconcile({"facts"}).out));
}

TEST_F(Output, AsJsonTellsOfErrorsToo) {
  spark_.file("version: 1\ncluster: lab\nnodes: { spark1: { hots: 11 } }\n");
  const auto invalid = spark_.json({"apply"});
  EXPECT_EQ(invalid["exit_code"], 5);
  const auto& finding = invalid["findings"][0];
  EXPECT_EQ(finding["line"], 3);
  EXPECT_EQ(finding["column"], 20);
  for (const auto* key : {"id", "file", "path", "message"}) {
    EXPECT_TRUE(finding[key].is_string()) << key;
  }
  const auto absent = spark_.json({"plan", "-f", "/nowhere/cluster.yaml"});
  EXPECT_EQ(absent["exit_code"], 1);
  EXPECT_TRUE(absent["error"].is_string());
}

TEST_F(Output, AsJsonHasTheWarningsOfTheFile) {
  for (const auto* verb : {"validate", "plan", "apply", "status"}) {
    const auto json = spark_.json({verb});
    ASSERT_EQ(json["findings"].size(), 1U) << verb;
    EXPECT_EQ(json["findings"][0]["id"], "SR-SPEC-201") << verb;
    EXPECT_EQ(json["file"], "/etc/spark-reconcile/cluster.yaml") << verb;
  }
}

TEST_F(Output, IsColouredWhenAskedTo) {
  const auto colored = [&](const std::vector<std::string>& arguments, const char* no_color) {
    auto command = spark_.command(arguments);
    command.environment = {std::string("NO_COLOR=") + no_color};
    return run(command).out.find('\x1b') != std::string::npos;
  };
  EXPECT_FALSE(colored({"plan"}, "")) << "it is no terminal";
  EXPECT_TRUE(colored({"plan", "--color", "always"}, ""));
  EXPECT_TRUE(colored({"plan", "--color=always"}, "1")) << "the command line is the closer word";
  EXPECT_FALSE(colored({"plan", "--color", "never"}, ""));
}

TEST_F(Output, IsOneLineWhenQuiet) {
  for (const auto* verb : {"plan", "status", "apply", "status"}) {
    const auto outcome = spark_.reconcile({verb, "-q"});
    EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 1) << outcome;
    EXPECT_THAT(outcome.err, IsEmpty());
  }
}

TEST_F(Output, ThatCannotBeWrittenIsAnError) {
  const std::vector<std::vector<std::string>> verbs = {{"plan"},  {"plan", "--json"}, {"status"},
                                                       {"facts"}, {"version"},        {"help"}};
  for (const auto& verb : verbs) {
    auto command = spark_.command(verb);
    command.output = "/dev/full";
    const auto outcome = run(command);
    EXPECT_THAT(outcome, ExitsWith(1)) << verb[0];
    EXPECT_THAT(outcome.err, HasSubstr("write to stdout: No space left on device")) << verb[0];
  }
}

TEST_F(Output, ThatNobodyReadsIsNoError) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd writer(ends[1]);
  close(ends[0]);
  auto command = spark_.command({"apply", "--quiet"});
  command.output = fmt::format("/proc/{}/fd/{}", getpid(), writer.get());
  const auto outcome = run(command);
  EXPECT_THAT(outcome, ExitsWith(0));
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 9000);
}

TEST_F(Output, NeverLandsInAFileWhenTheStreamsAreClosed) {
  auto command = spark_.command({"apply"});
  command.no_streams = true;
  EXPECT_THAT(run(command), ExitsWith(0));
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 9000);
  EXPECT_THAT(spark_.read("/run/spark-reconcile/apply/lock"), ::testing::MatchesRegex("[0-9]+\n"));
}

TEST_F(Output, IsOfOneProgramWithoutAShell) {
  auto command = spark_.command({"apply"});
  const auto log = spark_.host_path("/calls").string();
  command.argv.insert(command.argv.begin(),
                      {"strace", "-f", "-qq", "-e", "trace=execve,execveat", "-o", log, "--"});
  command.environment = {"ASAN_OPTIONS=detect_leaks=0"};  // which cannot be under strace
  const auto outcome = run(command);
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 9000) << outcome;
  std::ifstream file(log);
  std::string line;
  ASSERT_TRUE(std::getline(file, line)) << outcome;
  EXPECT_THAT(line, HasSubstr("execve(")) << "itself";
  EXPECT_FALSE(std::getline(file, line)) << line;
}

TEST_F(Output, SaysOnStderrWhatIsDoneWhenVerbose) {
  EXPECT_THAT(spark_.reconcile({"status"}).err, Not(HasSubstr("node spark1")));
  EXPECT_THAT(spark_.reconcile({"status", "-v"}).err, HasSubstr("node spark1"));
}

TEST_F(Output, SaysEachStepWithItsCauseWhenVerbose) {
  EXPECT_THAT(spark_.reconcile({"apply", "-v", "--json"}).err,
              testing::ContainsRegex("info: mtu enp1s0f0np0: 1500 → 9000 \\(.*:[0-9]+\\): done"));
}

TEST_F(Output, SaysEachDifferenceWhenMoreVerbose) {
  const auto difference = HasSubstr("debug: differs: mtu enp1s0f0np0: 1500 → 9000");
  EXPECT_THAT(spark_.reconcile({"plan", "-v"}).err, Not(difference));
  EXPECT_THAT(spark_.reconcile({"plan", "-vv"}).err, difference);
}

TEST_F(Output, OfTheLogHasPrioritiesInTheJournal) {
  auto command = spark_.command({"status", "-v"});
  // As systemd does for a service, whose stderr is the journal.
  command.argv.insert(
      command.argv.begin(),
      {"sh", "-c", R"(JOURNAL_STREAM=$(stat --dereference --format=%d:%i /dev/stderr) exec "$@")",
       "sh"});
  EXPECT_THAT(run(command).err, HasSubstr("\n<6>node spark1 of cluster "));
}

TEST_F(Output, OfAFileOnStdinCallsItThat) {
  auto command = spark_.command({"validate", "-f", "-"});
  command.input = "version: 1\nclustre: lab\n";
  const auto invalid = run(command);
  EXPECT_THAT(invalid, ExitsWith(5));
  EXPECT_THAT(invalid.err, HasSubstr("<stdin>:2:1: error:"));
  command.input = spark_.read("/etc/spark-reconcile/cluster.yaml");
  EXPECT_THAT(run(command), ExitsWith(0));
}

TEST_F(Output, OfAnUnknownVerbIsAHint) {
  const auto unknown = spark_.reconcile({"aply"});
  EXPECT_THAT(unknown, ExitsWith(64));
  EXPECT_THAT(unknown.err, HasSubstr("did you mean `sudo spark-reconcile apply"));
  EXPECT_THAT(spark_.reconcile({"plan", "--nonsense"}), ExitsWith(64));
  EXPECT_THAT(spark_.reconcile({"--help"}), ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"help", "apply"}), ExitsWith(0));
  const auto bogus = spark_.reconcile({"help", "aply"});
  EXPECT_THAT(bogus, ExitsWith(64));
  EXPECT_THAT(bogus.err, HasSubstr("did you mean `spark-reconcile help apply`?"));
  const auto json = spark_.json({"plan", "--nonsense"});
  EXPECT_EQ(json["schema"], "spark-reconcile/usage/v1");
  EXPECT_EQ(json["exit_code"], 64);
  EXPECT_THAT(json["error"].get<std::string>(), HasSubstr("--nonsense"));
}

TEST_F(Output, OfTheVersionIsTheSameForVerbAndOption) {
  const auto verb = spark_.reconcile({"version"});
  EXPECT_THAT(spark_.reconcile({"--version"}), ExitsWith(0));
  EXPECT_EQ(spark_.reconcile({"--version"}).out, verb.out);
  EXPECT_EQ(spark_.json({"--version"})["schema"], "spark-reconcile/version/v1");
}

TEST_F(Output, NamesARootThatIsNotThere) {
  for (const auto* verb : {"plan", "apply", "facts"}) {
    auto command = spark_.command({verb});
    command.argv.back() = "/nowhere";
    const auto outcome = run(command);
    EXPECT_THAT(outcome, ExitsWith(1)) << verb;
    EXPECT_THAT(outcome.err, HasSubstr("there is no directory '/nowhere': --root takes one"));
  }
}

}  // namespace
}  // namespace spark::test
