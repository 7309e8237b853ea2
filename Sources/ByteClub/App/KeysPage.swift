internal import TerminalUI

/// `docs/Keys.md`: every command of the screen with its standard keys, as Markdown.
package enum KeysPage {
    /// Ends with a newline.
    package static func markdown() -> String {
        let sections = KeyContext.all.map { context in
            let rows = context.commands.map { command in
                "| \(keys(of: command)) | \(command.title.escaped) | `\(command.id)` |\n"
            }
            return "\n## \(context.title)\n\n| keys | what they do | name |\n|---|---|---|\n"
                + rows.joined()
        }
        return """
            # Keys

            Every key of the screen, by where it works. `?` shows those of the current view; `byteclub keys` lists them
            with your own. The name is what [`config.yml`](Settings.md#keys) calls a command to give it other keys. `^S` is
            Ctrl with S, `Alt+f` is Alt with F (`M-f` in `config.yml`); keys with a blank between them are pressed one after the other.

            This page is made by `byteclub keys --markdown`.

            """ + sections.joined()
    }

    private static func keys(of command: KeyCommand) -> String {
        command.keys.map { code($0.displayName) }.joined(separator: " ")
    }

    private static func code(_ key: String) -> String {
        key.contains("`") ? "`` \(key) ``" : "`\(key.escaped)`"
    }
}

extension String {
    /// Escaped for a table cell.
    fileprivate var escaped: String {
        split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}
