// The verb `topology`, as any user.

#include <filesystem>
#include <string>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kPair = R"(version: 1
cluster: pair
nodes: { spark1: { number: 11 }, spark2: { number: 12 } }
fabric:
  mtu: 9000
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
)";

class Topology : public ::testing::Test {
 protected:
  [[nodiscard]] Outcome as_nobody(const std::vector<std::string>& arguments,
                                  const std::string& input = "") const {
    auto command = spark_.command(arguments);
    command.as_nobody = true;
    command.input = input;
    return run(command);
  }

  Spark spark_;
};

TEST_F(Topology, NeedsNoRootAndNoLinkAndChangesNothing) {
  const auto before = spark_.dump();
  const auto outcome = as_nobody({"topology", "-f", "-"}, kPair);
  EXPECT_THAT(outcome, ExitsWith(0));
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out,
              AllOf(StartsWith("pair · 2 nodes · 1 cable · mtu 9000\n"),
                    HasSubstr("cable  spark1:0 ══ spark2:0  rail 1  198.51.100.11/24 ══ "
                              "198.51.100.12/24  mtu 9000\n"),
                    HasSubstr("unused  spark2:1\n")));
  EXPECT_EQ(spark_.dump(), before);
  EXPECT_FALSE(std::filesystem::exists(spark_.host_path("/var/lib/spark-reconcile")));
}

TEST_F(Topology, OfTheFileOfThisMachineWhereNoneIsNamed) {
  spark_.file(kPair);
  EXPECT_THAT(spark_.reconcile({"topology"}).out, HasSubstr("spark1:0 ══ spark2:0"));
  EXPECT_EQ(spark_.json({"topology"})["topology"]["segments"][0]["mtu"], 9000);
}

TEST_F(Topology, WritesAPictureIntoANewFileAlone) {
  spark_.file(kPair);
  const auto picture = spark_.host_path("/pair.svg");
  EXPECT_THAT(spark_.reconcile({"topology", "--format", "svg", "-o", picture.string()}),
              ExitsWith(0));
  EXPECT_THAT(spark_.read("/pair.svg"), StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(run({.argv = {"python3", "-c",
                            "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])",
                            picture.string()}}),
              ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"topology", "-o", picture.string()}), ExitsWith(1));
}

TEST_F(Topology, SaysWhereNothingIsKnownToMark) {
  spark_.file(kPair);
  const auto outcome = spark_.reconcile({"topology", "--live"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("nothing is known here: the daemon does not run"),
                                 HasSubstr("without --live the file is drawn")));
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(spark_.reconcile({"topology", "--live", "--diff", "-"}), ExitsWith(64));
}

TEST_F(Topology, ListsWhatDiffersFromAnOlderFile) {
  spark_.file(kPair);
  std::string older = kPair;
  older.replace(older.find("9000"), 4, "1500");
  const auto outcome = as_nobody({"topology", "--diff", "-"}, older);
  EXPECT_THAT(outcome, ExitsWith(0));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("~ cable spark1:0 ══ spark2:0\n"),
                                 HasSubstr("~ mtu 9000 (was 1500)\n")));
}

TEST_F(Topology, RefusesAnInvalidFileOnEitherSide) {
  spark_.file(kPair);
  const auto older = as_nobody({"topology", "--diff", "-"}, "version: 1\nclustre: lab\n");
  EXPECT_THAT(older, ExitsWith(5));
  EXPECT_THAT(older.err, HasSubstr("<stdin> is invalid, at line 1: missing key 'nodes'"));
  EXPECT_EQ(older.out, "");
  EXPECT_THAT(as_nobody({"topology", "-f", "-"}, "version: 1\nclustre: lab\n"), ExitsWith(5));
  EXPECT_THAT(as_nobody({"topology", "-f", "/nowhere.yaml"}), ExitsWith(1));
}

TEST_F(Topology, RefusesOptionsThatContradictEachOther) {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"topology", "-n", "spark1"},
                                             {"topology", "-f", "-", "--diff", "-"},
                                             {"topology", "--json", "--format", "svg"},
                                             {"topology", "--json", "-o", "x.svg"},
                                             {"topology", "--format", "svg", "--diff", "-"},
                                             {"topology", "--format", "png"}}) {
    EXPECT_THAT(spark_.reconcile(words), ExitsWith(64)) << words.back();
  }
}

}  // namespace
}  // namespace spark::test
