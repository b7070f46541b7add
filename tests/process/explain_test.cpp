// The verb `explain`, as any user.

#include <string>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string one_line_of(const nlohmann::json& output, const std::string& label) {
  for (const auto& part : output["explanation"]["parts"]) {
    if (part["label"] == label) return part["text"];
  }
  return {};
}

class Explain : public ::testing::Test {
 protected:
  Explain() {
    spark_.add_link("enp1s0f0np0");
    spark_.file_with_links("enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.7/24] }");
  }

  [[nodiscard]] Outcome as_nobody(const std::vector<std::string>& arguments) const {
    auto command = spark_.command(arguments);
    command.as_nobody = true;
    return run(command);
  }

  Spark spark_;
};

TEST_F(Explain, AResourceByWhatIsWantedWhatIsThereAndWhoSetIt) {
  auto output = spark_.json({"explain", "mtu/enp1s0f0np0"});
  EXPECT_EQ(output["resource"]["want"], "9000");
  EXPECT_EQ(output["resource"]["have"], "1500");
  EXPECT_EQ(output["resource"]["state"], "differs");
  EXPECT_THAT(one_line_of(output, "Asked by"), HasSubstr("/etc/spark-reconcile/cluster.yaml:"));
  EXPECT_THAT(one_line_of(output, "Set by"), HasSubstr("nothing recorded"));

  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  output = spark_.json({"explain", "mtu/enp1s0f0np0"});
  EXPECT_EQ(output["resource"]["have"], "9000");
  EXPECT_EQ(output["resource"]["state"], "in_sync");
  EXPECT_THAT(one_line_of(output, "Set by"), AllOf(HasSubstr("generation 1"), HasSubstr(", by ")));
  EXPECT_THAT(spark_.reconcile({"explain", "address/enp1s0f0np0/192.0.2.7"}).out,
              AllOf(HasSubstr("State       in sync\n"), HasSubstr("Asked by    ")));

  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  output = spark_.json({"explain", "address/enp1s0f0np0/192.0.2.7"});
  EXPECT_EQ(output["resource"]["state"], "removed");
  EXPECT_EQ(output["resource"]["want"], nullptr);
}

TEST_F(Explain, AResourceWithTheSameFileAndNodeAsPlan) {
  const auto other = spark_.host_path("/other.yaml");
  spark_.write(
      "/other.yaml",
      "version: 1\ncluster: lab\nnodes: { a: { links: { enp1s0f0np0: { mtu: 4000 } } }, b: {} }\n");
  const auto output = spark_.json({"explain", "mtu/enp1s0f0np0", "-f", other, "-n", "a"});
  EXPECT_EQ(output["resource"]["want"], "4000");
  EXPECT_EQ(output["node"], "a");
  EXPECT_THAT(spark_.reconcile({"explain", "mtu/enp1s0f0np0", "-f", other, "-n", "b"}),
              ExitsWith(64));
}

TEST_F(Explain, AnUnknownWordNamesTheNearest) {
  const auto outcome = spark_.reconcile({"explain", "fabric.cabels"});
  EXPECT_THAT(outcome, ExitsWith(64));
  EXPECT_THAT(outcome.err, HasSubstr("unknown word 'fabric.cabels', did you mean 'fabric.cables'"));
  EXPECT_THAT(spark_.reconcile({"explain", "mtu/enp1s0f0np1"}).err, HasSubstr("mtu/enp1s0f0np0"));
}

TEST_F(Explain, ToAnybodyAndSaysWhatAnUnprivilegedUserCannotSee) {
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  for (const auto* word :
       {"SR-GATE-016", "SparkContested", "ready.key_file", "spark_reconcile_verdict"}) {
    EXPECT_THAT(as_nobody({"explain", word}), ExitsWith(0)) << word;
  }
  const auto outcome = as_nobody({"explain", "mtu/enp1s0f0np0"});
  EXPECT_THAT(outcome, ExitsWith(0));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Have        9000\n"), HasSubstr("Not seen    "),
                                 HasSubstr("Permission denied")));
  EXPECT_THAT(as_nobody({"explain"}), ExitsWith(0));
}

TEST_F(Explain, ChangesNothing) {
  const auto before = spark_.dump();
  EXPECT_THAT(spark_.reconcile({"explain", "mtu/enp1s0f0np0"}), ExitsWith(0));
  EXPECT_EQ(spark_.dump(), before);
  EXPECT_EQ(spark_.read("/run/spark-reconcile/apply/lock"), "");
}

}  // namespace
}  // namespace spark::test
