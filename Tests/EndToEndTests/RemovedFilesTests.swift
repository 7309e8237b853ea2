import Foundation
import TestSupport
import Testing

/// What is removed from the shell in a club whose store keeps no revisions.
@Suite(.enabled(if: ApacheServer.isInstalled, "apache2 is not installed"))
struct RemovedFilesTests {
    /// A home that is signed in to a club with one note.
    private func withClub(_ body: (ClubHome, URL) async throws -> Void) async throws {
        let club = try ApacheServer.shared.makeClub()
        try Data("from afar\n".utf8).write(to: club.folder.appending(path: "Afar.txt"))
        try await inFreshHome { home in
            let login = try await home.run(
                ["login", "webdav", club.url.absoluteString, "--user", "ann", "--password-stdin"],
                input: "secret\n")
            try #require(login.status == 0, "\(login.errorText)")
            try await body(home, club.folder)
        }
    }

    /// The store keeps no revisions: what is removed stays on this computer, or in the club out of sight.
    @Test func whatIsRemovedComesBack() async throws {
        try await withClub { home, folder in
            let photos = folder.appending(path: "photos")
            try FileManager.default.createDirectory(
                at: photos, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o777])
            try Data("picture".utf8).write(to: photos.appending(path: "cliff.jpg"))
            let removed = try await home.run("notes", "rm", "Afar", "Afar", "--json")
            #expect(removed.status == 1)
            #expect(removed.text.contains("\"name\" : \"Afar.txt\""), "\(removed.text)")
            #expect(!(try await home.run("notes", "ls")).text.contains("Afar"))
            let trash = try await home.run("notes", "trash", "--json")
            #expect(trash.text.contains("\"own\" : true"), "\(trash.text)\(trash.errorText)")
            let log = try await home.run("notes", "log", "Afar")
            #expect(log.status == 0 && log.errorText.contains("has been removed"), "\(log)")
            let back = try await home.run("notes", "restore", "Afar")
            #expect(back.status == 0, "\(back.errorText)")
            #expect(try await home.run("notes", "cat", "Afar").text == "from afar\n")
            #expect(try await home.run("notes", "trash").text.isEmpty)

            let gone = try await home.run("photos", "rm", "cliff.jpg")
            #expect(gone.status == 0, "\(gone.errorText)")
            #expect(try await home.run("photos", "ls").text.isEmpty)
            let photo = try await home.run("photos", "restore", "cliff.jpg")
            #expect(photo.status == 0, "\(photo.errorText)")
            #expect(try await home.run("photos", "ls").text.contains("cliff.jpg"))
            let again = try await home.run("photos", "restore", "cliff.jpg")
            #expect(again.status == 1)
        }
    }

    /// A text that is replaced by an earlier one stays one itself.
    @Test func anEarlierTextComesBack() async throws {
        try await withClub { home, _ in
            #expect(try await home.run("notes", "rm", "Afar").status == 0)
            #expect(try await home.run(["notes", "new", "Afar", "-"], input: "newer").status == 0)
            struct Listed: Decodable { var revision: String; var current: Bool }
            let log = try await home.run("notes", "log", "--json", "Afar")
            let listed = try JSONDecoder().decode([Listed].self, from: Data(log.text.utf8))
            #expect(listed.map(\.current) == [true, false], "\(log.text)")
            let old = try #require(listed.last).revision
            let text = try await home.run("notes", "cat", "Afar", "--revision", old)
            #expect(text.text == "from afar\n", "\(text.errorText)")
            #expect(try await home.run("notes", "restore", "Afar", old).status == 0)
            #expect(try await home.run("notes", "cat", "Afar").text == "from afar\n")
            let after = try await home.run("notes", "log", "--json", "Afar")
            #expect(try JSONDecoder().decode([Listed].self, from: Data(after.text.utf8)).count >= 2)
        }
    }
}
