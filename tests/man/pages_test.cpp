// The pages of docs/man are those that the tables of the program make, and they name all that the
// program has. SPARK_UPDATE_GOLDEN=1 writes them again.

#include "man/pages.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/input/help_text.hpp"
#include "cli/input/parse_arguments.hpp"
#include "cli/input/verb.hpp"
#include "man/roff.hpp"

namespace spark::test::man {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const fs::path kSource = SPARK_SOURCE_DIR;
const fs::path kFolder = kSource / "docs/man";

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The first block of YAML of a page.
std::string first_yaml(const std::string& page) {
  const std::string fence = "```yaml\n";
  const auto begin = page.find(fence) + fence.size();
  return page.substr(begin, page.find("```", begin) - begin);
}

Sources sources() {
  Sources sources{
      .cluster_schema = nlohmann::ordered_json::parse(read(kSource / "schema/cluster.schema.json")),
      .agent_schema = nlohmann::ordered_json::parse(read(kSource / "schema/agent.schema.json")),
      .cluster_example = read(kSource / "examples/ring.yaml"),
      .agent_example = first_yaml(read(kSource / "docs/reference/agent-yaml.md")),
      .units = {}};
  for (const auto& entry : fs::directory_iterator(kSource / "systemd")) {
    sources.units[entry.path().filename()] = read(entry.path());
  }
  return sources;
}

std::vector<std::string> names_in_folder() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

/// As a reader sees it, without the marks of roff.
std::string plain(const std::string& page) {
  static const std::regex kFonts(R"(\\f[BIR])");
  static const std::regex kDashes(R"(\\-)");
  return std::regex_replace(std::regex_replace(page, kFonts, ""), kDashes, "-");
}

std::string help_of(const std::vector<const char*>& words) {
  std::vector<const char*> line{"spark-reconcile"};
  line.insert(line.end(), words.begin(), words.end());
  const auto parsed = cli::parse_arguments(static_cast<int>(line.size()), line.data());
  const auto* answer = std::get_if<cli::Answer>(&parsed);
  EXPECT_NE(answer, nullptr);
  return answer == nullptr ? "" : answer->help;
}

std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  std::set<std::string> found;
  const std::regex regex(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) {
    found.insert((*at)[1]);
  }
  return found;
}

/// The options that the library's own part of a help lists.
std::set<std::string> options_in(const std::string& help) {
  auto found = matches(help, "\n  (-[a-z]),?");
  // Later versions of the library put long names into a column of their own.
  found.merge(matches(help, "\n +(?:-[a-z], *)?(--[a-z-]+)"));
  return found;
}

TEST(ManPages, AreThoseOfTheProgram) {
  const auto pages = all_pages(sources());
  if (std::getenv("SPARK_UPDATE_GOLDEN") != nullptr) {
    fs::create_directories(kFolder);
    for (const auto& name : names_in_folder()) fs::remove(kFolder / name);
    for (const auto& [name, text] : pages) std::ofstream(kFolder / name) << text;
  }
  for (const auto& [name, text] : pages) {
    ASSERT_TRUE(fs::exists(kFolder / name))
        << name << ": SPARK_UPDATE_GOLDEN=1 build/dev/tests/man_tests writes docs/man again";
    EXPECT_EQ(read(kFolder / name), text)
        << name << ": SPARK_UPDATE_GOLDEN=1 build/dev/tests/man_tests writes docs/man again";
  }
  for (const auto& name : names_in_folder()) {
    EXPECT_TRUE(pages.contains(name)) << name << " belongs to no verb, file or unit";
  }
}

TEST(ManPages, HaveEveryOptionThatTheHelpOfAVerbLists) {
  for (const auto* verb : cli::verbs()) {
    const auto page = plain(verb_page(*verb));
    const auto options = options_in(help_of({"help", verb->name.data()}));
    EXPECT_THAT(options, Contains("--help"));
    for (const auto& option : options) {
      EXPECT_TRUE(std::regex_search(page, std::regex("\n(-[a-z], )?" + option + "[ ,\n]")))
          << verb->name << " " << option;
    }
  }
}

TEST(ManPages, HaveEveryVerbAndOptionThatTheHelpLists) {
  const auto help = help_of({"help", "--all"});
  const auto page = plain(program_page());
  const auto verbs = matches(help, "\n  ([a-z]+)[ ,]");
  EXPECT_EQ(verbs.size(), cli::verbs().size() + 1) << "those of the table, and help";
  for (const auto& verb : verbs) EXPECT_THAT(page, HasSubstr(".TP\n" + verb)) << verb;
  for (const auto& option : options_in(help)) {
    EXPECT_TRUE(std::regex_search(page, std::regex("\n(-[a-z], )?" + option + "[ ,\n]"))) << option;
  }
}

