/// What the keys do in one context: computed on each request, never stored.
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
    /// A command with what it does here and now.
    public struct Entry {
        public let command: KeyCommand
        public let label: String?
        /// Why it cannot be done now; nil when it can.
        public let reason: String?
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

        public var isEnabled: Bool { reason == nil }
    }

    /// The context's name, a heading in the key menu.
    public let title: String
    public private(set) var entries: [Entry]

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

    public subscript(id: KeyCommand.ID) -> Entry? { entries.first { $0.command.id == id } }
}

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
