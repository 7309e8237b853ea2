import Foundation
import TestSupport
import Testing

/// `$EDITOR`, a script here, with the note and back.
@Suite struct ExternalEditorTests {
    /// The app with an editor that does what the script says to the file `$1`.
    private func withEditor(
        _ script: String, text: String, _ body: (ClubHome, TerminalDriver) async throws -> Void
    ) async throws {
        try await inFreshHome { home in
            try home.write(text, toNote: "a.md")
            let editor = home.work.appending(path: "my editor")
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: editor)
            chmod(editor.path, 0o755)
            let look = Look(
                "editor", .classic, "xterm-256color", .many,
                ["VISUAL": "", "EDITOR": "'\(editor.path)' -x", "WORK": home.work.path])
            let terminal = try await home.open(look)
            defer { terminal.close() }
            try await body(home, terminal)
        }
    }

    @Test func whatIsSavedInTheOtherEditorReachesTheClub() async throws {
        let script = """
            stat -c '%a %n' "$2" "$(dirname "$2")" > "$WORK/seen"
            printf 'more\\n' >> "$2"
            """
        try await withEditor(script, text: "one\n") { home, terminal in
            terminal.type("E")
            try await eventually("the save") { try home.text(ofNote: "a.md") == "one\nmore\n" }
            try await terminal.waitForTabs()
            let seen = try String(
                contentsOf: home.work.appending(path: "seen"), encoding: .utf8
            ).split(separator: "\n").map { $0.split(separator: " ") }
            #expect(seen.map(\.first) == ["600", "700"])
            let file = try #require(seen.first?.last)
            #expect(file.hasSuffix("/a.md"))
            #expect(!FileManager.default.fileExists(atPath: String(file)))
        }
    }

    /// A full disk, here a folder in the place of the draft: the editor's file is not removed before its text
    /// is somewhere else.
    @Test func whatWasSavedStaysInItsFileWhereNoDraftCanBeWritten() async throws {
        let script = """
            folder=$(dirname "$(dirname "$2")")
            mkdir "${folder%.edit}.draft"
            printf 'more\n' >> "$2"
            """
        try await withEditor(script, text: "one\n") { home, terminal in
            try await terminal.openNote(showing: "one")
            terminal.press(.alt("e"))
            try await terminal.wait(forText: "Your text is in")
            #expect(terminal.screen.contains("more"))
            let paths = FileManager.default.enumerator(atPath: home.folder.path)?.compactMap {
                $0 as? String
            }
            let left = try #require(
                paths?.first { $0.contains(".edit.left/") && $0.hasSuffix("/a.md") })
            let text = try String(
                contentsOf: home.folder.appending(path: left), encoding: .utf8)
            #expect(text == "one\nmore\n")
        }
    }

    @Test func anEditInTheOtherEditorIsOneStepToUndo() async throws {
        try await withEditor("sed -i s/one/three/ \"$2\"", text: "one two\n") { home, terminal in
            try await terminal.openNote(showing: "one two")
            terminal.type("a ")
            terminal.press(.alt("e"))
            try await terminal.wait(forText: "a three two")
            #expect(terminal.screen.contains("modified"))
            terminal.press(.control("z"))
            try await terminal.wait(forText: "a one two")
            #expect(try home.text(ofNote: "a.md") == "one two\n")
        }
    }

    @Test func aFailedEditorChangesNothingAndIsTold() async throws {
        try await withEditor("exit 3", text: "one\n") { home, terminal in
            terminal.type("E")
            try await terminal.wait(forText: "ended with status 3")
            #expect(terminal.screen.showsTabs)
            #expect(try home.text(ofNote: "a.md") == "one\n")
        }
    }

    /// As `code` does it without `--wait`: the program that was started passes the file on and ends.
    @Test func whatAnEditorSavesThatWasNotWaitedForIsADraft() async throws {
        let script = """
            mkfifo "$WORK/go"
            setsid sh -c 'read line < "$1"; printf "late\n" >> "$2"' sh "$WORK/go" "$2" > /dev/null 2>&1 &
            """
        try await withEditor(script, text: "one\n") { home, terminal in
            terminal.type("E")
            try await terminal.wait(forText: "returned at once")
            terminal.type("q")
            try await terminal.waitForEnd()
            // Its own reader, too: it never waits for the editor to open it.
            let go = open(home.work.appending(path: "go").path, O_RDWR)
            defer { close(go) }
            #expect(write(go, "\n", 1) == 1)
            let drafts = home.folder.appending(path: "state/byteclub/drafts")
            let name = try #require(home.names(in: drafts).first { $0.hasSuffix(".edit") })
            let lock = open(drafts.appending(path: name + "/lock").path, O_RDWR)
            try await eventually("the editor has ended") { flock(lock, LOCK_EX | LOCK_NB) == 0 }
            close(lock)
            let again = try await home.open()
            defer { again.close() }
            try await again.wait(forText: "An unsaved note was kept")
            again.type("o")
            try await again.wait(forText: "late")
            #expect(try home.text(ofNote: "a.md") == "one\n")
        }
    }

    @Test func whatWasSavedThereOutlivesTheApp() async throws {
        let script = "printf 'more\\n' >> \"$2\"; : > \"$WORK/saved\"; read line"
        try await withEditor(script, text: "one\n") { home, terminal in
            terminal.type("E")
            try await eventually("the file of the editor") {
                FileManager.default.fileExists(atPath: home.work.appending(path: "saved").path)
            }
            terminal.signal(SIGKILL)
            try await terminal.waitForEnd()
            terminal.close()
            try await eventually("the end of the editor") { home.handOverLocks.allSatisfy(isFree) }
            #expect(home.handOverLocks.count == 1)

            let second = try await home.open()
            defer { second.close() }
            try await second.wait(forText: "unsaved")
            second.type("o")
            try await second.wait(forText: "more")
            #expect(home.handOverLocks.isEmpty)
            #expect(try home.text(ofNote: "a.md") == "one\n")
            second.press(.function(2))
            try await eventually("the note") { try home.text(ofNote: "a.md") == "one\nmore\n" }
        }
    }

    @Test func whatAFailedEditorHasSavedStaysUntilThePersonHasAnswered() async throws {
        let script = "printf 'more\\n' >> \"$2\"; exit 3"
        try await withEditor(script, text: "one\n") { home, terminal in
            terminal.type("E")
            try await terminal.wait(forText: "Use it")
            terminal.signal(SIGKILL)
            try await terminal.waitForEnd()
            terminal.close()
            let second = try await home.open()
            defer { second.close() }
            try await second.wait(forText: "unsaved")
            second.type("o")
            try await second.wait(forText: "more")
        }
    }

    @Test func anEditorThatLeavesTheTextAloneLeavesNothing() async throws {
        try await withEditor("true", text: "one\n") { home, terminal in
            terminal.type("E")
            try await terminal.wait(forText: "Nothing was changed")
            #expect(terminal.screen.showsTabs)
            #expect(home.handOverLocks.isEmpty)
        }
    }

    @Test func whatTheEditorLeftBehindIsNamed() async throws {
        let script = """
            printf 'more\\n' >> "$2"
            : > "$(dirname "$2")/.a.md.swp"
            kill -9 $$
            """
        try await withEditor(script, text: "one\n") { home, terminal in
            terminal.type("E")
            try await terminal.wait(forText: "Its files are in")
            try await terminal.wait(forText: "Use it")
            terminal.type("u")
            try await terminal.wait(forText: "modified")
            #expect(terminal.screen.contains("more"))
            #expect(try home.text(ofNote: "a.md") == "one\n")
            let names = FileManager.default.enumerator(atPath: home.folder.path)?
                .compactMap { $0 as? String }
            #expect(names?.contains { $0.hasSuffix(".edit.left/note/.a.md.swp") } == true)
        }
    }

    @Test func aMissingEditorIsTold() async throws {
        try await inFreshHome { home in
            try home.write("one\n", toNote: "a.md")
            let look = Look(
                "editor", .classic, "xterm-256color", .many, ["VISUAL": "no-such-editor"])
            let terminal = try await home.open(look)
            defer { terminal.close() }
            terminal.type("E")
            try await terminal.wait(forText: "could not be started")
        }
    }
}

extension ClubHome {
    /// The locks of notes that are with another editor.
    fileprivate var handOverLocks: [String] {
        let state = folder.appending(path: "state")
        let files = FileManager.default.enumerator(atPath: state.path)
        return (files?.compactMap { $0 as? String } ?? [])
            .filter { $0.hasSuffix(".edit/lock") }.map { state.appending(path: $0).path }
    }
}

/// Whether no process holds the lock of a file.
private func isFree(_ path: String) -> Bool {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0
}
