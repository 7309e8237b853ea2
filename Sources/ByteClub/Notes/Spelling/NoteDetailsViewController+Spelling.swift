internal import ClubAccess
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

extension NoteDetailsViewController {
    /// Turns the marks for misspelled words on or off.
    func toggleSpellingMarks() {
        guard let spelling = madeSpelling() else { return }
        spelling.showsMarks.toggle()
        application?.showMessage(
            spelling.showsMarks
                ? localized("Misspelled words are marked. F7 goes to the next one.")
                : localized("No words are marked."))
    }

    /// Turns the marks on if a spelling program is installed.
    func markSpelling() {
        if let spelling = spelling ?? makeSpelling() { spelling.showsMarks = true }
    }

    /// Goes to the next misspelled word and asks what to do; after the last one, continues with the first.
    func checkSpelling() {
        guard let spelling = madeSpelling() else { return }
        let start = textView.selectedRange.lowerBound
        startPending { [self] in
            if let misspelling = await spelling.next(from: wordStart(at: start)) {
                ask(about: misspelling, spelling)
            } else if start > 0, let first = await spelling.next(from: 0) {
                application?.showMessage(localized("From the top of the note."))
                ask(about: first, spelling)
            } else if !spelling.speller.hasFailed {
                application?.showMessage(localized("No misspelled words."), .success)
            }
        }
    }

    /// Includes the word at the caret.
    private func wordStart(at offset: Int) -> Int {
        textView.buffer.wordRange(at: offset).lowerBound
    }

    private func ask(about misspelling: NoteSpelling.Misspelling, _ spelling: NoteSpelling) {
        textView.select(misspelling.range)
        var actions = misspelling.suggestions.prefix(5).enumerated().map { number, word in
            AlertAction(
                "\(number + 1) \(word)", label: word, key: KeySequence(names: "\(number + 1)")
            ) { [weak self] in
                self?.replace(misspelling, with: word)
            }
        }
        actions += [
            AlertAction(localized("Ignore"), key: "i") { [weak self] in
                spelling.speller.ignore(misspelling.word)
                self?.continueChecking(after: misspelling.range.upperBound)
            },
            AlertAction(localized("Add to the dictionary"), key: "a") { [weak self] in
                spelling.speller.learn(misspelling.word)
                self?.continueChecking(after: misspelling.range.upperBound)
            },
            AlertAction(localized("Edit it"), key: "e", kind: .cancel),
        ]
        present(
            AlertController(
                title: localized("“\(misspelling.word)” is not in the dictionary"),
                message: TextLine(
                    misspelling.suggestions.isEmpty
                        ? localized("There are no suggestions.")
                        : localized(
                            "Did you mean one of these? The note keeps what it says until you choose."
                        )),
                actions: actions, about: textView))
    }

    private func replace(_ misspelling: NoteSpelling.Misspelling, with word: String) {
        // The text may have been changed by another member meanwhile.
        guard textView.selectedRange == misspelling.range,
            spelling?.word(in: misspelling.range) == misspelling.word
        else { return }
        textView.replace(misspelling.range, with: TextBuffer(word))
        continueChecking(after: misspelling.range.lowerBound + word.utf8.count)
    }

    private func continueChecking(after offset: Int) {
        textView.select(offset..<offset)
        checkSpelling()
    }

    // MARK: - The program

    private func madeSpelling() -> NoteSpelling? {
        if let spelling { return spelling }
        if let made = makeSpelling() { return made }
        application?.showMessage(Self.noProgram, .warning)
        return nil
    }

    private static var noProgram: String {
        localized(
            "Install aspell, hunspell or enchant-2 with a dictionary to check spelling."
        )
    }

    /// Determined when the note is opened: the footer shows only available commands.
    var unlessSpelling: String? { progress.canSpell ? nil : Self.noProgram }

    private func makeSpelling() -> NoteSpelling? {
        guard let speller = Speller(language: settings.spelling.language) else { return nil }
        let made = NoteSpelling(speller, textView)
        speller.didFail = { [weak self] sentence in
            self?.application?.showMessage(sentence, .warning)
            // The next attempt restarts the program.
            self?.spelling?.showsMarks = false
            self?.spelling = nil
        }
        spelling = made
        return made
    }
}

extension KeyCommand {
    static let checkSpelling = KeyCommand(
        "editor.spelling", keys: ["F7"], title: localized("Go to the next misspelled word"),
        label: localized("spelling"), weight: 20)
    static let markSpelling = KeyCommand(
        "editor.mark-spelling", keys: ["M-s"], title: localized("Mark misspelled words, or not"))
}
