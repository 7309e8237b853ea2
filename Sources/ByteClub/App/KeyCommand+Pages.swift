internal import ByteClubMessages
internal import TerminalUI

extension KeyCommand {
    /// Closes a page in front of the tabs that has no text input: a list such as the transfers, or a
    /// read-only text.
    static let closePage = KeyCommand(
        "page.close", keys: ["Esc", "q", "^C"], title: localized("Back"), label: localized("back"),
        weight: 85)

    static let pageCommands: [KeyCommand] = [.closePage]
}
