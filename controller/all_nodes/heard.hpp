#pragma once
// Heard: what other nodes said last, as far as it bears their signature, to read and to pass on.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "all_nodes/statement.hpp"

namespace spark::all_nodes {

class Heard {
 public:
  /// Takes what is newer than what the node said before of the same thing. What is not to be
  /// trusted, or not understood, is passed over. True: a signature was looked at, which is what
  /// costs; most of what comes was verified when it came from another peer, or before.
  bool take(const protocol::Signed& said, const TrustedKeys& keys);
  /// What is said of other offers goes; who is present stays.
  void keep_offers(const std::set<std::string>& ids);
  void clear() { all_.clear(); }

  void each(const std::function<void(const std::string& node, const Statement&)>& visit) const;
  /// Null: nothing of that node.
  [[nodiscard]] const Presence* presence(const std::string& node) const;
  [[nodiscard]] const Status* status(const std::string& node, const std::string& offer) const;
  [[nodiscard]] const Offer* offer(const std::string& origin, const std::string& id) const;
  [[nodiscard]] const Ordered* ordered(const std::string& origin, const std::string& offer) const;

  /// What that order was said with, for a node that passes it on later too; null: there is none.
  [[nodiscard]] const protocol::Signed* order_as_said(const std::string& origin,
                                                      const std::string& offer) const;
  /// To be passed on: of offers that are not under way here without the text.
  [[nodiscard]] std::vector<protocol::Signed> said(const std::set<std::string>& under_way) const;

 private:
  struct Said {
    protocol::Signed as_said;
    Statement statement;
  };

  /// Which Statement it is, the node, and the offer, empty for a presence.
  using Key = std::tuple<std::size_t, std::string, std::string>;

  template <class T>
  const T* find(const std::string& node, const std::string& offer) const;

  std::map<Key, Said> all_;
};

}  // namespace spark::all_nodes
