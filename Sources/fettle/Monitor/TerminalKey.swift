import Terminal

// The module `Terminal` and its main type have one name, so `Terminal.Key` would name a member of
// the type.
typealias TerminalKey = Key
