#pragma once
// Exposition: metrics in Prometheus's text format, version 0.0.4.

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace spark::daemon {

inline constexpr std::string_view kMetricPrefix = "spark_reconcile_";

/// Writes one family after another: help, type, then its samples. Names and help are ours. Label
/// values are anyone's: they are made UTF-8, without hidden characters, and escaped.
class Exposition {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  /// `name` without the prefix, which all share. Counters' names end with "_total".
  void gauge(std::string_view name, std::string_view help) { family(name, help, "gauge"); }
  void counter(std::string_view name, std::string_view help) { family(name, help, "counter"); }
  /// Adds a sample to the last family. Leaves out a label with no value, which is the same to
  /// Prometheus, and a sample whose labels the family already has: Prometheus refuses a scrape that
  /// has one series twice.
  void sample(double value, Labels labels = {});

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void family(std::string_view name, std::string_view help, std::string_view type);

  std::string text_;
  std::string name_;
  std::set<std::string> labels_;  ///< of the last family's samples
};

}  // namespace spark::daemon
