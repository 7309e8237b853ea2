import Foundation
import TestSupport
import Testing

/// What the commands write, to the letter; what they do is walked through end to end elsewhere.
@Suite(.serialized) struct CommandOutputTests {
    private func inHome(_ body: (ClubHome) async throws -> Void) async throws {
        let home = try ClubHome(hasClub: true)
        defer { home.remove() }
        try await body(home)
    }

    @Test func jsonHasTheDocumentedFieldsAndNoControlCharacters() async throws {
        try await inHome { home in
            let name = "tab\there \u{9B}31m \u{202E}.txt"
            try home.write("12345", toNote: name)
            let file = home.club.appending(path: name)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)],
                ofItemAtPath: file.path)
            let output = try await home.run("notes", "ls", "--json")
            let files = try #require(
                JSONSerialization.jsonObject(with: output.standardOutput) as? [[String: Any]])
            try #require(files.count == 1)
            #expect(Set(files[0].keys) == ["name", "size", "modified", "revision", "path"])
            #expect(files[0]["name"] as? String == name)
            #expect(files[0]["path"] as? String == "/" + name)
            #expect(files[0]["size"] as? Int == 5)
            #expect(files[0]["modified"] as? String == "2023-11-14T22:13:20Z")
            #expect((files[0]["revision"] as? String)?.isEmpty == false)
            #expect(
                output.text.unicodeScalars.allSatisfy { scalar in
                    scalar == "\n"
                        || ![.control, .format].contains(scalar.properties.generalCategory)
                })
        }
    }

    @Test func anEmptyClubIsAnEmptyList() async throws {
        try await inHome { home in
            let notes = try await home.run("notes", "ls", "--json")
            #expect(notes.text == "[]\n")
            #expect(try await home.run("photos", "ls").text == "")
        }
    }

    @Test func aNoteIsWrittenOutAsItIs() async throws {
        try await inHome { home in
            let bytes = Data([0xFF, 0x00, 0x1B, 0x5B, 0x41])
            try bytes.write(to: home.club.appending(path: "raw.bin"))
            try home.write("", toNote: "empty.txt")
            #expect(try await home.run("notes", "cat", "raw.bin", "empty").standardOutput == bytes)
        }
    }

    @Test func theSameTextUnderATakenNameIsRefusedToo() async throws {
        try await inHome { home in
            try home.write("same", toNote: "Plan.txt")
            let output = try await home.run("notes", "new", "Plan", "-", input: "same")
            #expect(output.status == 1)
            #expect(
                output.errorText
                    == "byteclub: There is a note “Plan.txt” already. Nothing was changed.\n")
        }
    }

    @Test func oneBadPhotoDoesNotKeepTheOthersBack() async throws {
        try await inHome { home in
            try Photos.corners().write(to: home.work.appending(path: "good.jpg"))
            try Data("text".utf8).write(to: home.work.appending(path: "bad.jpg"))
            let output = try await home.run("photos", "put", "bad.jpg", "good.jpg")
            #expect(output.status == 1)
            #expect(
                output.errorText
                    == "byteclub: “bad.jpg” was not added because it is a text, not a picture that can be read.\n"
            )
            #expect(home.photoNames == ["good.jpg"])
        }
    }

    @Test func aPhotoIsFetchedIntoAFolderUnderItsOwnName() async throws {
        try await inHome { home in
            try Photos.corners().write(to: home.photos.appending(path: "sea.jpg"))
            #expect(try await home.run("photos", "get", "sea.jpg").status == 0)
            try FileManager.default.createDirectory(
                at: home.work.appending(path: "folder"), withIntermediateDirectories: false)
            #expect(try await home.run("photos", "get", "sea.jpg", "folder").status == 0)
            #expect(home.names(in: home.work) == ["folder", "sea.jpg"])
            #expect(home.names(in: home.work.appending(path: "folder")) == ["sea.jpg"])
        }
    }

    @Test func aResumedDownloadUsesWhatIsThere() async throws {
        try await inHome { home in
            let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) })
            try bytes.write(to: home.photos.appending(path: "sea.jpg"))
            let list = try await home.run("photos", "ls", "--json")
            let files = try #require(
                JSONSerialization.jsonObject(with: list.standardOutput) as? [[String: Any]])
            let revision = try #require(files.first?["revision"] as? String)
            let part = home.work.appending(path: ".sea.jpg.\(revision).part")
            try bytes.prefix(60_000).write(to: part)
            let output = try await home.run("photos", "get", "sea.jpg", "--resume")
            #expect(output.status == 0, "\(output.errorText)")
            #expect(try Data(contentsOf: home.work.appending(path: "sea.jpg")) == bytes)
            #expect(!FileManager.default.fileExists(atPath: part.path))
        }
    }

    @Test(arguments: ["4M", "500k", "1.5M", "100000000"])
    func aSpeedIsTaken(_ rate: String) async throws {
        try await inHome { home in
            try Photos.corners().write(to: home.photos.appending(path: "sea.jpg"))
            let output = try await home.run("photos", "get", "sea.jpg", "--limit-rate", rate)
            #expect(output.status == 0, "\(output.errorText)")
        }
    }

    @Test(arguments: ["", "M", "0", "-4M", "4X", "4MM", "1e9", "nan"])
    func whatIsNoSpeedIsBadUsage(_ rate: String) async throws {
        try await inHome { home in
            let output = try await home.run("photos", "get", "x", "--limit-rate=\(rate)")
            #expect(output.status == 2)
        }
    }

    @Test(arguments: [
        ["serve", "--listen", "0.0.0.0:80"], ["serve", "--listen", "127.0.0.1"],
        ["serve", "--listen", "127.0.0.1:99999"],
        ["serve", "--socket", "/tmp/x", "--listen", "127.0.0.1:1"], ["notes", "new", "a", "b"],
        ["photos", "put"], ["login"], ["physician"],
    ])
    func badUsageIsTwoAndSaysHow(_ arguments: [String]) async throws {
        try await inHome { home in
            let output = try await Command(
                ClubHome.program, arguments, environment: home.environment()
            ).run()
            #expect(output.status == 2)
            #expect(output.errorText.hasPrefix("byteclub: "))
            #expect(output.errorText.contains("Usage:"))
            #expect(output.text.isEmpty)
        }
    }

    @Test func nobodyReadingAnyMoreIsNoFailure() async throws {
        try await inHome { home in
            let script = "set -o pipefail; \"$0\" keys | true && \"$0\" | head -n 1"
            let output = try await Command(
                "/bin/bash", ["-c", script, ClubHome.program], environment: home.environment(),
                directory: home.work.path
            ).run()
            #expect(output.status == 0)
            #expect(output.text == "Notes\n")
            #expect(output.errorText.isEmpty)
        }
    }

    @Test func keysAreListedByContext() async throws {
        try await inHome { home in
            let output = try await home.run("keys")
            #expect(output.status == 0)
            #expect(output.text.hasPrefix("Everywhere\n"))
        }
    }
}
