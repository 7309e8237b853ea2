internal import Glibc
package import ByteClubMessages

extension Settings {
    /// Reads `language`: `auto`, or a language's name.
    mutating func readLanguage(_ node: YAMLNode) {
        if node.isNull || node.scalar == "auto" { return }
        guard let chosen = node.scalar.flatMap(Language.init(rawValue:)) else {
            let names = Self.languageNames.joined(separator: ", ")
            report(node.line, localized("“language” must be one of: \(names)."))
            return
        }
        language = chosen
    }

    /// The valid values of `language`.
    package static let languageNames = ["auto"] + Language.allCases.map(\.rawValue)
}

extension SettingsFile {
    /// The language to use: the setting's, else the environment's.
    ///
    /// Read before the first message, so that problems in the same file are reported in it. A file without
    /// the setting is not parsed.
    package func language() -> Language {
        func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        let content = (try? text()) ?? ""
        if content.contains("language"), let chosen = Settings(reading: content).language {
            return chosen.shown(in: variable)
        }
        return Language(environment: variable)
    }
}
