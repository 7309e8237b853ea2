import Foundation
import TestSupport
import Testing

/// Byte Club without a screen.
@Suite struct CommandTests {
    @Test func printsTheClubWithoutATerminal() async throws {
        try await inFreshHome { home in
            try home.write("text", toNote: "Plan.txt")
            try Photos.corners().write(to: home.photos.appending(path: "sea.jpg"))
            let output = try await home.run()
            #expect(output.status == 0)
            #expect(output.text.contains("Plan.txt"))
            #expect(output.text.contains("sea.jpg"))
            #expect(output.text.contains("byteclub"))
            #expect(!output.text.contains("\u{1B}"))
            try await eventually("no process left") { home.processes.isEmpty }
        }
    }

    @Test func printsFoldersAndTheirNotesWithoutATerminal() async throws {
        try await inFreshHome { home in
            for folder in ["drafts/2026", "empty"] {
                try FileManager.default.createDirectory(
                    at: home.club.appending(path: folder), withIntermediateDirectories: true)
            }
            try home.write("text", toNote: "Plan.txt")
            try home.write("text", toNote: "drafts/2026/idea.txt")
            let output = try await home.run()
            let names = output.text.split(separator: "\n")
                .compactMap { $0.split(separator: "  ").last.map(String.init) }
            #expect(
                names.prefix(6).map { $0 }
                    == [
                        "Notes", "drafts/", "drafts/2026/", "empty/", "drafts/2026/idea.txt",
                        "Plan.txt",
                    ].map { $0 })
        }
    }

    /// Such files cannot be named in the club, so they are reported.
    @Test func filesWhoseNamesAreNotUTF8AreTold() async throws {
        try await inFreshHome { home in
            try home.write("text", toNote: "Plan.txt")
            _ = try await Command(
                "/bin/sh",
                [
                    "-c", #"cd "$0" && : >"$(printf 'caf\351.txt')" && : >"$(printf '.h\351')""#,
                    home.club.path,
                ],
                environment: home.environment(), directory: home.work.path
            ).run()
            for arguments in [["notes", "ls"], []] {
                let output = try await home.run(arguments)
                #expect(output.status == 0)
                #expect(
                    output.errorText.contains("“caf\\xE9.txt” is not shown: its name is not UTF-8"),
                    "\(output.errorText)")
            }
            let doctor = try await home.run("doctor")
            #expect(doctor.text.contains("are not UTF-8: “caf\\xE9.txt”."), "\(doctor.text)")
        }
    }

    @Test func aThemeDoesNotStandInTheWayOfHelp() async throws {
        try await inFreshHome { home in
            for arguments in [["--theme", "dark", "--help"], ["notes", "--help", "--theme=dark"]] {
                let output = try await home.run(arguments)
                #expect(output.status == 0, "\(output.errorText)")
                #expect(output.text.contains("USAGE: "))
            }
        }
    }

    @Test(arguments: [
        (
            ["serve", "--listen", "0.0.0.0:8099"],
            "Only 127.0.0.1:PORT and localhost:PORT are possible"
        ),
        (["photos", "put", "-"], "Standard input is not supported here; give a file"),
        (["photos", "put", "--background", "-"], "Standard input is not supported here"),
        (["photos", "get", "a", "--limit-rate", "fast"], "or none"),
        (["notes", "ls", "--recursiv"], "Did you mean '--recursive'?"),
    ])
    func wrongUsageSaysWhatIsPossible(arguments: [String], sentence: String) async throws {
        try await inFreshHome { home in
            let output = try await home.run(arguments)
            #expect(output.status == 2)
            #expect(output.errorText.contains(sentence), "\(output.errorText)")
        }
    }

    @Test func printsTheGiftsOnTheFirstStart() async throws {
        try await inFreshHome(hasClub: false) { home in
            let output = try await home.run()
            #expect(output.status == 0)
            #expect(home.noteNames.count == 1)
            #expect(home.photoNames.count == 3)
            for name in home.noteNames + home.photoNames { #expect(output.text.contains(name)) }
        }
    }

    /// A club named before the command counts, or is refused: it is never passed over.
    @Test func theClubMayStandBeforeTheCommand() async throws {
        try await inFreshHome { home in
            for command in [["notes", "ls"], ["photos", "ls"], ["doctor"], ["logout"], []] {
                let output = try await home.run(["--club", "nowhere"] + command)
                #expect(output.status == 1, "\(command)")
                #expect((output.text + output.errorText).contains("“nowhere”"), "\(command)")
            }
            for command in [
                ["login", "club"], ["login", "dropbox", "--app-key", "k", "--no-browser"],
                ["login", "webdav", "https://h/", "--user", "u", "--password-stdin"], ["login"],
                ["copy", "--from", "a", "--to", "b"], ["serve"], ["keys"], ["settings"],
                ["logout", "elsewhere"],
            ] {
                let output = try await home.run(["--club", "nowhere"] + command)
                #expect(output.status == 2, "\(command)")
            }
        }
    }

    /// A theme counts where there is a screen, before and after the command; elsewhere it is refused.
    @Test func screenOptionsMayStandBeforeOrAfterTheCommand() async throws {
        try await inFreshHome { home in
            for command in [["notes", "ls"], ["keys"], ["login", "club"], ["doctor"]] {
                for arguments in [["--theme", "light"] + command, command + ["--theme=light"]] {
                    let output = try await home.run(arguments)
                    #expect(output.status == 2, "\(arguments)")
                    #expect(output.errorText.contains("--theme has no meaning"), "\(arguments)")
                }
            }
            for arguments in [["--theme", "pink"], ["--theme", "pink", "notes", "ls"]] {
                let output = try await home.run(arguments)
                #expect(output.status == 2 && output.errorText.contains("high-contrast"))
            }
            // An alias may have it: commands write plain text in any case.
            for arguments in [
                ["--plain", "notes", "ls"], ["notes", "ls", "--plain"], ["--plain"],
                ["--theme", "light"], ["--plain", "--club", "club", "photos", "ls"],
            ] {
                let output = try await home.run(arguments)
                #expect(output.status == 0, "\(arguments): \(output.errorText)")
            }
        }
    }

    @Test(arguments: [["--plain", "login"], ["login", "--plain"], ["--plain"]])
    func aPlainScreenOpensFromEitherSide(arguments: [String]) async throws {
        try await inFreshHome { home in
            let terminal = try TerminalDriver(
                running: TerminalProgram(
                    ClubHome.program, arguments, environment: home.environment(),
                    directory: home.work.path, size: .classic))
            defer { terminal.close() }
            try await terminal.wait(forText: arguments.contains("login") ? "Dropbox" : "[Notes]")
            let screen = try await terminal.waitUntilIdle()
            #expect(screen.colors.isEmpty)
            #expect(!screen.text.contains("─") && !screen.text.contains("│"))
        }
    }

    /// Without its input, output or error, the program takes nothing of its own for them.
    @Test func closedDescriptorsAreNotMistakenForOthers() async throws {
        try await inFreshHome { home in
            func run(_ command: String) async throws -> Command.Output {
                try await Command(
                    "/bin/sh", ["-c", command, ClubHome.program], environment: home.environment(),
                    directory: home.work.path
                ).run()
            }
            let unread = try await run(#""$0" notes new Plan - <&-"#)
            #expect(unread.status == 1)
            #expect(unread.errorText.contains("Standard input could not be read"))
            #expect(home.noteNames.isEmpty)
            try home.write("text", toNote: "Plan.txt")
            let unwritten = try await run(#""$0" notes ls >&-"#)
            #expect(unwritten.status == 1)
            #expect(unwritten.errorText.contains("could not be written"))
            #expect(try await run(#""$0" notes cat Plan 2>&- <&-"#).text == "text")
        }
    }

    /// In a pipe, where whatever reads it takes a line for a name.
    @Test func aPipedListingHasALineForEachName() async throws {
        try await inFreshHome { home in
            let name = "a\nb\u{1B}]0;owned\u{07}\u{202E}.txt"
            try home.write("text", toNote: name)
            try home.write("text", toNote: "plain.txt")
            for arguments in [["notes", "ls"], []] {
                let output = try await home.run(arguments)
                #expect(output.status == 0)
                let lines = output.text.split(separator: "\n")
                #expect(lines.filter { $0.contains(".txt") }.count == 2, "\(output.text)")
                let harmless = output.text.unicodeScalars.allSatisfy {
                    $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory)
                }
                #expect(harmless, "\(output.text)")
            }
            let listing = try await home.run("notes", "ls", "--json")
            let files = try #require(
                try JSONSerialization.jsonObject(with: Data(listing.text.utf8)) as? [[String: Any]])
            #expect(files.compactMap { $0["name"] as? String }.contains(name), "exactly as it is")
            let missing = try await home.run("notes", "cat", "no\nsuch\u{1B}[2J")
            #expect(missing.status == 1)
            #expect(missing.errorText.split(separator: "\n").count == 1)
            #expect(!missing.errorText.contains("\u{1B}"))
        }
    }

    /// With no `/proc`, in namespaces of its own; not every kernel lets everybody make those.
    private static func withoutProc(
        _ script: String, _ environment: [String: String] = [:]
    ) async throws -> Command.Output {
        try await Command(
            "/usr/bin/unshare",
            [
                "--user", "--map-root-user", "--mount", "/bin/sh", "-c",
                "mount -t tmpfs none /proc && \(script)", ClubHome.program,
            ], environment: environment
        ).run()
    }

    @Test func saysItsVersionAndThoseOfItsLibraries() async throws {
        try await inFreshHome { home in
            let output = try await home.run("--version")
            #expect(output.status == 0 && output.errorText.isEmpty)
            let lines = output.text.split(separator: "\n")
            let names = ["byteclub", "libcurl", "OpenSSL", "ncurses", "SQLite", "libjpeg-turbo"]
            #expect(lines.count == names.count)
            for (line, name) in zip(lines, names) {
                #expect(line.hasPrefix(name + " "), "\(line)")
                #expect(line.dropFirst(name.count + 1).first?.isNumber == true, "\(line)")
            }
        }
    }

    @Test func listsItsKeysForPrograms() async throws {
        struct Row: Decodable { var context, name, title: String; var keys: [String] }
        try await inFreshHome { home in
            try home.write(settings: "keys:\n  notes.new: a\n")
            let output = try await home.run("keys", "--json")
            #expect(output.status == 0, "\(output.errorText)")
            let rows = try JSONDecoder().decode([Row].self, from: output.standardOutput)
            #expect(rows.first { $0.name == "notes.new" }?.keys == ["a"])
            #expect(rows.first { $0.name == "app.keys" }?.context == "Everywhere")
        }
    }

    /// As in a chroot or a small container.
    @Test(
        .enabled("it can be hidden") {
            (try? await withoutProc("true").status) == 0
        })
    func needsNoProcFileSystemForItsArguments() async throws {
        try await inFreshHome { home in
            let version = try await Self.withoutProc(#"exec "$0" --version"#, home.environment())
            #expect(version.status == 0, "\(version.errorText)")
            #expect(version.text.hasPrefix("byteclub "))
            #expect(!version.text.contains("Notes"))
            let nonsense = try await Self.withoutProc(#"exec "$0" nonsense"#, home.environment())
            #expect(nonsense.status == 2)
        }
    }

    @Test func writesReadsListsAndRemovesNotes() async throws {
        try await inFreshHome { home in
            let new = try await home.run("notes", "new", "Plan", "-", input: "one\ntwo 漢\n")
            #expect(new.status == 0, "\(new.errorText)")
            #expect(try home.text(ofNote: "Plan.txt") == "one\ntwo 漢\n")

            let list = try await home.run("notes", "ls")
            #expect(list.status == 0)
            #expect(list.text.contains("Plan.txt"))

            let text = try await home.run("notes", "cat", "Plan.txt")
            #expect(text.status == 0)
            #expect(text.text == "one\ntwo 漢\n")

            let removal = try await home.run("notes", "rm", "Plan.txt")
            #expect(removal.status == 0, "\(removal.errorText)")
            #expect(home.noteNames.isEmpty)
        }
    }

    @Test func listsAsJSON() async throws {
        try await inFreshHome { home in
            try home.write("12345", toNote: "Plan.txt")
            try Photos.corners().write(to: home.photos.appending(path: "sea.jpg"))
            for (arguments, name) in [("notes", "Plan.txt"), ("photos", "sea.jpg")] {
                let output = try await home.run(arguments, "ls", "--json")
                #expect(output.status == 0)
                let json = try JSONSerialization.jsonObject(with: output.standardOutput)
                #expect("\(json)".contains(name))
            }
        }
    }

    @Test func doesNotOverwriteANote() async throws {
        try await inFreshHome { home in
            try home.write("first", toNote: "Plan.txt")
            let output = try await home.run("notes", "new", "Plan", "-", input: "second")
            #expect(output.status == 1)
            #expect(!output.errorText.isEmpty)
            #expect(try home.text(ofNote: "Plan.txt") == "first")
        }
    }

    @Test func putsAndGetsPhotos() async throws {
        try await inFreshHome { home in
            let photo = Photos.corners(width: 640, height: 160, orientation: 3)
            try photo.write(to: home.work.appending(path: "sea.jpg"))
            let put = try await home.run("photos", "put", "sea.jpg")
            #expect(put.status == 0, "\(put.errorText)")
            #expect(home.photoNames == ["sea.jpg"])

            let list = try await home.run("photos", "ls")
            #expect(list.text.contains("sea.jpg"))

            let get = try await home.run("photos", "get", "sea.jpg", "copy.jpg")
            #expect(get.status == 0, "\(get.errorText)")
            let stored = try Data(contentsOf: home.photos.appending(path: "sea.jpg"))
            #expect(try Data(contentsOf: home.work.appending(path: "copy.jpg")) == stored)

            let again = try await home.run("photos", "put", "sea.jpg")
            #expect(again.status == 1)
            #expect(again.errorText.contains("--name “sea (2).jpg”"))
            let named = try await home.run("photos", "put", "--name", "evening", "sea.jpg")
            #expect(named.status == 0, "\(named.errorText)")
            #expect(home.photoNames.sorted() == ["evening.jpg", "sea.jpg"])
            let two = try await home.run("photos", "put", "--name", "x", "sea.jpg", "copy.jpg")
            #expect(two.status == 2)
        }
    }

    /// File systems give names decomposed (NFD); clubs keep them composed.
    @Test func aPhotoIsFoundByItsDecomposedName() async throws {
        try await inFreshHome { home in
            let name = "Meer u\u{308}ber Su\u{308}d.jpg"
            let photo = Photos.corners(width: 64, height: 16, orientation: 1)
            try photo.write(to: home.work.appending(path: name))
            #expect(try await home.run("photos", "put", name).status == 0)
            let get = try await home.run("photos", "get", name, "copy.jpg")
            #expect(get.status == 0, "\(get.errorText)")
        }
    }

    @Test func aNameThatBeginsWithASpaceIsRefusedForThatReason() async throws {
        try await inFreshHome { home in
            let photo = Photos.corners(width: 64, height: 16, orientation: 1)
            try photo.write(to: home.work.appending(path: " sea.jpg"))
            let put = try await home.run("photos", "put", " sea.jpg")
            #expect(put.status == 1)
            #expect(put.errorText.contains("space"), "\(put.errorText)")
        }
    }

    struct Usage: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let status: Int32
        var testDescription: String { arguments.joined(separator: " ") }

        init(_ words: String, _ status: Int32) {
            arguments = words.split(separator: " ").map(String.init)
            self.status = status
        }
    }

    static let usages = [
        Usage("notes cat missing.txt", 1), Usage("notes rm missing.txt", 1),
        Usage("photos get missing.jpg", 1), Usage("photos put missing.jpg", 1),
        Usage("notes new a/../b -", 1), Usage("nonsense", 2), Usage("notes ls --nonsense", 2),
        Usage("--theme pink", 2), Usage("--theme light --plain --version", 0),
        Usage("keys --json --ids", 2),
        Usage("notes cat", 2), Usage("--version", 0), Usage("--help", 0), Usage("notes --help", 0),
    ]

    @Test(arguments: usages) func endsWithAStatusThatTells(usage: Usage) async throws {
        try await inFreshHome { home in
            let output = try await Command(
                ClubHome.program, usage.arguments, environment: home.environment(),
                directory: home.work.path
            ).run()
            #expect(output.status == usage.status, "\(output.text)\(output.errorText)")
            if usage.status == 0 {
                #expect(!output.text.isEmpty)
            } else {
                #expect(!output.errorText.isEmpty)
                #expect(output.text.isEmpty)
            }
        }
    }

    @Test func servesAClubUntilItIsTold() async throws {
        try await inFreshHome { home in
            let socket = home.folder.appending(path: "s.sock").path
            let server = try TerminalDriver(
                running: TerminalProgram(
                    ClubHome.program, ["serve", "--socket", socket, "--folder", home.work.path],
                    environment: home.environment(), directory: home.work.path))
            defer { server.close() }
            try await eventually("the socket") { FileManager.default.fileExists(atPath: socket) }
            server.press(.control("c"))
            let end = try await server.waitForEnd()
            #expect(end == .exited(status: 0))
            #expect(!FileManager.default.fileExists(atPath: socket))
        }
    }

    /// On its port to other programs, and at the same time to Byte Club itself.
    @Test func theClubCanBeUsedWhileItIsServed() async throws {
        try await inFreshHome { home in
            let server = try TerminalDriver(
                running: TerminalProgram(
                    ClubHome.program, ["serve", "--listen", "127.0.0.1:0"],
                    environment: home.environment(), directory: home.work.path))
            defer { server.close() }
            try await server.wait(forText: "^C stops it")
            let made = try await home.run(["notes", "new", "Rota", "-"], input: "Ada: Monday\n")
            #expect(made.status == 0, "\(made.errorText)")
            let shown = try await home.run(["notes", "cat", "Rota"])
            #expect(shown.text == "Ada: Monday\n")
            let screen = try await home.open()
            defer { screen.close() }
            try await screen.wait(forText: "Rota")
            // The screen goes on with a server of its own.
            server.press(.control("c"))
            #expect(try await server.waitForEnd() == .exited(status: 0))
            let later = try await home.run(["notes", "new", "Later", "-"], input: "Bo: Tuesday\n")
            #expect(later.status == 0, "\(later.errorText)")
            try await screen.wait(forText: "Later")
            screen.type("q")
            #expect(try await screen.waitForEnd() == .exited(status: 0))
        }
    }
}
