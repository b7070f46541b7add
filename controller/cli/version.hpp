#pragma once
// Which build this is. Only version.cpp is compiled with the numbers; components.cmake writes
// components().

#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"

namespace spark::cli {

/// "0.1.0".
std::string_view version_number();
/// Twelve hexadecimal digits of the commit it was built from; empty where it was not known.
std::string_view version_commit();

/// A library that programs of this build have in them: its security updates need another build.
struct Component {
  std::string name;                   ///< "yaml-cpp"
  std::string version;                ///< of the package; empty where no package has the library
  std::string package;                ///< "libyaml-cpp-dev"; empty as above
  std::vector<std::string> programs;  ///< "spark-reconcile", "spark-web"
};

template <EitherConst<Component> T, class Visit>
void each_field(T& component, Visit visit) {
  visit("name", component.name);
  visit("version", component.version);
  visit("package", component.package);
  visit("programs", component.programs);
}

/// By name.
std::vector<Component> components();

}  // namespace spark::cli
