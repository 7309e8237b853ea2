/// A command for a key: its stable name, its keys and its texts.
///
/// A command is a plain value that can be listed without a screen (the manual page, the configuration's
/// schema). A ``KeyTable`` defines its action in a context:
///
/// ```swift
/// extension KeyCommand {
///     static let newNote = KeyCommand(
///         "notes.new", keys: ["n", "+"], title: "New note", label: "new", weight: 90)
/// }
/// ```
public struct KeyCommand: Hashable, Sendable, Identifiable {
    /// Stable, e.g. `notes.new`: used in configuration files.
    public let id: String
    /// Its default keys; the first one is shown.
    public let keys: [KeySequence]
    /// What it does, as a line of the key menu.
    public let title: String
    /// The label in the footer; nil to omit it.
    public let label: String?
    /// The priority in a narrow footer.
    public let weight: Int

    public init(
        _ id: String, keys: [KeySequence], title: String, label: String? = nil, weight: Int = 50
    ) {
        self.id = id
        self.keys = keys
        self.title = title
        self.label = label
        self.weight = weight
    }

    /// This command as an entry of a key table.
    ///
    /// - Parameters:
    ///   - label: Another label for the footer, if its meaning depends on the context.
    ///   - isInFooter: Whether the footer may show it now.
    ///   - reason: Why it is not available now, as a sentence; nil if it is.
    @MainActor
    public func performs(
        label: String? = nil, isInFooter: Bool = true, unless reason: String? = nil,
        _ action: @escaping @MainActor () -> Void
    ) -> KeyTable.Entry {
        KeyTable.Entry(
            command: self, label: isInFooter ? label ?? self.label : nil, reason: reason,
            action: action)
    }
}
