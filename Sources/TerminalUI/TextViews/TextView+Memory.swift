public import TextEditing

extension TextView {
    /// The state to restore when the same text is opened again.
    public struct Memory: Sendable {
        /// The selection in offsets of the text; limited to its length.
        public var selection: Selection
        /// An offset in the first row on the screen.
        public var scrollAnchor: Int
        /// Nil for the setting.
        public var wrapsLines: Bool?
        /// Whether line numbers are shown; nil for the setting.
        public var showsLineNumbers: Bool?
        /// The undo history. It must belong to exactly the loaded text.
        public var history: UndoHistory

        public init(
            selection: Selection, scrollAnchor: Int, wrapsLines: Bool? = nil,
            showsLineNumbers: Bool? = nil, history: UndoHistory = UndoHistory()
        ) {
            self.selection = selection
            self.scrollAnchor = scrollAnchor
            self.wrapsLines = wrapsLines
            self.showsLineNumbers = showsLineNumbers
            self.history = history
        }
    }

    /// The current state.
    public var memory: Memory {
        Memory(
            selection: editor.selection, scrollAnchor: editor.scrollAnchor, wrapsLines: wrapsLines,
            showsLineNumbers: showsLineNumbers, history: editor.history)
    }

    /// Restores the state of the text that was just loaded; it counts as saved.
    public func restore(_ memory: Memory) {
        if let wraps = memory.wrapsLines { wrapsLines = wraps }
        if let shows = memory.showsLineNumbers { showsLineNumbers = shows }
        perform {
            $0.restore(memory.history)
            $0.select(memory.selection)
            $0.scrollAnchor = $0.text.clusterBoundary(
                atOrBefore: min(max(0, memory.scrollAnchor), $0.text.count))
        }
        // The window may be larger now.
        fillFromBelow()
    }
}
