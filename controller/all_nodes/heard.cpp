#include "all_nodes/heard.hpp"

#include <algorithm>
#include <utility>

namespace spark::all_nodes {
namespace {

std::string offer_of(const Statement& statement) {
  if (const auto* offer = std::get_if<Offer>(&statement)) return offer->id;
  if (const auto* status = std::get_if<Status>(&statement)) return status->offer;
  if (const auto* ordered = std::get_if<Ordered>(&statement)) return ordered->offer;
  return {};
}

/// Of the same node and offer. An offer never changes.
bool is_newer(const Statement& one, const Statement& other) {
  if (const auto* status = std::get_if<Status>(&one)) {
    return status->number > std::get<Status>(other).number;
  }
  if (const auto* ordered = std::get_if<Ordered>(&one)) {
    return ordered->order > std::get<Ordered>(other).order;
  }
  if (const auto* presence = std::get_if<Presence>(&one)) {
    return presence->number > std::get<Presence>(other).number;
  }
  return false;
}

}  // namespace

bool Heard::take(const protocol::Signed& said, const TrustedKeys& keys) {
  const auto is_known = [&](const auto& entry) { return entry.second.as_said == said; };
  if (!keys.contains(said.node) || std::ranges::any_of(all_, is_known)) return false;
  auto statement = statement_of(said, keys);
  if (!statement) return true;
  const Key key{statement->index(), said.node, offer_of(*statement)};
  const auto former = all_.find(key);
  if (former == all_.end() || is_newer(*statement, former->second.statement)) {
    all_.insert_or_assign(key, Said{.as_said = said, .statement = std::move(*statement)});
  }
  return true;
}

void Heard::keep_offers(const std::set<std::string>& ids) {
  std::erase_if(all_, [&](const auto& entry) {
    const auto& offer = std::get<2>(entry.first);
    return !offer.empty() && !ids.contains(offer);
  });
}

void Heard::each(const std::function<void(const std::string&, const Statement&)>& visit) const {
  for (const auto& [key, said] : all_) visit(said.as_said.node, said.statement);
}

template <class T>
const T* Heard::find(const std::string& node, const std::string& offer) const {
  const auto found = all_.find({Statement(T{}).index(), node, offer});
  return found == all_.end() ? nullptr : std::get_if<T>(&found->second.statement);
}

const Presence* Heard::presence(const std::string& node) const { return find<Presence>(node, ""); }

const Status* Heard::status(const std::string& node, const std::string& offer) const {
  return find<Status>(node, offer);
}

const Offer* Heard::offer(const std::string& origin, const std::string& id) const {
  return find<Offer>(origin, id);
}

const Ordered* Heard::ordered(const std::string& origin, const std::string& offer) const {
  return find<Ordered>(origin, offer);
}

const protocol::Signed* Heard::order_as_said(const std::string& origin,
                                             const std::string& offer) const {
  const auto found = all_.find({Statement(Ordered{}).index(), origin, offer});
  return found == all_.end() ? nullptr : &found->second.as_said;
}

std::vector<protocol::Signed> Heard::said(const std::set<std::string>& under_way) const {
  std::vector<protocol::Signed> said;
  for (const auto& [key, one] : all_) {
    const auto* const offer = std::get_if<Offer>(&one.statement);
    if (offer == nullptr || under_way.contains(offer->id)) said.push_back(one.as_said);
  }
  return said;
}

}  // namespace spark::all_nodes
