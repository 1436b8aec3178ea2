import PackageProvider
import Synchronization

/// What a run has reported and the engine has not taken yet.
///
/// Each batch that is taken is a transaction, and what has come meanwhile goes into one: an engine that
/// is behind catches up instead of falling further back.
final class BatchInbox: Sendable {
  /// The most reports that are taken at once, so that no transaction keeps others waiting.
  private static let most = 256

  private struct State {
    var batches: [WorkBatch] = []
    var isClosed = false
    var reader: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Puts a batch in, together with the one before it where that has not been taken.
  func put(_ batch: WorkBatch) {
    wake { state in
      let last = state.batches.count - 1
      guard last >= 0, state.batches[last].reports.count + batch.reports.count <= Self.most
      else { return state.batches.append(batch) }
      // In place: a copy for each batch that comes would be most of the work.
      state.batches[last].reports += batch.reports
      state.batches[last].offsets.merge(batch.offsets) { $1 }
    }
  }

  /// Nothing more will come.
  func close() { wake { $0.isClosed = true } }

  /// The next batch, as soon as there is one; nil when nothing more will come.
  ///
  /// For one reader.
  func next() async -> WorkBatch? {
    while true {
      let (batch, isClosed) = state.withLock { state in
        (state.batches.isEmpty ? nil : state.batches.removeFirst(), state.isClosed)
      }
      if let batch { return batch }
      if isClosed { return nil }
      await withCheckedContinuation { continuation in
        let isNeeded = state.withLock { state in
          guard state.batches.isEmpty, !state.isClosed else { return false }
          state.reader = continuation
          return true
        }
        if !isNeeded { continuation.resume() }
      }
    }
  }

  private func wake(_ change: (inout State) -> Void) {
    let reader = state.withLock { state in
      change(&state)
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }
}
