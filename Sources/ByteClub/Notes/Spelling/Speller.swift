internal import Dispatch
internal import FoundationEssentials
internal import ByteClubMessages

/// Caches the spelling of words: each is requested once, off the main actor.
@MainActor final class Speller {
    /// Called when more words are known.
    var didLearn: (() -> Void)?
    /// Called once, with a message, when the spelling can no longer be checked.
    var didFail: ((String) -> Void)?

    private let makeProgram: @Sendable () throws -> SpellingProgram
    private var program: SpellingProgram?
    private var answers: [String: SpellingAnswer] = [:]
    /// Ignored by the user until the note is closed.
    private var ignored: Set<String> = []
    private var wanted: Set<String> = []
    private var work: Task<Void, Never>?
    private(set) var hasFailed = false

    /// Longer runs of letters are not words.
    private static let wordByteLimit = 64
    /// Only the words on the screen are requested, even in a note of a hundred megabytes.
    private static let answerLimit = 100_000

    /// - Returns: Nil if no spelling program is installed.
    convenience init?(
        language: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        guard let choice = SpellingProgram.Choice(language: language, environment: environment)
        else { return nil }
        self.init(choice)
    }

    init(_ choice: SpellingProgram.Choice) {
        makeProgram = { try SpellingProgram(choice) }
    }

    /// Whether a word is known to be misspelled; requests an unknown word.
    func isWrong(_ word: String) -> Bool {
        if case .unknown? = answer(word) { return true }
        return false
    }

    /// What is known of a word; nil while it is requested.
    func answer(_ word: String) -> SpellingAnswer? {
        guard word.utf8.count <= Self.wordByteLimit, !ignored.contains(word) else { return .known }
        if let answer = answers[word] { return answer }
        if !hasFailed {
            wanted.insert(word)
            ask()
        }
        return nil
    }

    /// Returns when all words are known.
    func answers(for words: [String]) async -> [SpellingAnswer?] {
        for word in words { _ = answer(word) }
        while let work { await work.value }
        return words.map(answer)
    }

    /// Ignores a word until the note is closed.
    func ignore(_ word: String) {
        ignored.insert(word)
        didLearn?()
    }

    /// Adds a word to the user's dictionary, which is shared with other programs.
    func learn(_ word: String) {
        ignore(word)
        let before = work
        work = Task { [weak self] in
            await before?.value
            guard let self else { return }
            defer { askForRest() }
            guard let program else { return }
            do {
                try await Self.run(on: program) { try $0.learn(word) }
            } catch {
                fail(error)
            }
        }
    }

    private func ask() {
        guard work == nil else { return }
        work = Task { [weak self] in
            guard let self else { return }
            defer { askForRest() }
            do {
                let program =
                    if let program = self.program {
                        program
                    } else {
                        try await Self.start(makeProgram)
                    }
                self.program = program
                let words = wanted.sorted()
                let found = try await Self.run(on: program) { try $0.ask(words) }
                if answers.count > Self.answerLimit { answers = [:] }
                for (word, answer) in zip(words, found) { answers[word] = answer }
                wanted.subtract(words)
            } catch {
                fail(error)
            }
            didLearn?()
        }
    }

    private func askForRest() {
        work = nil
        if !wanted.isEmpty, !hasFailed { ask() }
    }

    private func fail(_ error: any Error) {
        wanted = []
        program = nil
        guard !hasFailed else { return }
        hasFailed = true
        let reason = (error as? SpellingProgram.Failure)?.reason ?? "\(error)"
        didFail?(localized("The spelling is not checked: \(reason)."))
    }

    @concurrent private nonisolated static func start(
        _ make: @Sendable () throws -> SpellingProgram
    ) async throws -> SpellingProgram {
        try make()
    }

    private nonisolated static func run<Result: Sendable>(
        on program: SpellingProgram,
        _ body: @escaping @Sendable (SpellingProgram) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            program.queue.async { @Sendable in
                continuation.resume(with: Swift.Result { try body(program) })
            }
        }
    }
}
