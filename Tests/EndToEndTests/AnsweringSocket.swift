import Support

extension RawSocket {
  /// Takes the next connection of a listener and answers each of its requests with the next of some
  /// results, in their order; then reads on until the peer has left or asked once more.
  func serve(_ results: [String]) async {
    await onOwnThread {
      guard let socket = self.accept() else { return }
      for (id, result) in results.enumerated() {
        guard socket.line() != nil else { return }
        socket.send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"# + "\n")
      }
      _ = socket.line()
    }
  }
}
