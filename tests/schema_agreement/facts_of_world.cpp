// Prints the facts of the machine of a world.yaml, as far as a plan of a cluster file needs them:
//   facts_of_world WORLD.yaml CLUSTER.yaml
// Exit code: 0, or 1 for an error.

#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "config/parse/parse.hpp"
#include "fake/fake_pass.hpp"
#include "golden/world.hpp"
#include "host/view.hpp"
#include "state/select.hpp"

namespace {

std::string read(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string facts(const char* world_file, const char* cluster_file) {
  spark::test::FakeHost machine;
  spark::test::build_world(machine, read(world_file));
  auto ports = machine.host();
  spark::host::View view(ports);
  // The whole table, as the verb `facts` reads it; a plan reads one entry.
  const auto rdma_ports = view.rdma_ports().value();
  for (const auto& port : rdma_ports) {
    static_cast<void>(view.rdma_gids(port));
  }
  const auto parsed = spark::config::parse(read(cluster_file));
  const auto node = spark::state::select(parsed.cluster, "", view).value().node;
  static_cast<void>(spark::test::plan_in(view, node));
  return view.to_json();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: facts_of_world WORLD.yaml CLUSTER.yaml\n";
    return 1;
  }
  try {
    std::cout << facts(argv[1], argv[2]) << '\n';
  } catch (const std::exception& error) {
    std::cerr << argv[1] << ": " << error.what() << '\n';
    return 1;
  }
  return 0;
}
