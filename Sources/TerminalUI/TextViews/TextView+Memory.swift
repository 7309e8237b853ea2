public import TextEditing

extension TextView {
    /// What can be brought back when the same text is opened again.
    public struct Memory: Sendable {
        /// What was selected, as offsets of the text; a text that is shorter now cuts it.
        public var selection: Selection
        /// An offset in the first row on the screen.
        public var scrollAnchor: Int
        /// Nil leaves it as the settings say.
        public var wrapsLines: Bool?
        /// Whether there were line numbers; nil leaves it as the settings say.
        public var showsLineNumbers: Bool?
        /// What could be undone and redone. It must belong to the very text that is loaded.
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

    /// What is to be remembered now.
    public var memory: Memory {
        Memory(
            selection: editor.selection, scrollAnchor: editor.scrollAnchor, wrapsLines: wrapsLines,
            showsLineNumbers: showsLineNumbers, history: editor.history)
    }

    /// Brings back what was remembered of the text that was just loaded; it counts as saved.
    public func restore(_ memory: Memory) {
        if let wraps = memory.wrapsLines { wrapsLines = wraps }
        if let shows = memory.showsLineNumbers { showsLineNumbers = shows }
        perform {
            $0.restore(memory.history)
            $0.select(memory.selection)
            $0.scrollAnchor = $0.text.clusterBoundary(
                atOrBefore: min(max(0, memory.scrollAnchor), $0.text.count))
        }
        // The window may be larger than it was.
        fillFromBelow()
    }
}
