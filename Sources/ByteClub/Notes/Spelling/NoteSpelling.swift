internal import TerminalUI
internal import TextEditing

/// Spell checking in an editor: marks misspelled words on the screen, and finds the next one.
@MainActor final class NoteSpelling {
    let speller: Speller
    private let textView: TextView
    /// The word being typed, which is incomplete and therefore neither marked nor checked.
    private var typed: Range<Int>?

    /// The number of lines checked at a time.
    private static let lineCount = 200

    init(_ speller: Speller, _ textView: TextView) {
        self.speller = speller
        self.textView = textView
    }

    var showsMarks: Bool {
        get { textView.markedWords != nil }
        set {
            guard newValue else {
                speller.didLearn = nil
                textView.markedWords = nil
                return
            }
            speller.didLearn = { [weak textView] in textView?.markedWordsDidChange() }
            textView.markedWords = { [weak self] words in self?.misspelled(among: words) ?? [] }
        }
    }

    /// Checks the word that the caret has left.
    func caretDidMove() {
        guard let typed, !textView.isCaret(at: typed) else { return }
        self.typed = nil
        textView.markedWordsDidChange()
    }

    private func misspelled(among words: [Range<Int>]) -> [Range<Int>] {
        words.filter { range in
            if textView.isDirty, textView.isCaret(at: range) {
                typed = range
                return false
            }
            return speller.isWrong(word(in: range))
        }
    }

    func word(in range: Range<Int>) -> String {
        String(decoding: textView.buffer.bytes(in: range), as: UTF8.self)
    }

    /// A misspelled word with suggestions.
    struct Misspelling {
        var range: Range<Int>
        var word: String
        var suggestions: [String]
    }

    /// The first misspelled word at or after an offset; nil if there is none, or the spelling cannot be
    /// checked.
    func next(from offset: Int) async -> Misspelling? {
        var line = textView.buffer.line(at: min(offset, textView.buffer.count))
        while line < textView.buffer.lineCount, !Task.isCancelled {
            let state = textView.state
            let words = textView.words(ofLines: line..<line + Self.lineCount)
                .filter { $0.lowerBound >= offset }
            let answers = await speller.answers(for: words.map(word))
            // The text has changed since the request: the ranges are invalid.
            guard textView.state == state, !speller.hasFailed else { return nil }
            for (range, answer) in zip(words, answers) {
                guard case .unknown(let suggestions)? = answer else { continue }
                return Misspelling(range: range, word: word(in: range), suggestions: suggestions)
            }
            line += Self.lineCount
        }
        return nil
    }
}
