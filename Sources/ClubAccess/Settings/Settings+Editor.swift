internal import ByteClubMessages

/// How the note editor shows a text.
package struct EditorSettings: Hashable, Sendable {
    /// Whether long lines wrap between words, or scroll sideways.
    package var wrapsLines = true
    package var showsLineNumbers = false
    /// Tab width.
    package var tabWidth = 4
    package var spelling = SpellingChoice.off

    package static let tabWidths = 1...16

    /// The standard settings.
    package init() {}
}

/// Whether misspelled words are marked as they are typed. F7 steps through them in any case.
package enum SpellingChoice: Hashable, Sendable {
    case off
    /// In the language of the system's settings.
    case on
    /// `en_GB`, `de`.
    case language(String)

    package var language: String? {
        if case .language(let name) = self { name } else { nil }
    }

    init?(node: YAMLNode) {
        if let isOn = node.flag {
            self = isOn ? .on : .off
        } else if let choice = node.scalar.flatMap(Self.init(language:)) {
            self = choice
        } else {
            return nil
        }
    }

    /// The name of a dictionary: a language of two or three letters, then parts of letters and digits.
    ///
    /// - Returns: Nil for anything else, such as a mistyped `off`; only such names reach another program's
    ///   arguments.
    package init?(language: String) {
        let parts = language.split(
            omittingEmptySubsequences: false, whereSeparator: { $0 == "_" || $0 == "-" })
        guard language.utf8.count <= 20, (2...3).contains(parts[0].count),
            parts[0].allSatisfy({ $0.isASCII && $0.isLetter }),
            parts.allSatisfy({ part in
                !part.isEmpty && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            })
        else { return nil }
        self = .language(language)
    }
}

extension Settings {
    /// Reads the section `editor`.
    mutating func readEditor(_ node: YAMLNode) {
        var chosen = editor
        readFields(of: node, localized("the editor")) { fields in
            if let wraps = fields.flag("wrap") { chosen.wrapsLines = wraps }
            if let shows = fields.flag("line-numbers") { chosen.showsLineNumbers = shows }
            if let width = fields.integer("tab-width", in: EditorSettings.tabWidths) {
                chosen.tabWidth = width
            }
            let spelling = fields.value(
                "spelling", SpellingChoice.init(node:),
                mustBe: localized("on, off or a language, e.g. en_GB"))
            if let spelling { chosen.spelling = spelling }
        }
        editor = chosen
    }

    /// Reads `mouse`: whether Byte Club handles clicks and the wheel, or the terminal does, for its
    /// selection.
    mutating func readMouse(_ node: YAMLNode) {
        if node.isNull { return }
        guard let isOn = node.flag else {
            report(node.line, localized("“mouse” must be on or off."))
            return
        }
        usesMouse = isOn
    }

    /// Reads `plain`: whether the output is for a screen reader.
    mutating func readPlain(_ node: YAMLNode) {
        if node.isNull { return }
        guard let isOn = node.flag else {
            report(node.line, localized("“plain” must be on or off."))
            return
        }
        isPlain = isOn
    }
}
