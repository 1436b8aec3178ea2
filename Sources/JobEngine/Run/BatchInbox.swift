import PackageProvider
import Synchronization

/// Batches that a run has reported and the engine has not processed yet.
///
/// The engine stores each batch in one transaction. Batches that arrive meanwhile are merged, so
/// that a slow engine catches up.
final class BatchInbox: Sendable {
  /// Maximum number of reports in a merged batch; limits the length of a transaction.
  private static let most = 256

  private struct State {
    var batches: [WorkBatch] = []
    var isClosed = false
    var reader: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Adds a batch; merges it with the last batch if that is still waiting.
  func put(_ batch: WorkBatch) {
    wake { state in
      let last = state.batches.count - 1
      guard last >= 0, state.batches[last].reports.count + batch.reports.count <= Self.most
      else { return state.batches.append(batch) }
      // In place: copying the reports for each batch would take most of the time.
      state.batches[last].reports += batch.reports
      state.batches[last].offsets.merge(batch.offsets) { $1 }
    }
  }

  /// Marks the inbox as complete: no batch will follow.
  func close() { wake { $0.isClosed = true } }

  /// Returns the next batch as soon as there is one; nil after the last batch.
  ///
  /// At most one task may call this at a time.
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
