/// The purpose of a piece of text, which determines its style. The raw values are used in configuration
/// files.
public enum Role: String, Hashable, Sendable, CaseIterable {
    /// Ordinary text.
    case text
    /// Less important text: sizes, ages, hints.
    case secondary
    /// Text to notice first: the tab, a title, the name of a key.
    case accent
    case heading
    /// A border, and that of the focused view.
    case border
    case focusedBorder = "focused-border"
    /// The selected row of the focused list, and of others.
    case selection
    case inactiveSelection = "inactive-selection"
    /// A marked row.
    case marked
    /// The part of a row that a filter or a search matched.
    case match
    case key
    case keyLabel = "key-label"
    case activeTab = "active-tab"
    case inactiveTab = "inactive-tab"
    case button
    case focusedButton = "focused-button"
    case disabled
    /// The background of a text field, and of the focused one.
    case field
    case focusedField = "focused-field"
    /// Selected text in an editor.
    case selectedText = "selected-text"
    case progress
    case progressTrack = "progress-track"
    case success
    case warning
    case error
    /// The background of a modal dialog.
    case backdrop
    /// Markdown in an editor: stressed, stressed strongly, code, addresses, and the signs of lists and
    /// quotations. Headings are ``heading``.
    case emphasis
    case strong
    case code
    case link
    case sign
    /// A word that is not in the dictionary.
    case misspelled
    /// An escaped control character.
    case invisible
}

/// The styles of all roles at a color depth.
///
/// All roles keep the terminal's background or set both colors. Colors have a medium brightness, to be
/// readable on light and dark backgrounds.
public struct Theme: Hashable, Sendable {
    /// The color depth of the styles.
    public let depth: ColorDepth
    /// Whether the output is for a screen reader: what a style shows is written in characters.
    public let isPlain: Bool
    private var styles: [Role: Style] = [:]

    /// The styles for a color depth.
    ///
    /// - Parameters:
    ///   - choices: The user's styles. Without colors, only their attributes count.
    ///   - isPlain: See ``isPlain``.
    public init(
        depth: ColorDepth, scheme: Scheme = .automatic, choices: [Role: Style] = [:],
        isPlain: Bool = false
    ) {
        let depth = scheme == .mono ? .monochrome : depth
        self.depth = depth
        self.isPlain = isPlain
        for role in Role.allCases {
            styles[role] = scheme.look(role, depth) ?? Self.standard(role, depth)
        }
        for (role, style) in choices {
            styles[role] = depth == .monochrome ? Style(style.attributes) : style
        }
    }

    /// The style of a role; setting it replaces the standard one.
    public subscript(role: Role) -> Style {
        get { styles[role] ?? .plain }
        set { styles[role] = newValue }
    }
}

extension Theme {
    private static func standard(_ role: Role, _ depth: ColorDepth) -> Style {
        switch depth {
        case .palette, .direct: palette(role)
        case .sixteen, .eight: ansi(role)
        case .monochrome: monochrome(role)
        }
    }

    private static func palette(_ role: Role) -> Style {
        let blue = Color.palette(32)
        let grey = Color.palette(244)
        let white = Color.palette(231)
        return switch role {
        case .text: .plain
        case .secondary, .keyLabel, .inactiveTab: Style(foreground: grey)
        case .disabled, .progressTrack: Style(foreground: .palette(242))
        case .accent: Style(foreground: blue)
        case .key: Style(foreground: blue, .bold)
        case .heading: Style(foreground: blue, .bold)
        case .border: Style(foreground: .palette(241))
        case .focusedBorder: Style(foreground: blue)
        case .selection: Style(foreground: white, background: .palette(25))
        case .inactiveSelection: Style(foreground: white, background: .palette(240))
        case .marked: Style(foreground: .palette(136), .bold)
        case .match: Style(foreground: .palette(166), [.bold, .underline])
        case .activeTab: Style(foreground: white, background: .palette(25), .bold)
        case .button: Style(foreground: white, background: .palette(240))
        case .focusedButton: Style(foreground: white, background: .palette(25), .bold)
        case .field: Style(.underline)
        case .focusedField: Style(foreground: .default, .underline)
        case .selectedText: Style(foreground: white, background: .palette(31))
        case .progress: Style(foreground: blue)
        case .success: Style(foreground: .palette(64))
        case .warning: Style(foreground: .palette(130))
        case .error: Style(foreground: .palette(160), .bold)
        case .backdrop: Style(foreground: .palette(242))
        case .emphasis: Style(.italic)
        case .strong: Style(.bold)
        case .code: Style(foreground: .palette(30))
        case .link: Style(foreground: blue, .underline)
        case .sign: Style(foreground: .palette(130))
        case .misspelled: Style(foreground: .palette(160), .underline)
        case .invisible: Style(foreground: .palette(130))
        }
    }

    private static func ansi(_ role: Role) -> Style {
        let cyan = Color.palette(6)
        return switch role {
        case .text: .plain
        case .secondary, .keyLabel, .inactiveTab, .border, .disabled, .progressTrack, .backdrop:
            Style(.dim)
        case .accent, .focusedBorder, .progress: Style(foreground: cyan)
        case .key, .heading: Style(foreground: cyan, .bold)
        case .selection, .activeTab, .focusedButton, .selectedText:
            Style(foreground: cyan, .reverse)
        case .inactiveSelection, .button: Style(.reverse)
        case .marked: Style(foreground: .palette(3), .bold)
        case .match: Style(foreground: .palette(5), .bold)
        case .field, .focusedField: Style(.underline)
        case .success: Style(foreground: .palette(2))
        case .warning: Style(foreground: .palette(3))
        case .error: Style(foreground: .palette(1), .bold)
        // Few terminals with few colors support italics.
        case .emphasis: Style(.underline)
        case .strong: Style(.bold)
        case .code: Style(foreground: .palette(2))
        case .link: Style(foreground: cyan, .underline)
        case .sign: Style(foreground: .palette(3))
        case .misspelled: Style(foreground: .palette(1), .underline)
        case .invisible: Style(foreground: .palette(3))
        }
    }

    private static func monochrome(_ role: Role) -> Style {
        switch role {
        case .text, .progress, .progressTrack, .success, .code, .sign: .plain
        case .secondary, .keyLabel, .inactiveTab, .border, .disabled, .backdrop: Style(.dim)
        case .accent, .key, .heading, .focusedBorder, .marked, .warning, .error, .strong:
            Style(.bold)
        case .selection, .activeTab, .focusedButton, .selectedText: Style(.reverse)
        case .inactiveSelection: Style([.bold, .underline])
        case .button, .field, .focusedField, .match, .emphasis, .link, .misspelled:
            Style(.underline)
        case .invisible: Style(.dim)
        }
    }
}
