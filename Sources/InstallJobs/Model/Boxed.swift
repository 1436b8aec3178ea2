/// An optional value stored on the heap; takes 8 bytes when nil.
///
/// For fields that few jobs have: lists of jobs are long, and most jobs neither wait nor have
/// failed.
struct Boxed<Value: Sendable & Hashable>: Sendable, Hashable {
  // At most one element. An array is heap storage with copy on write.
  private var content: [Value]

  init(_ value: Value?) { content = value.map { [$0] } ?? [] }

  var value: Value? {
    get { content.first }
    set { content = newValue.map { [$0] } ?? [] }
  }
}
