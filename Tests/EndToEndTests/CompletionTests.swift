import Foundation
import TestSupport
import Testing

/// What a shell proposes at the Tab key, with the script that it loads.
@Suite struct CompletionTests {
    private func propose(
        _ words: [String], in home: ClubHome
    ) async throws -> [String] {
        try await home.propose(words, of: ClubHome.program)
    }

    @Test func namesOfThisComputerAreProposedWithoutAServer() async throws {
        try await inFreshHome { home in
            for name in ["Plan.txt", "My Plan.txt", "drafts/größe.txt"] {
                let file = home.club.appending(path: name)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data("x".utf8).write(to: file)
            }
            try FileManager.default.createDirectory(
                at: home.photos, withIntermediateDirectories: true)
            try Data("x".utf8).write(to: home.photos.appending(path: "sea.jpg"))
            #expect(try await propose(["notes", "cat", "P"], in: home) == ["Plan.txt"])
            #expect(try await propose(["notes", "cat", "dr"], in: home) == ["drafts/größe.txt"])
            #expect(try await propose(["notes", "mv", "dra"], in: home).contains("drafts/"))
            #expect(try await propose(["photos", "get", ""], in: home).contains("sea.jpg"))
            #expect(try await propose(["notes", "ls", "--club", "emb"], in: home) == ["embedded"])
        }
    }

    /// Other members choose the names of notes and photos, and bash expands the words of a list.
    @Test func aNameIsNeverRun() async throws {
        try await inFreshHome { home in
            let names = [
                "a$(touch RUN1).txt", "a`touch RUN2`.txt", "a${HOME}.txt", "a'b.txt", "a\"b.txt",
                "a\\b.txt", "a;touch RUN3.txt", "a&b.txt", "a*.txt", "a\u{202E}b.txt", "-rf.txt",
                "a<(touch RUN4).txt", "a!b.txt", "a{b,c}.txt", "a\nb.txt",
            ]
            try FileManager.default.createDirectory(
                at: home.photos, withIntermediateDirectories: true)
            for name in names + ["plain.txt"] {
                try Data("x".utf8).write(to: home.club.appending(path: name))
            }
            try Data("x".utf8).write(to: home.photos.appending(path: "$(touch RUN5).jpg"))
            #expect(try await propose(["notes", "cat", ""], in: home) == ["plain.txt"])
            #expect(try await propose(["notes", "rm", "a"], in: home).isEmpty)
            #expect(try await propose(["photos", "get", ""], in: home).isEmpty)
            let made = try FileManager.default.contentsOfDirectory(atPath: home.work.path)
            #expect(!made.contains { $0.hasPrefix("RUN") })
        }
    }
}
