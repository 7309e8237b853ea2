import Foundation
import TestSupport
import Testing

/// `--log`: what the program does, in a file of this user's alone, without texts.
@Suite struct LogTests {
    private func log(_ home: ClubHome, _ name: String = "log") throws -> String {
        try String(contentsOf: home.work.appending(path: name), encoding: .utf8)
    }

    @Test func aCommandTellsItsRequestsAndNoText() async throws {
        try await inFreshHome { home in
            let made = try await home.run(
                "--log", "log", "notes", "new", "plan", "-", input: "private words")
            #expect(made.status == 0)
            let again = try await home.run(
                "notes", "new", "plan", "-", "--log", "log", input: "private words")
            #expect(again.status == 1)
            let reported = try log(home)
            #expect(reported.contains("/2/files/upload: 200"))
            #expect(reported.contains("error: There is a note “plan.txt” already."))
            #expect(!reported.contains("private words"))
            let lines = reported.split(separator: "\n")
            #expect(lines.allSatisfy { $0.contains(#/^\S+Z? \d+ /#) })
            #expect(lines.contains { $0.hasSuffix(": new") })
            // What is asked for goes before the environment, for its processes too.
            let named = try await Command(
                ClubHome.program, ["notes", "ls", "--log", "other"],
                environment: home.environment(more: ["BYTECLUB_LOG": "outer"]),
                directory: home.work.path
            ).run()
            #expect(named.status == 0)
            #expect(home.names(in: home.work).sorted() == ["log", "other"])
            var status = stat()
            stat(home.work.appending(path: "log").path, &status)
            #expect(status.st_mode & 0o777 == 0o600)
        }
    }

    @Test func theScreenTellsItsCommandsAndMessages() async throws {
        try await inFreshHome { home in
            try home.write("private words", toNote: "a.txt")
            let look = Look(
                "log", .classic, "xterm-256color", .many,
                ["BYTECLUB_LOG": home.work.appending(path: "log").path])
            let terminal = try await home.open(look)
            defer { terminal.close() }
            terminal.type("R")
            try await eventually("the message in the log") {
                try log(home).contains("message success: Up to date.")
            }
            let reported = try log(home)
            #expect(reported.contains(" command list.refresh\n"))
            #expect(!reported.contains("private words"))
        }
    }

    @Test(arguments: ["missing/log", "."])
    func aLogThatCannotBeWrittenIsBadUsage(path: String) async throws {
        try await inFreshHome { home in
            let output = try await home.run("notes", "ls", "--log", path)
            #expect(output.status == 2)
            #expect(output.errorText.contains("The log \(path) cannot be written: "))
        }
    }
}
