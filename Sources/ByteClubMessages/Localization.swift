internal import Synchronization

/// The language in which the program speaks to people: one for the whole program, chosen at its start.
package enum Localization {
    private struct Choice: Sendable {
        var language = Language.english
        var catalog: MessageCatalog?
        /// Made when it is first asked for.
        var english: [String: String]?
    }

    private static let choice = Mutex(Choice())

    /// The language in use; English before anything else was chosen.
    package static var language: Language { choice.withLock { $0.language } }

    /// Speaks this language from now on. Words that are kept somewhere stay as they are.
    package static func use(_ language: Language) {
        guard language != Self.language else { return }
        let new = Choice(language: language, catalog: language.catalog)
        choice.withLock { $0 = new }
    }

    /// The English words of a text of the catalog; empty where there are none, or the language is English.
    ///
    /// With them a command is found without an input method. The first call takes about a millisecond.
    package static func english(_ text: String) -> String {
        choice.withLock { choice in
            guard let catalog = choice.catalog else { return "" }
            let english = choice.english ?? catalog.keys
            choice.english = english
            return english[text] ?? ""
        }
    }

    fileprivate static var current: (language: Language, catalog: MessageCatalog?) {
        choice.withLock { ($0.language, $0.catalog) }
    }

    fileprivate static var catalog: MessageCatalog? { choice.withLock { $0.catalog } }

    /// A message for a count, in the form that the language has for it.
    ///
    /// - Parameters:
    ///   - one: In English for 1, the count being its first value: `"\(count) note"`.
    ///   - other: In English for any other number.
    package static func text(_ count: Int, one: Message, other: Message) -> String {
        let (language, catalog) = current
        let english = count == 1 ? one : other
        return catalog?.text(of: one, form: language.form(for: count)) ?? english.text
    }
}

/// A message in the program's language; in English where the catalog does not have it.
///
/// - Parameter context: Tells messages apart that are the same in English, and not elsewhere.
package func localized(_ message: Message, context: String? = nil) -> String {
    Localization.catalog?.text(of: message, context: context) ?? message.text
}
