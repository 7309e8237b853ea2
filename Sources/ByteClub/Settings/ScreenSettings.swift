package import ClubAccess
package import TerminalUI

/// The settings for the screen in `config.yml`: keys and colors, which `ClubAccess` does not read.
package struct ScreenSettings: Sendable {
    /// The user's key bindings.
    package var keys = KeyBindings()
    /// The user's styles; others have their defaults.
    package var styles: [Role: Style] = [:]
    /// The color scheme of the default styles.
    package var scheme = Theme.Scheme.automatic
    /// How pictures are shown.
    package var pictures = PictureSetting.auto
    /// The problems of the whole file, in its order.
    package private(set) var problems: [Settings.Problem]

    /// Whether the file was written by a newer version: unknown names are then not reported.
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
