extension InstallationOptions {
  enum CodingKeys: String, CodingKey {
    case clientName, comment, priority, whenBusy, isForced, purgesConfiguration
    case ignoresPendingReboot, token, after, retryOf, conffiles, proxy, downloadOnly
    case chosenPlanning = "planning"
    case lockSeconds = "lockTimeout"
    case earliestStart = "notBefore"
    case latestStop = "stopBy"
    case stopSeconds = "stopWithin"
  }

  /// Decodes options; a missing key gets its default.
  ///
  /// A client may be older than the engine, or its request may be written by hand.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    func value<V: Decodable>(_ key: CodingKeys, _ otherwise: V) throws -> V {
      try box.decodeIfPresent(V.self, forKey: key) ?? otherwise
    }
    clientName = try value(.clientName, clientName)
    comment = try box.decodeIfPresent(String.self, forKey: .comment)
    priority = try value(.priority, priority)
    whenBusy = try value(.whenBusy, whenBusy)
    lockSeconds = try box.decodeIfPresent(Double.self, forKey: .lockSeconds)
    isForced = try value(.isForced, isForced)
    purgesConfiguration = try value(.purgesConfiguration, purgesConfiguration)
    ignoresPendingReboot = try value(.ignoresPendingReboot, ignoresPendingReboot)
    token = try box.decodeIfPresent(String.self, forKey: .token)
    after = try box.decodeIfPresent(JobID.self, forKey: .after)
    retryOf = try box.decodeIfPresent(JobID.self, forKey: .retryOf)
    earliestStart = try box.decodeIfPresent(Timestamp.self, forKey: .earliestStart)
    latestStop = try box.decodeIfPresent(Timestamp.self, forKey: .latestStop)
    stopSeconds = try box.decodeIfPresent(Double.self, forKey: .stopSeconds)
    conffiles = try value(.conffiles, conffiles)
    isDownloadOnly = try value(.downloadOnly, false)
    planning = try value(.chosenPlanning, PlanningOptions())
    proxy = try box.decodeIfPresent(String.self, forKey: .proxy)
  }
}
