import Foundation
import TestSupport
import Testing

/// Files that are no photos: each gets a clear sentence, and the app goes on.
@Suite struct BadFileTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let data: Data
        let sentence: String
        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "text.jpg", data: Data("Dear diary".utf8),
            sentence: "it is a text, not a picture that can be read"),
        Case(
            name: "page.jpg", data: Data("<!DOCTYPE html><title>Log in</title>".utf8),
            sentence: "it is a web page (HTML), not a picture that can be read"),
        Case(
            name: "half.jpg", data: Photos.truncated(),
            sentence: "the file ends before the picture does"),
        Case(name: "nothing.jpg", data: Data(), sentence: "the file is empty"),
    ]

    @Test(arguments: cases) func saysWhatIsWrongWithAFile(file: Case) async throws {
        try await withApp(files: [file.name: file.data]) { home, terminal in
            try await terminal.upload(file.name)
            try await terminal.waitForSentence(file.sentence)
            terminal.press(.enter)
            try await terminal.wait(untilGone: "OK")
            #expect(home.photoNames.isEmpty)
            terminal.type("1")
            try await terminal.waitUntilIdle()
            #expect(terminal.life == .running)
        }
    }

    @Test(.disabled(if: getuid() == 0, "root may read anything"))
    func saysThatAFileMayNotBeRead() async throws {
        try await withApp(files: ["secret.jpg": Photos.corners()]) { home, terminal in
            chmod(home.work.appending(path: "secret.jpg").path, 0)
            try await terminal.upload("secret.jpg")
            try await terminal.waitForSentence("cannot be read")
        }
    }

    @Test func opensAFolderThatIsNamedLikeAPhoto() async throws {
        try await withApp { home, terminal in
            let folder = home.work.appending(path: "album.jpg")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Photos.corners().write(to: folder.appending(path: "inside.jpg"))
            try await terminal.upload("album.jpg")
            try await terminal.wait(forText: "inside.jpg")
            #expect(home.photoNames.isEmpty)
        }
    }

    @Test func asksWhenTheNameIsTaken() async throws {
        let photo = Photos.corners()
        try await withApp(photos: ["sea.jpg": photo], files: ["sea.jpg": photo]) {
            home, terminal in
            try await terminal.upload("sea.jpg")
            try await terminal.wait(forText: "taken")
            terminal.press(.escape)
            try await terminal.wait(untilGone: "taken")
            #expect(home.photoNames == ["sea.jpg"])
            #expect(try Data(contentsOf: home.photos.appending(path: "sea.jpg")) == photo)
        }
    }

    @Test func showsControlCharactersInANameAndNeverObeysThem() async throws {
        let name = "a\u{1B}]0;owned\u{07}\u{1B}[31mb\nc.jpg"
        try await withApp(files: [name: Photos.corners()]) { home, terminal in
            terminal.type("2u")
            try await terminal.wait(forText: "Upload photos")
            try await terminal.wait(forText: ".jpg")
            try await terminal.waitUntilIdle()
            terminal.press(.enter)
            // A clear sentence, or a name without them in the club.
            try await terminal.wait(for: "an answer") {
                $0.contains("OK") || $0.contains("is in the club")
            }
            try await terminal.waitUntilIdle()
            #expect(home.photoNames.allSatisfy { !$0.contains { $0.isNewline || $0 == "\u{1B}" } })
            let written = String(decoding: terminal.output, as: UTF8.self)
            #expect(!written.contains("\u{1B}]0;owned"))
            #expect(!written.contains("\u{1B}[31mb"))
        }
    }
}

extension TerminalDriver {
    /// Goes to the photos and chooses a file in the working folder.
    fileprivate func upload(_ name: String) async throws {
        type("2u")
        try await wait(forText: "Upload photos")
        type("/" + name)
        try await wait(forText: name)
        try await waitUntilIdle()
        // Back to the list, which keeps the filter; there it is chosen.
        press(.enter)
        try await waitUntilIdle()
        press(.enter)
    }

    /// Waits for a sentence, however it is broken into lines inside a box.
    fileprivate func waitForSentence(_ sentence: String) async throws {
        try await wait(for: "“\(sentence)”") { screen in
            let words = screen.rows.map { row in
                row.filter { !"│┃║|".contains($0) }.split(separator: " ").joined(separator: " ")
            }.joined(separator: " ")
            return words.contains(sentence)
        }
    }
}