TEST(ManPages, NameOnlyPagesThatThereAre) {
  const auto pages = all_pages(sources());
  const std::set<std::string> others{"systemctl(1)", "journalctl(1)", "ssh-keygen(1)",
                                     "systemd.unit(5)", "spark-reconcile-slurm(1)"};
  for (const auto& [name, text] : pages) {
    for (const auto& page : matches(plain(text), R"(([a-z][a-z.-]+\([0-9]\)))")) {
      const auto file = page.substr(0, page.size() - 3) + "." + page[page.size() - 2];
      EXPECT_TRUE(pages.contains(file) || others.contains(page)) << name << " names " << page;
    }
  }
}

TEST(ManPages, OfTheServiceHaveEveryUnit) {
  const auto page = plain(service_page(sources()));
  for (const auto& [name, text] : sources().units) {
    const bool is_unit = !name.ends_with(".catalog") && !name.ends_with(".sysusers") &&
                         !name.ends_with(".rt_protos");
    if (is_unit) {
      EXPECT_THAT(page, HasSubstr("\n" + name + "\n"));
    }
  }
}

TEST(ManPages, OfTheClusterFileHaveKeysByTheirPath) {
  const auto page = plain(cluster_file_page(sources()));
  for (const auto* path :
       {"version", "nodes.NAME.number", "nodes.NAME.links.INTERFACE.mtu", "fabric.cables[].ends",
        "fabric.switches[].ports", "host.memlock", "storage[].nvme_tcp.secret_file",
        "storage[].mounts[].read_only", "ready.loopback.deadline", "drift.kinds.KIND",
        "environment.nccl.variables", "take_over"}) {
    EXPECT_THAT(page, HasSubstr("\n.TP\n" + std::string(path) + "\n"));
  }
  for (const auto& name :
       matches(read(kSource / "schema/cluster.schema.json"),
               "\"([a-z_]+)\": \\{ \"\\$ref\": \"#/definitions/drift_policy\"")) {
    EXPECT_THAT(page, HasSubstr(name));
  }
}

TEST(ManPages, RefuseWhatIsNotAscii) {
  EXPECT_THROW(inline_roff("1500 → 9000"), std::invalid_argument);
}

TEST(ManPages, AreNoRequestsByAccident) {
  Page page("x", 1, "y");
  page.prose("`.mount` of a unit");
  page.verbatim(".TH\n'quoted'");
  EXPECT_THAT(page.text(), Not(HasSubstr("\n.mount")));
  EXPECT_THAT(page.text(), HasSubstr("\n\\&.TH\n\\(aqquoted\\(aq\n"));
}

TEST(Manuals, OfEachVerbSayWhatItDoesHowItEndsAndHowItIsTyped) {
  for (const auto* verb : cli::verbs()) {
    const auto manual = cli::manual_of(*verb);
    EXPECT_FALSE(manual.text.empty() || manual.exits.empty() || manual.examples.empty())
        << verb->name;
    for (const auto& exit : manual.exits) EXPECT_FALSE(cli::meaning_of(exit.code).empty());
    for (const auto& example : manual.examples) EXPECT_NE(example.commands, "") << example.about;
    for (const auto& file : manual.files) {
      EXPECT_TRUE(file.path.starts_with('/') && !file.about.empty()) << verb->name << file.path;
    }
  }
}

std::set<int> codes_of(const cli::VerbSpec& verb) {
  std::set<int> codes;
  for (const auto& row : cli::manual_of(verb).exits) codes.insert(static_cast<int>(row.code));
  return codes;
}

/// What `--json` may say of a verb's exit code.
TEST(SchemasOfOutput, AllowTheExitCodesOfEachVerb) {
  for (const auto* verb : cli::verbs()) {
    const auto path = kSource / "schema/output" / (std::string(verb->name) + ".schema.json");
    if (!fs::exists(path)) continue;  // `release` prints what `apply` does, `daemon` nothing
    const auto schema = nlohmann::json::parse(read(path));
    const auto allowed = schema["properties"]["exit_code"]["enum"].get<std::set<int>>();
    for (const int code : codes_of(*verb)) {
      EXPECT_THAT(allowed, Contains(code)) << verb->name;
    }
  }
}

}  // namespace
}  // namespace spark::test::man
