import Terminal

// The module and its main type share a name, so the type's module cannot be written out.
typealias TerminalKey = Key
