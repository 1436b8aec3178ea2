/// What few values of a kind have: it lies on the heap where there is something, and takes eight bytes
/// where there is nothing.
///
/// Lists of jobs are long, and most of their jobs wait for nothing and have not failed.
struct Boxed<Value: Sendable & Hashable>: Sendable, Hashable {
  // At most one: an array is storage on the heap that is copied when it is shared and changed.
  private var content: [Value]

  init(_ value: Value?) { content = value.map { [$0] } ?? [] }

  var value: Value? {
    get { content.first }
    set { content = newValue.map { [$0] } ?? [] }
  }
}
