import Canvas

extension MonitorState {
  /// Handles a key on the settings screen that changes a value; nil for any other key.
  mutating func changeSetting(_ key: Key) -> [Intent]? {
    let step: Int
    switch key {
    case .right, .enter, .character(" "), .character("l"): step = 1
    case .left, .character("h"): step = -1
    default: return nil
    }
    let new = settings.changed(preferences, by: step)
    guard new != preferences else { return [] }
    var intents: [Intent] = []
    if new.theme != preferences.theme { intents.append(.useTheme(new.theme)) }
    if new.usesMouse != preferences.usesMouse { intents.append(.useMouse(new.usesMouse)) }
    preferences = new
    return intents + [.keep(new)]
  }

  /// Moves the column of the selected settings row.
  mutating func moveColumn(by step: Int) -> [Intent] {
    guard let new = settings.moved(preferences, by: step) else {
      message = Message(text: "there is no column here to move that way", isAlert: true)
      return []
    }
    preferences = new
    return [.keep(new)]
  }
}
