package import ClubAccess
package import TerminalUI

/// What `config.yml` says about the screen: keys and colors, which `ClubAccess` leaves unread.
package struct ScreenSettings: Sendable {
    /// The person's own keys.
    package var keys = KeyBindings()
    /// The looks that the person chose; the others are the standard ones.
    package var styles: [Role: Style] = [:]
    /// How the others look.
    package var scheme = Theme.Scheme.automatic
    /// How pictures are shown.
    package var pictures = PictureSetting.auto
    /// What could not be taken from the whole file, in its order.
    package private(set) var problems: [Settings.Problem]

    /// Whether the file was written by a newer program: unknown names are not reported then.
    let isNewer: Bool

    /// Reads the sections for the screen. Never fails: see ``problems``.
    package init(_ settings: Settings) {
        problems = settings.problems
        isNewer = settings.isNewer
        if let keys = settings.screenSections["keys"] { readKeys(keys) }
        if let theme = settings.screenSections["theme"] { readTheme(theme) }
        problems.sort { $0.line < $1.line }
    }

    mutating func report(_ line: Int, _ sentence: String) {
        problems.append(Settings.Problem(line: line, sentence: sentence))
    }
}
