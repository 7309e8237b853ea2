internal import Messages
internal import TerminalUI

extension KeyCommand {
    /// Leaves a page in front of the tabs in which nothing is typed: a list such as the transfers, or a text that is
    /// only read.
    static let closePage = KeyCommand(
        "page.close", keys: ["Esc", "q", "^C"], title: localized("Back"), label: localized("back"),
        weight: 85)

    static let pageCommands: [KeyCommand] = [.closePage]
}
