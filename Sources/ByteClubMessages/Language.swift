internal import CByteClubMessages

/// A language that Byte Club speaks. The raw values are what a configuration file calls them (BCP 47).
package enum Language: String, Hashable, Sendable, CaseIterable {
    /// What the code is written in: it needs no catalog.
    case english = "en"
    case simplifiedChinese = "zh-Hans"

    /// The language that the environment asks for.
    ///
    /// By POSIX, `LC_ALL` goes before `LC_MESSAGES` and that before `LANG`. A locale whose
    /// characters are not UTF-8 gets English, which every terminal can show.
    ///
    /// - Parameter variable: An environment variable's value.
    package init(environment variable: (String) -> String?) {
        let name = Self.locale("LC_MESSAGES", variable)
        self = Self.showsUnicode(variable) ? Language(locale: name) : .english
    }

    /// This language, or English where the environment's characters are not UTF-8.
    package func shown(in variable: (String) -> String?) -> Language {
        Self.showsUnicode(variable) ? self : .english
    }

    /// The language of a locale: `zh_CN.UTF-8`, `zh_Hans_SG`, `en_GB`. Traditional Chinese is another one.
    init(locale: String) {
        let name = locale.prefix { $0 != "." && $0 != "@" }.lowercased()
        let parts = name.split { $0 == "_" || $0 == "-" }
        let isTraditional = parts.dropFirst().contains { ["hant", "tw", "hk", "mo"].contains($0) }
        self = parts.first == "zh" && !isTraditional ? .simplifiedChinese : .english
    }

    private static func locale(_ category: String, _ variable: (String) -> String?) -> String {
        for name in ["LC_ALL", category, "LANG"] {
            if let value = variable(name), !value.isEmpty { return value }
        }
        return ""
    }

    /// The same rule as the screen's: an environment that says nothing is taken for UTF-8.
    private static func showsUnicode(_ variable: (String) -> String?) -> Bool {
        let name = locale("LC_CTYPE", variable).lowercased()
        return name.isEmpty || name.contains("utf-8") || name.contains("utf8")
    }

    /// Its messages; nil for English.
    package var catalog: MessageCatalog? {
        switch self {
        case .english: return nil
        case .simplifiedChinese:
            let file = byteclub_simplified_chinese()
            return MessageCatalog(UnsafeBufferPointer(start: file.bytes, count: file.byte_count))
        }
    }

    /// Which of a message's forms a count takes.
    func form(for count: Int) -> Int {
        switch self {
        case .english: count == 1 ? 0 : 1
        case .simplifiedChinese: 0
        }
    }
}
