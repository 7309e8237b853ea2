import ClubStore
import Foundation
import TestSupport
import Testing

@testable import ClubLibrary

/// What a program was told is safe is there after it was killed.
@Suite(.serialized) struct OutboxKillTests {
    private func program() -> URL {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: own ?? "/").deletingLastPathComponent()
            .appending(path: "outbox-program")
    }

    /// `BYTECLUB_TEST_KILLS` and `BYTECLUB_TEST_SEED`: more of them, and others, where there is time for it.
    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test func everyWordSurvivesKillsAtAnyMoment() throws {
        let test = TestLibrary()
        let folder = test.folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var random = SeededGenerator(seed: UInt64(max(1, Self.number("BYTECLUB_TEST_SEED") ?? 11)))
        var words: Set<String> = []
        let kills = max(1, Self.number("BYTECLUB_TEST_KILLS") ?? 60)
        for kill in 0..<kills {
            let process = Process()
            process.executableURL = program()
            process.arguments = [folder.path, "k\(kill)"]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            // By what it has done, not by the clock: so many words, and then anywhere in the next one.
            let last = Int.random(in: 1...12, using: &random)
            var text = ""
            while text.count(of: "word ") < last {
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { break }
                text += String(decoding: more, as: UTF8.self)
            }
            // Another program that looks meanwhile, and leaves again, takes nothing away.
            if kill.isMultiple(of: 3) {
                _ = try LocalCopy(folder: folder.appending(path: "library")).waitingChanges()
            }
            Glibc.kill(process.processIdentifier, SIGKILL)
            text += String(
                decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(!text.contains("error"), "\(text)")
            for line in text.split(separator: "\n") where line.hasPrefix("word ") {
                words.insert(String(line.dropFirst(5)))
            }
        }
        #expect(words.count > kills)

        let library = folder.appending(path: "library")
        try check(words, in: LocalCopy(folder: library), folder)
        // Without its database, by the files beside it.
        let database = library.appending(path: "library.sqlite")
        let bytes = try Data(contentsOf: database)
        try (Data(count: 100) + bytes.dropFirst(100)).write(to: database)
        let again = LocalCopy(folder: library)
        #expect(again.takeNotice()?.contains("damaged") == true)
        try check(words, in: again, folder)
    }

    private func check(_ words: Set<String>, in copy: LocalCopy, _ folder: URL) throws {
        #expect(copy.takeNotice() == nil)
        try copy.recoverInterrupted()
        var all = ""
        for change in try copy.waitingChanges() {
            all += String(decoding: try copy.text(ofChange: change.id) ?? Data(), as: UTF8.self)
        }
        let club = folder.appending(path: "club")
        for name in try FileManager.default.contentsOfDirectory(atPath: club.path)
        where !name.hasSuffix(".part") {
            all += String(
                decoding: try Data(contentsOf: club.appending(path: name)), as: UTF8.self)
        }
        for word in words { #expect(all.contains("\(word);"), "\(word)") }
        // Nothing builds on what is gone.
        let changes = try copy.waitingChanges()
        let ids = Set(changes.map(\.id))
        for change in changes {
            if case .change(let base) = change.base { #expect(ids.contains(base)) }
        }
    }
}

extension String {
    fileprivate func count(of part: String) -> Int { components(separatedBy: part).count - 1 }
}
