#include "daemon/export/prometheus_text.hpp"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::daemon {
namespace {

/// Longer ones are cut: a label is a name, and a page of text in it wastes the receiver's storage.
constexpr std::size_t kLongestValue = 200;

std::string escaped(std::string_view value) {
  std::string text;
  // printable() leaves no line feed, which would need an escape too.
  for (const char c : printable(value, kLongestValue)) {
    if (c == '\\' || c == '"') {
      text += '\\';
    }
    text += c;
  }
  return text;
}

}  // namespace

void Exposition::family(std::string_view name, std::string_view help, std::string_view type) {
  name_ = fmt::format("{}{}", kMetricPrefix, name);
  labels_.clear();
  fmt::format_to(std::back_inserter(text_), "# HELP {0} {1}\n# TYPE {0} {2}\n", name_, help, type);
}

void Exposition::sample(double value, Labels labels) {
  std::string all;
  for (const auto& [label, label_value] : labels) {
    if (!label_value.empty()) {
      all += fmt::format("{}{}=\"{}\"", all.empty() ? "" : ",", label, escaped(label_value));
    }
  }
  if (!labels_.insert(all).second) {
    return;
  }
  fmt::format_to(std::back_inserter(text_), "{}{} {}\n", name_,
                 all.empty() ? "" : fmt::format("{{{}}}", all),
                 std::isnan(value) ? "NaN" : fmt::format("{}", value));
}

}  // namespace spark::daemon
