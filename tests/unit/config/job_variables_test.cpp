#include "config/yaml/job_variables.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/parse/parse.hpp"

namespace spark::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The errors of a file with this environment.
std::vector<std::string> errors_with(std::string_view environment) {
  const auto parsed = parse(fmt::format(
      "version: 1\ncluster: lab\nnodes: {{ a: {{}} }}\nenvironment: {}\n", environment));
  std::vector<std::string> ids;
  for (const auto& one : parsed.diagnostics) {
    if (one.severity == Severity::kError) ids.push_back(one.id);
  }
  return ids;
}

std::vector<std::string> errors_of(std::string_view name, std::string_view value,
                                   std::string_view map = "variables") {
  return errors_with(fmt::format("{{ {}: {{ {}: \"{}\" }} }}", map, name, value));
}

/// What a value of the type is not, beside what no variable takes.
std::string_view wrong_value_of(VariableType type) {
  switch (type) {
    case VariableType::kFlag:
      return "2";
    case VariableType::kInteger:
      return "007";
    case VariableType::kRdmaDevices:
      return "rocep1s0f0:x";
    case VariableType::kUcxDevices:
      return "rocep1s0f0:0";
    case VariableType::kInterfaces:
      return "=en0,=en1";
    case VariableType::kInterfaceNames:
      return "=enP7s7";
    case VariableType::kInterfacesOrNetworks:
      return "192.0.2.0/33";
    case VariableType::kNetwork:
      return "192.0.2.1";
    case VariableType::kPluginName:
      return "libnccl-net.so";
    case VariableType::kAddress:
      return "192.0.2.0/24";
    case VariableType::kAddressPort:
      return "192.0.2.11:65536";
    default:
      return "nobody";
  }
}

TEST(JobVariables, EachTakesItsExampleAndRefusesAWrongValue) {
  for (const auto& variable : job_variables()) {
    SCOPED_TRACE(variable.name);
    EXPECT_FALSE(variable.note.empty());
    EXPECT_FALSE(values_of(variable).empty());
    EXPECT_EQ(find_job_variable(variable.name), &variable);
    EXPECT_TRUE(takes(variable, example_of(variable))) << example_of(variable);
    for (const std::string_view wrong :
         {wrong_value_of(variable.type), std::string_view("/tmp/x"), std::string_view("../x"),
          std::string_view("a b"), std::string_view("$(id)"), std::string_view()}) {
      EXPECT_FALSE(takes(variable, wrong)) << wrong;
    }
    EXPECT_THAT(errors_of(variable.name, example_of(variable)), IsEmpty());
    EXPECT_THAT(errors_of(variable.name, wrong_value_of(variable.type)),
                ElementsAre("SR-SPEC-143"));
    EXPECT_THAT(errors_of(variable.name, example_of(variable), "extra"),
                ElementsAre("SR-SPEC-142"));
  }
}

TEST(JobVariables, TakeTheBoundsOfAnInteger) {
  const auto* timeout = find_job_variable("NCCL_IB_TIMEOUT");
  ASSERT_NE(timeout, nullptr);
  EXPECT_TRUE(takes(*timeout, "0"));
  EXPECT_TRUE(takes(*timeout, "31"));
  EXPECT_FALSE(takes(*timeout, "32"));
  EXPECT_FALSE(takes(*timeout, "-1"));
  EXPECT_TRUE(takes(*find_job_variable("NCCL_IB_TC"), "-1"));
  EXPECT_TRUE(takes(*find_job_variable("NCCL_NET_GDR_LEVEL"), "5"));
  EXPECT_FALSE(takes(*find_job_variable("NCCL_NET_GDR_LEVEL"), "loc")) << "NCCL compares it so";
}

TEST(JobVariables, TakeTheFormsThatNcclDocuments) {
  const auto of = [](std::string_view name, std::string_view value) {
    return takes(*find_job_variable(name), value);
  };
  for (const auto* value : {"mlx5", "=mlx5_0:1,mlx5_1:1", "^=mlx5_1,mlx5_4", "=mlx5_0::0:0"}) {
    EXPECT_TRUE(of("NCCL_IB_HCA", value)) << value;
  }
  EXPECT_FALSE(of("NCCL_IB_HCA", "=mlx5_0,,mlx5_1"));
  EXPECT_FALSE(of("NCCL_IB_HCA", "mlx5_0:1:0:0:0"));
  for (const auto* value : {"eth", "=eth0,eth1", "^docker", "^=docker0"}) {
    EXPECT_TRUE(of("NCCL_SOCKET_IFNAME", value)) << value;
  }
  for (const auto* value : {"ring", "Ring,Tree", "^Tree", "allreduce:^tree"}) {
    EXPECT_TRUE(of("NCCL_ALGO", value)) << value;
  }
  EXPECT_FALSE(of("NCCL_ALGO", "all:ring"));
  EXPECT_TRUE(of("NCCL_COMM_ID", "[2001:db8::1]:5000"));
  EXPECT_TRUE(of("NCCL_RAS_ADDR", "localhost:28028"));
}

