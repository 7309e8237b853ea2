import Foundation
import TestSupport
import Testing

/// Moving a club by command: from the one on this computer to one on Dropbox.
@Suite struct CopyTests {
    private let dropbox: StandInDropbox

    init() throws {
        dropbox = try StandInDropbox()
    }

    private func withTwoClubs(_ body: (ClubHome) async throws -> Void) async throws {
        try await inFreshHome { home in
            let program = try Conversation(
                ClubHome.program,
                [
                    "login", "dropbox", "--app-key", dropbox.appKey, "--api-url", dropbox.base,
                    "--no-browser",
                ], environment: home.environment(), directory: home.work.path)
            let output = await program.output { $0.contains("standard input") }
            let page = try #require(
                output.split(separator: "\n").first { $0.hasPrefix(StandInDropbox.page) })
            let consent = try #require(dropbox.consent(to: String(page)))
            program.say(consent.code)
            #expect(await program.end().status == 0)
            try await body(home)
        }
    }

    private func copy(_ home: ClubHome) async throws -> Command.Output {
        try await home.run("copy", "--from", "embedded", "--to", "dropbox")
    }

    @Test func copiesAllAndVerifiesIt() async throws {
        try await withTwoClubs { home in
            try home.write("one\n", toNote: "Plan.txt")
            try home.write("", toNote: "Empty.txt")
            let output = try await copy(home)
            #expect(output.status == 0, "\(output.errorText)")
            #expect(output.text.contains("copied         /Plan.txt"), "\(output.text)")
            #expect(dropbox.text(at: "/Plan.txt") == "one\n")
            #expect(dropbox.text(at: "/Empty.txt")?.isEmpty == true)
            #expect(dropbox.violations.isEmpty)

            let again = try await copy(home)
            #expect(again.status == 0)
            // What is there already is not told file by file.
            #expect(!again.text.contains("Plan.txt"), "\(again.text)")
            #expect(again.text.contains("2 already there"), "\(again.text)")
        }
    }

    @Test func replacesNothing() async throws {
        try await withTwoClubs { home in
            try home.write("mine\n", toNote: "Plan.txt")
            try home.write("other\n", toNote: "Other.txt")
            dropbox.put("theirs\n", at: "/Plan.txt")
            let output = try await copy(home)
            #expect(output.status == 1)
            #expect(output.text.contains("left alone     /Plan.txt"), "\(output.text)")
            #expect(dropbox.text(at: "/Plan.txt") == "theirs\n")
            #expect(dropbox.text(at: "/Other.txt") == "other\n")
            #expect(try home.text(ofNote: "Plan.txt") == "mine\n")
        }
    }

    @Test func oneAtATime() async throws {
        try await withTwoClubs { home in
            // Named for what the clubs are, not for what they are called: the first copy makes it.
            try home.write("note\n", toNote: "Plan.txt")
            #expect(try await copy(home).status == 0)
            let copies = home.folder.appending(path: "state/byteclub/copies")
            let name = try #require(home.names(in: copies).first)
            let folder = copies.appending(path: name)
            let lock = open(
                folder.appending(path: "lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(lock) }
            #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
            let output = try await copy(home)
            #expect(output.status == 1)
            #expect(output.errorText.contains("Another byteclub"), "\(output.errorText)")
        }
    }

    @Test func aClubThatIsOutOfReachIsNamed() async throws {
        try await withTwoClubs { home in
            try home.write("one\n", toNote: "Plan.txt")
            dropbox.revokeEverything()
            let output = try await copy(home)
            #expect(output.status == 1)
            #expect(output.errorText.contains("“dropbox”"), "\(output.errorText)")
            #expect(dropbox.text(at: "/Plan.txt") == nil)
        }
    }

    @Test(arguments: [
        ["copy"], ["copy", "--from", "embedded"],
        ["copy", "--from", "embedded", "--to", "club"],
    ])
    func badArgumentsAreBadUsage(_ arguments: [String]) async throws {
        try await inFreshHome { home in
            let output = try await Command(
                ClubHome.program, arguments, environment: home.environment(),
                directory: home.work.path
            ).run()
            #expect(output.status == 2, "\(output.errorText)")
        }
    }
}
