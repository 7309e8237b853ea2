/// Something a key can do: its stable name, its keys and its words.
///
/// A command is a plain value that can be listed without a screen (the manual page, the
/// configuration's schema). A ``KeyTable`` says what it does in a context:
///
/// ```swift
/// extension KeyCommand {
///     static let newNote = KeyCommand(
///         "notes.new", keys: ["n", "+"], title: "New note", label: "new", weight: 90)
/// }
/// ```
public struct KeyCommand: Hashable, Sendable, Identifiable {
    /// Stable, e.g. `notes.new`: what a configuration file calls it.
    public let id: String
    /// Its keys unless the user chose others; the first one is shown.
    public let keys: [KeySequence]
    /// What it does, as a line of the key menu.
    public let title: String
    /// One word for the footer; nil keeps it out.
    public let label: String?
    /// Who stays in a narrow footer: the highest weights.
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
    ///   - label: Another word for the footer, when the context changes what it means.
    ///   - isInFooter: Whether the footer may name it now.
    ///   - reason: Why it cannot be done now, as a sentence; nil when it can.
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
