internal import ClubAccess
internal import Messages
internal import TerminalUI
internal import TextEditing

extension NoteDetailsViewController {
    /// Marks misspelled words, or marks them no more.
    func toggleSpellingMarks() {
        guard let spelling = madeSpelling() else { return }
        spelling.showsMarks.toggle()
        application?.showMessage(
            spelling.showsMarks
                ? localized("Misspelled words are marked. F7 goes to the next one.")
                : localized("No words are marked."))
    }

    /// Marks misspelled words if the system has a spelling program.
    func markSpelling() {
        if let spelling = spelling ?? makeSpelling() { spelling.showsMarks = true }
    }

    /// Goes to the next misspelled word and asks what to do about it; behind the last one, to the first.
    func checkSpelling() {
        guard let spelling = madeSpelling() else { return }
        let start = textView.selectedRange.lowerBound
        startPending { [self] in
            if let finding = await spelling.next(from: wordStart(at: start)) {
                ask(about: finding, spelling)
            } else if start > 0, let first = await spelling.next(from: 0) {
                application?.showMessage(localized("From the top of the note."))
                ask(about: first, spelling)
            } else if !spelling.speller.hasFailed {
                application?.showMessage(localized("No misspelled words."), .success)
            }
        }
    }

    /// A word that the caret is in is looked at, too.
    private func wordStart(at offset: Int) -> Int {
        textView.buffer.wordRange(at: offset).lowerBound
    }

    private func ask(about finding: NoteSpelling.Finding, _ spelling: NoteSpelling) {
        textView.select(finding.range)
        var actions = finding.suggestions.prefix(5).enumerated().map { number, word in
            AlertAction(
                "\(number + 1) \(word)", label: word, key: KeySequence(names: "\(number + 1)")
            ) { [weak self] in
                self?.replace(finding, with: word)
            }
        }
        actions += [
            AlertAction(localized("Ignore"), key: "i") { [weak self] in
                spelling.speller.ignore(finding.word)
                self?.goOn(behind: finding.range.upperBound)
            },
            AlertAction(localized("Add to the dictionary"), key: "a") { [weak self] in
                spelling.speller.learn(finding.word)
                self?.goOn(behind: finding.range.upperBound)
            },
            AlertAction(localized("Edit it"), key: "e", kind: .cancel),
        ]
        present(
            AlertController(
                title: localized("“\(finding.word)” is not in the dictionary"),
                message: TextLine(
                    finding.suggestions.isEmpty
                        ? localized("There are no suggestions.")
                        : localized(
                            "Did you mean one of these? The note keeps what it says until you choose."
                        )),
                actions: actions, about: textView))
    }

    private func replace(_ finding: NoteSpelling.Finding, with word: String) {
        // The text may have been changed by another member meanwhile.
        guard textView.selectedRange == finding.range,
            spelling?.word(in: finding.range) == finding.word
        else { return }
        textView.replace(finding.range, with: TextBuffer(word))
        goOn(behind: finding.range.lowerBound + word.utf8.count)
    }

    private func goOn(behind offset: Int) {
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
            "No spelling program is installed. Install aspell, hunspell or enchant-2, with a dictionary."
        )
    }

    /// Looked for when the note is opened: the footer does not offer what is not there.
    var unlessSpelling: String? { progress.canSpell ? nil : Self.noProgram }

    private func makeSpelling() -> NoteSpelling? {
        guard let speller = Speller(language: settings.spelling.language) else { return nil }
        let made = NoteSpelling(speller, textView)
        speller.didFail = { [weak self] sentence in
            self?.application?.showMessage(sentence, .warning)
            // The next attempt starts the program again.
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
