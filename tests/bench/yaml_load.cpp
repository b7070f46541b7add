// The peer of `validate`: yaml-cpp loads the file, and nothing else happens.

#include <yaml-cpp/yaml.h>

int main(int argc, char** argv) try {
  return argc == 2 && YAML::LoadFile(argv[1]).IsMap() ? 0 : 1;
} catch (const YAML::Exception&) {
  return 1;
}
