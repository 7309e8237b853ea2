/// The commands of a context: computed on each request, never stored.
///
/// The footer, the key menu and the dispatch of keys all read the same table.
///
/// ```swift
/// override var keyTable: KeyTable {
///     KeyTable("Notes") {
///         KeyCommand.newNote.performs { self.newNote() }
///         KeyCommand.deleteNote.performs(unless: selected == nil ? "No note is selected." : nil) {
///             self.deleteSelected()
///         }
///     }
/// }
/// ```
@MainActor
public struct KeyTable {
    /// A command with its current action.
    public struct Entry {
        /// The command: its stable name, its keys and its title.
        public let command: KeyCommand
        /// The footer's label in this context; nil to omit it.
        public let label: String?
        /// Why it is not available now; nil if it is.
        public let reason: String?
        /// The action, called on the main actor when the key is pressed, unless there is a ``reason`` against
        /// it.
        public let action: @MainActor () -> Void

        public init(
            command: KeyCommand, label: String?, reason: String?,
            action: @escaping @MainActor () -> Void
        ) {
            self.command = command
            self.label = label
            self.reason = reason
            self.action = action
        }

        /// Whether it is available now.
        public var isEnabled: Bool { reason == nil }
    }

    /// The context's name, a heading in the key menu.
    public let title: String
    /// The commands of this context, in the order the key menu shows them.
    public private(set) var entries: [Entry]

    /// - Parameters:
    ///   - title: The context's name in the key menu; entries of a table without one stand there
    ///     unnamed.
    ///   - entries: The commands, in the order of the key menu.
    public init(_ title: String = "", @KeyTableBuilder _ entries: () -> [Entry] = { [] }) {
        self.title = title
        self.entries = entries()
    }

    /// This table with more entries after its own.
    public func appending(@KeyTableBuilder _ more: () -> [Entry]) -> KeyTable {
        var table = self
        table.entries += more()
        return table
    }

    /// The entry of a command; nil when this context does not have it.
    public subscript(id: KeyCommand.ID) -> Entry? { entries.first { $0.command.id == id } }
}

/// Builds a table from entries written one below the other, with `if`, `switch` and `for`; nested tables and
/// lists are flattened.
@resultBuilder
@MainActor
public enum KeyTableBuilder {
    public static func buildExpression(_ entry: KeyTable.Entry) -> [KeyTable.Entry] { [entry] }
    public static func buildExpression(_ entries: [KeyTable.Entry]) -> [KeyTable.Entry] { entries }
    public static func buildExpression(_ table: KeyTable) -> [KeyTable.Entry] { table.entries }
    public static func buildBlock(_ parts: [KeyTable.Entry]...) -> [KeyTable.Entry] {
        parts.flatMap { $0 }
    }
    public static func buildOptional(_ part: [KeyTable.Entry]?) -> [KeyTable.Entry] { part ?? [] }
    public static func buildEither(first: [KeyTable.Entry]) -> [KeyTable.Entry] { first }
    public static func buildEither(second: [KeyTable.Entry]) -> [KeyTable.Entry] { second }
    public static func buildArray(_ parts: [[KeyTable.Entry]]) -> [KeyTable.Entry] {
        parts.flatMap { $0 }
    }
}
