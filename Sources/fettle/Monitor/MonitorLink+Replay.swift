import InstallJobs
import JobClient
import Monitor

/// Requests of a replay to the engine.
extension MonitorLink {
  /// Publishes an ended job and its durable events page by page, until the task is cancelled.
  func publish(_ request: RecordingRequest) async {
    do throws(InstallationError) {
      let session = try requireSession()
      let job = try await session.endedJob(request.job)
      let length = try await session.log(of: request.job, from: .max, limit: 1).length
      guard !Task.isCancelled else { return }
      mailbox.post(.replay(.begin(request, job, logLength: length)))
      var reader = RecordingReader(request.job, of: session)
      while let page = try await reader.next() {
        guard !Task.isCancelled else { return }
        await mailbox.postWithBackpressure(
          .replay(.events(request, page.events, leftOut: page.leftOut)))
        guard !Task.isCancelled else { return }
      }
      mailbox.post(.replay(.end(request, isCut: reader.isCut)))
    } catch {
      guard !Task.isCancelled else { return }
      mailbox.post(.replay(.failed(request, error)))
    }
  }

  /// Publishes a piece of a job's log for its replay.
  ///
  /// - Parameters:
  ///   - request: The replay.
  ///   - from: Offset of the first byte.
  func publishLog(_ request: RecordingRequest, from: Int64) async {
    do throws(InstallationError) {
      let piece = try await requireSession().log(of: request.job, from: from)
      mailbox.post(.replay(.log(request, asked: from, offset: piece.offset, text: piece.text)))
    } catch {
      mailbox.post(.replay(.noLog(request, error)))
    }
  }
}
