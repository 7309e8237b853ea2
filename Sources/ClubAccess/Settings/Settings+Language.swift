internal import Glibc
package import Messages

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

    /// What `language` may be.
    package static let languageNames = ["auto"] + Language.allCases.map(\.rawValue)
}

extension SettingsFile {
    /// The language to speak: the setting's, else the environment's.
    ///
    /// It is asked for before anything is said, so that problems in the same file are told in it. A file
    /// without the setting is not parsed for it.
    package func language() -> Language {
        func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        let content = (try? text()) ?? ""
        if content.contains("language"), let chosen = Settings(reading: content).language {
            return chosen.shown(in: variable)
        }
        return Language(environment: variable)
    }
}
