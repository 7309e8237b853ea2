import Foundation
import TestSupport
import Testing

/// Three writers of the same notes: the program on the screen and two rivals, on every real server.
///
/// `BYTECLUB_RACE_EDITS=40` makes it as long as it should be now and then, `BYTECLUB_RACE_SEED` another.
@Suite(.serialized) struct RaceTests {
    static let editCount = number("BYTECLUB_RACE_EDITS") ?? 10
    static let seed = number("BYTECLUB_RACE_SEED") ?? 4

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test(arguments: RealWebDAVServer.Kind.allCases)
    func everyWordEndsUpSomewhere(_ kind: RealWebDAVServer.Kind) async throws {
        guard kind.isInstalled else { return try skip(kind) }
        let club = try await RealWebDAVServer.shared(kind).makeClub()
        let contested = try ContestedWebDAV(
            club, notes: ["alpha.txt": "start", "beta.txt": "start"],
            honorsConditions: kind.honorsConditions, seed: UInt64(clamping: Self.seed))
        try await inFreshHome { home in
            let login = try await home.run(
                ["login", "webdav", contested.club.absoluteString, "--user", "ann"]
                    + ["--password-stdin"], input: "secret\n")
            try #require(login.status == 0, "\(login.errorText)")
            let terminal = try home.start()
            defer { terminal.close() }
            try await terminal.wait(for: "the club") {
                $0.contains("alpha.txt") && $0.contains("beta.txt")
            }
            contested.setRivalsActive(true)
            var words: [String] = []
            while words.count < Self.editCount {
                let note = words.count / 5 % 2 == 0 ? "alpha.txt" : "beta.txt"
                try await terminal.open(note)
                var isOpen = true
                while isOpen, words.count < Self.editCount {
                    let word = "p\(1000 + words.count)"
                    words.append(word)
                    // In every third case somebody writes while the person types.
                    if words.count % 3 == 0 { contested.letARivalWrite(in: note) }
                    isOpen = try await terminal.save(word)
                    // … or right after the save, in the same second.
                    if words.count % 3 == 1 { contested.letARivalWrite(in: note) }
                    isOpen = isOpen && words.count % 5 != 0
                }
                try await terminal.leaveNote()
            }
            contested.setRivalsActive(false)
            terminal.type(":quit\n")
            try await terminal.waitForEnd()
            expectEachWord(of: words, in: contested, draftsIn: home)
        }
    }

    private func expectEachWord(
        of words: [String], in contested: ContestedWebDAV, draftsIn home: ClubHome
    ) {
        let kept = contested.files.values.joined(separator: " ") + " " + drafts(in: home)
        let writes = contested.writes
        #expect(writes.contains { $0.isRivals && $0.replaced != nil })
        // What a rival has overwritten, which had read it, is the rival's.
        let overwritten = writes.filter(\.isRivals).compactMap(\.replaced).joined(separator: " ")
        for word in words where !kept.contains(word) && !overwritten.contains(word) {
            Issue.record("the program's \(word) is nowhere\n\(history(of: word, in: writes))")
        }
        for write in writes where !write.isRivals {
            let lost = contested.rivalsWords.filter { word in
                write.replaced?.contains(word) == true && write.text?.contains(word) != true
                    && !kept.contains(word)
            }
            for word in lost {
                Issue.record("the rivals' \(word) is nowhere\n\(history(of: word, in: writes))")
            }
        }
    }

    /// All that is on this computer.
    private func drafts(in home: ClubHome) -> String {
        let state = home.folder.appending(path: "state")
        let names = FileManager.default.enumerator(atPath: state.path)?
            .compactMap { $0 as? String }
        return (names ?? []).compactMap { try? Data(contentsOf: state.appending(path: $0)) }
            .map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    private func history(of word: String, in writes: [ContestedWebDAV.Write]) -> String {
        writes.filter {
            $0.replaced?.contains(word) == true || $0.text?.contains(word) == true
        }.suffix(6).map(\.description).joined(separator: "\n")
    }

    private func skip(_ kind: RealWebDAVServer.Kind) throws {
        #if compiler(>=6.3)
            try Test.cancel("\(kind.reasonToSkip)")
        #endif
    }
}

extension TerminalDriver {
    /// Opens a note of the list by its name, as it is in the club now.
    fileprivate func open(_ note: String) async throws {
        type("R")
        try await waitUntilIdle()
        type("/\(note)\n")
        try await waitUntilIdle()
        while true {
            press(.enter)
            let screen = try await look(for: "\(note) in the editor") {
                !$0.showsTabs && $0.contains("start") || $0.contains("Could not open")
            }
            guard screen.contains("Could not open") else { return }
            // The rivals were quicker than each attempt to read it.
            press(.enter)
            try await wait(untilGone: "Could not open")
        }
    }

    /// Types a word before the text and saves; where somebody else has changed the note, both are kept.
    ///
    /// - Returns: Whether the note itself is still open, not a copy of it.
    fileprivate func save(_ word: String) async throws -> Bool {
        type(word + " ")
        try await look(for: "the word") { $0.contains(word) && $0.contains("modified") }
        press(.control("s"))
        let isSaved: @Sendable (TerminalScreen) -> Bool = {
            $0.contains(word) && !$0.contains("modified") && !$0.contains("Keep both")
        }
        let screen = try await look(for: "a save or a question") {
            isSaved($0) || $0.contains("Keep both") || $0.contains("OK")
        }
        if isSaved(screen) { return true }
        if screen.contains("OK") {
            press(.enter)
            try await look(for: "the editor") { !$0.contains("OK") }
            return false
        }
        type("b")
        try await look(for: "the copy") { isSaved($0) }
        return false
    }

    /// Closes the editor; what is not saved is saved now.
    fileprivate func leaveNote() async throws {
        press(.escape)
        let screen = try await look(for: "the list or a question") {
            $0.showsTabs || $0.contains("Discard")
        }
        if screen.contains("Discard") {
            type("s")
            let second = try await look(for: "the list or another question") {
                $0.showsTabs || $0.contains("Keep both")
            }
            if second.contains("Keep both") {
                type("b")
                try await waitForTabs()
            }
        }
        // The filter.
        press(.escape)
        try await waitUntilIdle()
    }

    /// Waits for a screen that stays when the program rests: a frame is not drawn all at once.
    @discardableResult
    private func look(
        for goal: String, until isReached: @escaping @Sendable (TerminalScreen) -> Bool
    ) async throws -> TerminalScreen {
        while true {
            try await wait(for: goal, until: isReached)
            let screen = try await waitUntilIdle()
            if isReached(screen) { return screen }
        }
    }
}
