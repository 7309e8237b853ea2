import Foundation
import TestSupport
import Testing

@testable import ByteClub
@testable import ClubAccess

struct SpellingAnswerTests {
    @Test(arguments: [
        ("*", SpellingAnswer.known), ("+ WALK", .known), ("-", .known),
        ("# qwxz 1", .unknown(suggestions: [])),
        ("& wrod 2 1: word, rod", .unknown(suggestions: ["word", "rod"])),
        ("? wrods 0 1: words", .unknown(suggestions: ["words"])),
    ])
    func readsALine(line: String, answer: SpellingAnswer) {
        #expect(SpellingAnswer(line: line) == answer)
    }

    @Test(arguments: ["", "@(#) International Ispell", "nonsense", "& no colon"])
    func readsNothingElse(line: String) {
        #expect(SpellingAnswer(line: line) == nil)
    }

    @Test func waitsForAnAnswerToEachWord() {
        #expect(SpellingAnswer.answers(in: "@(#) Ispell\n*\n", count: 1) == nil)
        #expect(SpellingAnswer.answers(in: "@(#) Ispell\n*\n\n# x 1\n", count: 2) == nil)
        #expect(
            SpellingAnswer.answers(in: "@(#) Ispell\n*\n\n# x 1\n\n", count: 2)
                == [.known, .unknown(suggestions: [])])
        // One of a word's parts is not known.
        #expect(
            SpellingAnswer.answers(in: "*\n# x 1\n*\n\n", count: 1) == [.unknown(suggestions: [])])
    }
}

@MainActor struct SpellerTests {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("spelling-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// A program that knows all words but “wrod”, and writes down what it is asked.
    private func speller(_ body: String? = nil) throws -> Speller {
        let file = folder.appending(path: "aspell")
        let script =
            body ?? """
                echo "@(#) International Ispell (but really a test)"
                while read -r line; do
                    echo "$line" >>"\(folder.path)/asked"
                    case $line in
                    ^Слово) echo ;;
                    ^wrod) echo "& wrod 2 1: word, rod"; echo ;;
                    ^*) echo "*"; echo ;;
                    esac
                done
                """
        try Data("#!/bin/sh\n\(body ?? script)\n".utf8).write(to: file)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: file.path)
        return try #require(
            Speller(language: "en_GB", environment: ["PATH": "\(folder.path):/usr/bin:/bin"]))
    }

    private var asked: [String] {
        let text = try? String(
            contentsOf: folder.appending(path: "asked"), encoding: .utf8)
        return (text ?? "").split(separator: "\n").map(String.init)
    }

    @Test func asksOnceForEachWord() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let speller = try speller()
        let words = ["word", "wrod", "word"]
        #expect(
            await speller.answers(for: words)
                == [.known, .unknown(suggestions: ["word", "rod"]), .known])
        #expect(speller.isWrong("wrod"))
        #expect(!speller.isWrong("word"))
        #expect(asked == ["^word", "^wrod"])
    }

    /// aspell answers such a word with an empty line alone.
    @Test func aWordOfAnotherScriptIsNotWrong() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let speller = try speller()
        #expect(await speller.answers(for: ["Слово"]) == [.known])
        #expect(await speller.answers(for: ["wrod"]) == [.unknown(suggestions: ["word", "rod"])])
    }

    @Test func asksForManyWords() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let speller = try speller()
        let words = (0..<500).map { "word" + String(repeating: "a", count: $0 % 40) + "\($0)" }
        let answers = await speller.answers(for: words)
        #expect(answers.allSatisfy { $0 == .known })
    }

    @Test func aWordIsIgnoredOrLearned() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let speller = try speller()
        _ = await speller.answers(for: ["wrod"])
        speller.learn("wrod")
        #expect(!speller.isWrong("wrod"))
        // In order: what is asked next comes after it.
        _ = await speller.answers(for: ["next"])
        #expect(asked == ["^wrod", "*wrod", "#", "^a", "^next"])
    }

    @Test(arguments: [
        ("exit 1", "has ended"), ("head -c 3000000 /dev/zero", "answers without an end"),
    ])
    func saysWhyTheSpellingIsNotChecked(body: String, reason: String) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let speller = try speller(body)
        var sentences: [String] = []
        speller.didFail = { sentences.append($0) }
        #expect(await speller.answers(for: ["one", "two"]) == [nil, nil])
        #expect(await speller.answers(for: ["three"]) == [nil])
        #expect(sentences.count == 1)
        #expect(sentences.first?.contains(reason) == true)
    }

    @Test func theLanguageIsTheOneChosen() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try speller()
        let environment = ["PATH": folder.path]
        let choice = SpellingProgram.Choice(language: "de_DE", environment: environment)
        #expect(choice?.arguments == ["-a", "--encoding=utf-8", "-d", "de_DE"])
        #expect(SpellingProgram.Choice(language: nil, environment: ["PATH": "/nowhere"]) == nil)
    }

    @Test(arguments: ["-x", "a", "en GB", "../en", "", "en_GB;rm", "a23456789012345678901"])
    func onlyANameIsALanguage(name: String) {
        #expect(SpellingChoice(language: name) == nil)
    }
}
