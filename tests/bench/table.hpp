#pragma once
// The table of figures: one line a figure, ours beside its peer.

#include <optional>
#include <string>
#include <vector>

namespace spark::bench {

/// What was measured, one number a pair: element i of ours and of the peer's belong together.
using Series = std::vector<double>;

double median(Series series);
/// The smallest number that such a share of the series is below: 0.99 of 200 is the second largest.
double quantile(Series series, double share);

/// A number of a series as the table shows it.
using Format = std::string (*)(double);
std::string seconds_text(double seconds);
std::string factor_text(double factor);
std::string mebibytes_text(double bytes);

struct Row {
  std::string what;
  std::string ours;
  std::string peer;
  std::string ratio;   ///< median of the pairs' ratios, and their smallest and largest
  std::string target;  ///< empty: shown as information only
  bool met = true;
};

/// The row of ours / peer, pair by pair; without `limit` it has no target.
Row compare(std::string what, const Series& ours, const Series& peer, std::optional<double> limit,
            Format format = seconds_text);

/// The row of one quantile of ours / the same of the peer.
Row compare_quantile(std::string what, double share, const Series& ours, const Series& peer,
                     std::optional<double> limit);

/// Prints each row as soon as it is known.
class Table {
 public:
  explicit Table(bool with_heading);
  void add(const Row& row);
  [[nodiscard]] bool all_met() const { return all_met_; }

 private:
  bool all_met_ = true;
};

}  // namespace spark::bench
