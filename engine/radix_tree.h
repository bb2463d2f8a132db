#ifndef CEDAR_ENGINE_RADIX_TREE_H_
#define CEDAR_ENGINE_RADIX_TREE_H_

// Values by token prefixes. Edges hold runs of tokens, so a long prefix that nothing branches off
// costs one node.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace cedar {

template <typename T>
class RadixTree {
 public:
  using Key = std::span<const int32_t>;

  struct Match {
    size_t length = 0;   // tokens
    T* value = nullptr;  // null: no prefix of the key has a value
  };

  // The longest prefix of `key` that has a value.
  Match Longest(Key key) {
    Match best;
    Node* node = &root_;
    size_t depth = 0;
    while (true) {
      if (node->value) best = {depth, &*node->value};
      Node* const child = node->Child(key.subspan(depth));
      if (child == nullptr || child->Shared(key.subspan(depth)) < child->edge.size()) return best;
      depth += child->edge.size();
      node = child;
    }
  }

  // Sets the value of `key`, in place of an older one.
  void Insert(Key key, T value) {
    Node* node = &root_;
    while (!key.empty()) {
      Node* const child = node->Child(key);
      if (child == nullptr) {
        node = node->Add(key);
        break;
      }
      const size_t shared = child->Shared(key);
      node = shared < child->edge.size() ? node->Split(key[0], shared) : child;
      key = key.subspan(shared);
    }
    node->value = std::move(value);
  }

  // Removes the value of `key`, and the nodes that only led to it.
  void Erase(Key key) { root_.Erase(key); }

 private:
  struct Node {
    std::vector<int32_t> edge;  // tokens between the parent and this node
    std::optional<T> value;
    std::map<int32_t, std::unique_ptr<Node>> children;  // by the first token of their edge

    Node* Child(Key key) const {
      if (key.empty()) return nullptr;
      const auto it = children.find(key[0]);
      return it == children.end() ? nullptr : it->second.get();
    }

    // How many tokens of the edge the key begins with.
    size_t Shared(Key key) const {
      const size_t n = std::min(key.size(), edge.size());
      return static_cast<size_t>(
          std::mismatch(edge.begin(), edge.begin() + static_cast<long>(n), key.begin()).first -
          edge.begin());
    }

    Node* Add(Key key) {
      auto child = std::make_unique<Node>();
      child->edge.assign(key.begin(), key.end());
      return (children[key[0]] = std::move(child)).get();
    }

    // Puts a node into the edge of a child, after `length` of its tokens.
    Node* Split(int32_t first, size_t length) {
      std::unique_ptr<Node> lower = std::move(children[first]);
      auto upper = std::make_unique<Node>();
      const auto middle = lower->edge.begin() + static_cast<long>(length);
      upper->edge.assign(lower->edge.begin(), middle);
      lower->edge.erase(lower->edge.begin(), middle);
      const int32_t next = lower->edge[0];
      upper->children[next] = std::move(lower);
      return (children[first] = std::move(upper)).get();
    }

    void Erase(Key key) {
      if (key.empty()) {
        value.reset();
        return;
      }
      Node* const child = Child(key);
      if (child == nullptr || child->Shared(key) < child->edge.size()) return;
      child->Erase(key.subspan(child->edge.size()));
      if (!child->value && child->children.empty()) children.erase(key[0]);
    }
  };

  Node root_;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_RADIX_TREE_H_
