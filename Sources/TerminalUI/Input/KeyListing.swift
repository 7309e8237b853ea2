/// A command with its keys, for lists of them.
public struct KeyListing: Encodable, Sendable {
    /// The part of the screen where it works.
    public var context: String
    /// As written in configuration files.
    public var keys: [String]
    /// What it does, in the language of the program.
    public var title: String

    /// Each command of a part of the screen.
    public static func rows(
        _ context: String, _ commands: [KeyCommand], _ bindings: KeyBindings = KeyBindings()
    ) -> [KeyListing] {
        commands.map { command in
            KeyListing(
                context: context, keys: bindings.keys(for: command).map(\.displayName),
                title: command.title)
        }
    }
}
