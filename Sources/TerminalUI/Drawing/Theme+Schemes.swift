extension Theme {
    /// A set of styles for all roles, without the user's own choices. The raw values are used in
    /// configuration files.
    public enum Scheme: String, Hashable, Sendable, CaseIterable {
        /// Depends on the terminal's background; readable on any if that is unknown.
        case automatic = "auto"
        /// Brighter colors, for a dark background.
        case dark
        /// Darker colors, for a light background.
        case light
        /// No gray or dim text: the terminal's own color, and black on yellow or white on red.
        case highContrast = "high-contrast"
        /// Attributes only, on any terminal.
        case mono

        /// The scheme for a background: ``automatic`` follows it if known.
        func resolved(on background: TerminalBackground?) -> Theme.Scheme {
            guard self == .automatic else { return self }
            return switch background {
            case .dark: .dark
            case .light: .light
            case nil: .automatic
            }
        }

        /// The scheme's own style of a role, else that of ``automatic``.
        func look(_ role: Role, _ depth: ColorDepth) -> Style? {
            switch self {
            case .automatic, .mono: nil
            case _ where depth == .monochrome: nil
            case .highContrast: Self.contrasting(role, depth)
            case .dark: depth >= .palette ? Self.onDark(role) : Self.fewColorsOnDark(role, depth)
            case .light: depth >= .palette ? Self.onLight(role) : Self.fewColorsOnLight(role)
            }
        }
    }
}

extension Theme.Scheme {
    private static func onDark(_ role: Role) -> Style? {
        let blue = Color.palette(75)
        return switch role {
        case .secondary, .keyLabel, .inactiveTab: Style(foreground: .palette(249))
        case .disabled, .progressTrack, .backdrop: Style(foreground: .palette(246))
        case .accent, .focusedBorder, .progress: Style(foreground: blue)
        case .key, .heading: Style(foreground: blue, .bold)
        case .border: Style(foreground: .palette(245))
        case .marked: Style(foreground: .palette(221), .bold)
        case .match: Style(foreground: .palette(215), [.bold, .underline])
        case .selectedText: Style(foreground: .palette(231), background: .palette(24))
        case .success, .code: Style(foreground: .palette(114))
        case .warning, .sign, .invisible: Style(foreground: .palette(215))
        case .error: Style(foreground: .palette(210), .bold)
        case .misspelled: Style(foreground: .palette(210), .underline)
        case .link: Style(foreground: blue, .underline)
        default: nil
        }
    }

    private static func onLight(_ role: Role) -> Style? {
        let blue = Color.palette(25)
        return switch role {
        case .secondary, .keyLabel, .inactiveTab: Style(foreground: .palette(239))
        case .disabled, .progressTrack, .backdrop: Style(foreground: .palette(242))
        case .accent, .focusedBorder, .progress: Style(foreground: blue)
        case .key, .heading: Style(foreground: blue, .bold)
        case .border: Style(foreground: .palette(242))
        case .inactiveSelection, .button: Style(foreground: .palette(16), background: .palette(252))
        case .marked, .warning, .sign, .invisible: Style(foreground: .palette(94), .bold)
        case .match: Style(foreground: .palette(88), [.bold, .underline])
        case .selectedText: Style(foreground: .palette(231), background: .palette(24))
        case .success, .code: Style(foreground: .palette(22))
        case .error: Style(foreground: .palette(124), .bold)
        case .misspelled: Style(foreground: .palette(124), .underline)
        case .link: Style(foreground: blue, .underline)
        default: nil
        }
    }

    private static func fewColorsOnDark(_ role: Role, _ depth: ColorDepth) -> Style? {
        guard depth == .sixteen else { return nil }
        let cyan = Color.palette(14)
        return switch role {
        case .accent, .focusedBorder, .progress: Style(foreground: cyan)
        case .key, .heading: Style(foreground: cyan, .bold)
        case .secondary, .keyLabel, .inactiveTab: .plain
        case .warning, .sign, .invisible: Style(foreground: .palette(11))
        case .success, .code: Style(foreground: .palette(10))
        case .error: Style(foreground: .palette(9), .bold)
        default: nil
        }
    }

    private static func fewColorsOnLight(_ role: Role) -> Style? {
        let blue = Color.palette(4)
        return switch role {
        case .accent, .focusedBorder, .progress: Style(foreground: blue)
        case .key, .heading: Style(foreground: blue, .bold)
        case .selection, .activeTab, .focusedButton, .selectedText:
            Style(foreground: blue, .reverse)
        case .link: Style(foreground: blue, .underline)
        case .marked, .warning, .sign, .invisible: Style(foreground: .palette(5), .bold)
        default: nil
        }
    }

    private static func contrasting(_ role: Role, _ depth: ColorDepth) -> Style? {
        let hasCube = depth >= .palette
        let (black, white) = (Color.palette(hasCube ? 16 : 0), Color.palette(hasCube ? 231 : 7))
        let (yellow, red) = (Color.palette(hasCube ? 226 : 3), Color.palette(hasCube ? 124 : 1))
        return switch role {
        case .text, .secondary, .keyLabel, .inactiveTab, .border, .progress, .progressTrack,
            .backdrop,
            .disabled, .success, .code, .sign:
            .plain
        case .accent, .key, .heading, .focusedBorder, .strong: Style(.bold)
        case .selection, .activeTab, .focusedButton, .selectedText, .match:
            Style(foreground: black, background: yellow, .bold)
        case .inactiveSelection, .button: Style(.reverse)
        case .marked, .warning, .invisible, .misspelled: Style([.bold, .underline])
        case .error: Style(foreground: white, background: red, .bold)
        case .field, .focusedField, .link, .emphasis: Style(.underline)
        }
    }
}
