extension InstallationOptions {
  private enum Key: String, CodingKey {
    case clientName, comment, priority, whenBusy, lockTimeout, isForced, purgesConfiguration
    case ignoresPendingReboot, token, after, retryOf, notBefore, stopBy, stopWithin, conffiles
    case proxy, downloadOnly
  }

  /// What is absent has its default: a client may be older than the engine, or written by hand.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: Key.self)
    self.init()
    func value<V: Decodable>(_ key: Key, _ otherwise: V) throws -> V {
      try box.decodeIfPresent(V.self, forKey: key) ?? otherwise
    }
    clientName = try value(.clientName, clientName)
    comment = try box.decodeIfPresent(String.self, forKey: .comment)
    priority = try value(.priority, priority)
    whenBusy = try value(.whenBusy, whenBusy)
    lockTimeout = try box.decodeIfPresent(Double.self, forKey: .lockTimeout)
    isForced = try value(.isForced, isForced)
    purgesConfiguration = try value(.purgesConfiguration, purgesConfiguration)
    ignoresPendingReboot = try value(.ignoresPendingReboot, ignoresPendingReboot)
    token = try box.decodeIfPresent(String.self, forKey: .token)
    after = try box.decodeIfPresent(JobID.self, forKey: .after)
    retryOf = try box.decodeIfPresent(JobID.self, forKey: .retryOf)
    notBefore = try box.decodeIfPresent(Timestamp.self, forKey: .notBefore)
    stopBy = try box.decodeIfPresent(Timestamp.self, forKey: .stopBy)
    stopWithin = try box.decodeIfPresent(Double.self, forKey: .stopWithin)
    conffiles = try value(.conffiles, conffiles)
    isDownloadOnly = try value(.downloadOnly, false)
    proxy = try box.decodeIfPresent(String.self, forKey: .proxy)
  }
}