TEST(JobVariables, EachOfTheGuidesIsValidWithTheValueOfItsGuide) {
  const std::vector<std::pair<std::string_view, std::string_view>> variables{
      // spark-vllm-docker
      {"UCX_NET_DEVICES", "enp1s0f1np1"},
      {"NCCL_SOCKET_IFNAME", "enP7s7"},
      {"OMPI_MCA_btl_tcp_if_include", "enp1s0f1np1"},
      {"NCCL_IB_HCA", "rocep1s0f0,roceP2p1s0f0,rocep1s0f1,roceP2p1s0f1"},
      {"NCCL_IB_DISABLE", "0"},
      {"NCCL_IB_MERGE_NICS", "0"},
      {"NCCL_NET_PLUGIN", "none"},
      {"NCCL_IB_SUBNET_AWARE_ROUTING", "1"},
      // dgx-spark-direct-fabric
      {"NCCL_NET_GDR_LEVEL", "0"},
      {"NCCL_NET_GDR_LEVEL", "5"},
      {"NCCL_DMABUF_ENABLE", "0"},
      {"NCCL_DMABUF_ENABLE", "1"},
      {"NCCL_IB_HCA", "mlx5_0"},
      {"NCCL_SOCKET_IFNAME", "enp1s0f0np0"},
      {"NCCL_IB_GID_INDEX", "3"},
      {"NCCL_ALGO", "Ring"},
      {"NCCL_ALGO", "Tree"},
      {"NCCL_IB_TIMEOUT", "22"},
      {"NCCL_IB_RETRY_CNT", "7"},
      {"NCCL_IB_QPS_PER_CONNECTION", "4"},
      {"NCCL_IB_TC", "106"},
      {"NCCL_PROTO", "Simple"},
      {"NCCL_NET", "IB"},
      {"NCCL_MIN_NCHANNELS", "4"},
      {"UCX_NET_DEVICES", "mlx5_0:1"},
      // NVIDIA, Stack two Sparks
      {"UCX_NET_DEVICES", "enp1s0f0np0,enp1s0f1np1"},
      {"NCCL_SOCKET_IFNAME", "enp1s0f0np0,enp1s0f1np1"},
      {"OMPI_MCA_btl_tcp_if_include", "enp1s0f0np0,enp1s0f1np1"},
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"NCCL_DEBUG", "VERSION"},
      {"NCCL_DEBUG_SUBSYS", "TUNING"},
      {"NCCL_PROTO", "SIMPLE"},
      // Multi-Node GPU Cluster with RDMA
      {"NCCL_DEBUG", "INFO"},
      {"NCCL_IB_HCA", "roceP2p1s0f0"},
      {"NCCL_SOCKET_IFNAME", "enP2p1s0f0np0"},
      // nccl-mesh-plugin
      {"NCCL_MESH_GID_INDEX", "0"},
      {"NCCL_MESH_GID_INDEX", "3"},
      // launchers
      {"NCCL_CROSS_NIC", "1"},
      {"NCCL_IGNORE_CPU_AFFINITY", "1"},
      {"NCCL_GIN_ENABLE", "0"},
      {"VLLM_HOST_IP", "192.0.2.11"},
      {"VLLM_LOGGING_LEVEL", "INFO"},
  };
  for (const auto& [name, value] : variables) {
    EXPECT_THAT(errors_of(name, value), IsEmpty()) << name << "=" << value;
  }
}

TEST(JobVariables, OfTheGuidesThatDoNothingOrNameAPlaceAreRefusedEverywhere) {
  for (const auto* map : {"variables", "extra"}) {
    for (const auto& [name, advice] : dead_variables()) {
      EXPECT_THAT(errors_of(name, "1", map), ElementsAre("SR-SPEC-130")) << name;
    }
    for (const auto* name : {"LD_LIBRARY_PATH", "LD_PRELOAD", "CUDA_HOME", "MPI_HOME"}) {
      EXPECT_THAT(errors_of(name, "x", map), ElementsAre("SR-SPEC-011")) << name;
    }
    for (const auto* name :
         {"NCCL_HOME", "NCCL_CONF_FILE", "NCCL_DEBUG_FILE", "NCCL_TOPO_FILE", "NCCL_GRAPH_FILE",
          "NCCL_TOPO_DUMP_FILE", "VLLM_NCCL_SO_PATH", "VLLM_CACHE_ROOT", "VLLM_API_KEY",
          "OMPI_MCA_plm_rsh_agent", "OMPI_MCA_mca_component_path", "UCX_MODULE_DIR"}) {
      EXPECT_THAT(errors_of(name, "x", map), ElementsAre("SR-SPEC-131")) << name << " " << map;
    }
  }
}

TEST(JobVariables, OthersAreRefusedButForExtraAndNeverAPath) {
  EXPECT_THAT(errors_of("NCCL_EXAMPLE", "1"), ElementsAre("SR-SPEC-142"));
  EXPECT_THAT(errors_of("NCCL_EXAMPLE", "1", "extra"), IsEmpty());
  EXPECT_THAT(errors_of("NCCL_EXAMPLE", "192.0.2.0/24,198.51.100.0/24", "extra"), IsEmpty());
  EXPECT_THAT(errors_of("NCCL_EXAMPLE", "192.0.2.0/24,/tmp/x", "extra"),
              ElementsAre("SR-SPEC-131"));
  EXPECT_THAT(errors_of("NCCL_ENV_PLUGIN", "./x.so", "extra"), ElementsAre("SR-SPEC-131"));
  EXPECT_THAT(errors_of("RAY_EXAMPLE", "1", "extra"), ElementsAre("SR-SPEC-011"));
}

}  // namespace
}  // namespace spark::config
