#ifndef CEDAR_ENGINE_FORWARD_H_
#define CEDAR_ENGINE_FORWARD_H_

namespace cedar {

class BlockObserver;
struct Model;
struct Scratch;

// What every part of a forward pass needs, handed down by reference.
struct Forward {
  const Model& model;
  Scratch& scratch;
  BlockObserver* observer = nullptr;  // engine/observer.h
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_FORWARD_H_
