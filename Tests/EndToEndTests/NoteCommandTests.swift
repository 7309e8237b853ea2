import Foundation
import TestSupport
import Testing

/// `byteclub notes …` on the club of this computer.
@Suite struct NoteCommandTests {
    @Test func aNoteThatIsNamedTwiceIsRemovedAlone() async throws {
        try await inFreshHome { home in
            try home.write("same", toNote: "a.txt")
            // One file under two names, as backup programs make them.
            try FileManager.default.linkItem(
                at: home.club.appending(path: "a.txt"), to: home.club.appending(path: "b.txt"))
            let output = try await home.run("notes", "rm", "a", "a.txt")
            #expect(output.status == 1)
            #expect(output.errorText.contains("There is no note “a.txt” in the club."))
            #expect(home.noteNames == ["b.txt"])
        }
    }

    /// When one of them leaves, the club shows the next one under its name.
    @Test func removesWhatWasNamedOfNamesThatDifferInCaseAlone() async throws {
        try await inFreshHome { home in
            let folder = home.club.appending(path: "folder")
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false)
            for (name, text) in [("AB", "one"), ("Ab", "two"), ("ab", "three")] {
                try home.write(text, toNote: "folder/\(name).txt")
            }
            let output = try await home.run(
                "notes", "rm", "folder/AB", "folder/Ab (Case Conflict)")
            #expect(output.status == 0, "\(output.errorText)")
            #expect(home.names(in: folder) == ["ab.txt"])
            let bad = try await home.run("notes", "cat", "folder/ab", "--revision", "0")
            #expect(bad.status == 1)
            #expect(bad.errorText.contains("There is no revision “0” of “folder/ab”."))
        }
    }

    /// “-h” among its letters, it would be answered with the help, and the text would be lost.
    @Test func aNameThatBeginsAsAnOptionIsRefused() async throws {
        try await inFreshHome { home in
            let new = try await home.run("notes", "new", "-dash", input: "text")
            #expect(new.status == 2)
            #expect(new.text.isEmpty && new.errorText.contains("“-dash” begins as an option"))
            let named = try await home.run("notes", "new", "--", "-dash", input: "text")
            #expect(named.status == 0, "\(named.errorText)")
            #expect(try home.text(ofNote: "-dash.txt") == "text")
        }
    }

    @Test func aNoteKeepsItsEndingWhereNoneIsSaid() async throws {
        try await inFreshHome { home in
            try home.write("a", toNote: "README.md")
            try home.write("b", toNote: "Makefile")
            #expect(try await home.run("notes", "mv", "README.md", "Read").status == 0)
            #expect(try await home.run("notes", "mv", "Makefile", "Rules").status == 0)
            let same = try await home.run("notes", "mv", "Rules", "Rules")
            #expect(same.status == 1 && same.errorText.contains("has that name already"))
            #expect(home.noteNames == ["Read.md", "Rules"])
        }
    }

    /// Its ending is left off as that of a .txt note is; what is nearly there is proposed, and never taken.
    @Test func aNoteIsFoundWithoutItsEnding() async throws {
        try await inFreshHome { home in
            try home.write("a", toNote: "Plan.md")
            try home.write("b", toNote: "Ideas.md")
            try home.write("c", toNote: "Ideas.org")
            #expect(try await home.run("notes", "cat", "Plan").text == "a")
            let several = try await home.run("notes", "cat", "Ideas")
            #expect(several.status == 1)
            #expect(several.errorText.contains("“Ideas.md”, “Ideas.org”"))
            let near = try await home.run("notes", "rm", "Plna", "--json")
            #expect(near.status == 1 && near.text == "[]\n")
            #expect(near.errorText.contains("no note “Plna” in the club. Did you mean “Plan.md”?"))
            // What changes a note takes none that was not named.
            let unnamed = try await home.run("notes", "rm", "Plan")
            #expect(unnamed.status == 1)
            #expect(unnamed.errorText.contains("Did you mean “Plan.md”?"))
            #expect(home.noteNames == ["Ideas.md", "Ideas.org", "Plan.md"])
            #expect(try await home.run("help", "help").status == 0)
        }
    }

    @Test(arguments: [
        (["notse"], "There is no command “notse”. Did you mean “notes”?"),
        (["notes", "lss"], "There is no command “lss”. Did you mean “ls”?"),
        (["help", "nope"], "There is no command “nope”.\n"),
        (["transfers", "limit", "abc"], "Rates are bytes a second"),
        (["notes", "mv", "Plan.md", "."], "“.” is not a valid name here."),
    ])
    func saysWhichWordIsWrong(words: [String], sentence: String) async throws {
        try await inFreshHome { home in
            try home.write("a", toNote: "Plan.md")
            let output = try await home.run(words)
            #expect(output.status != 0 && output.text.isEmpty)
            #expect(output.errorText.contains(sentence), "\(output.errorText)")
        }
    }

    @Test func aMoveThatFailsSaysWhichNoteStays() async throws {
        try await inFreshHome { home in
            for name in ["a", "b"] { try home.write(name, toNote: "\(name).txt") }
            _ = try await home.run("notes", "new", "there/b", input: "taken")
            let output = try await home.run("notes", "mv", "a", "b", "there/")
            #expect(output.status == 1)
            #expect(output.errorText.contains("“b.txt” was not moved. The name is taken"))
            #expect(home.noteNames == ["b.txt", "there"])
        }
    }

    /// What comes through a pipe comes once.
    @Test func aTextForANoteThatIsNotThereIsKept() async throws {
        try await inFreshHome { home in
            let output = try await home.run("notes", "edit", "missing", input: "precious")
            #expect(output.status == 1)
            #expect(
                output.errorText.contains(
                    "There is no note “missing” in the club. The text is kept"))
            let drafts = home.folder.appending(path: "state/byteclub/drafts")
            let draft = try #require(home.names(in: drafts).first { $0.hasSuffix(".draft") })
            let text = try String(contentsOf: drafts.appending(path: draft), encoding: .utf8)
            #expect(text.hasSuffix("precious"))
        }
    }

    @Test func aNameThatIsNotUTF8IsRefused() async throws {
        try await inFreshHome { home in
            let output = try await Command(
                "/bin/sh",
                ["-c", #""$0" notes new "$(printf 'bad\377')" - </dev/null"#, ClubHome.program],
                environment: home.environment(), directory: home.work.path
            ).run()
            #expect(output.status == 2)
            #expect(output.errorText.contains("is not UTF-8"))
            #expect(home.noteNames == [])
        }
    }

    @Test func readsOtherEncodingsForJSON() async throws {
        try await inFreshHome { home in
            let file = home.club.appending(path: "wide.txt")
            try Data([0xFF, 0xFE, 0x68, 0x00, 0xE9, 0x00]).write(to: file)
            let wide = try await home.run("notes", "cat", "wide", "--json")
            #expect(wide.text.contains("\"text\" : \"hé\""), "\(wide.text)")
            try Data([0, 1, 2, 0xFF]).write(to: home.club.appending(path: "bytes.txt"))
            let bytes = try await home.run("notes", "cat", "bytes", "--json")
            #expect(bytes.status == 1 && bytes.errorText.contains("“bytes.txt” is not text"))
        }
    }

    @Test func takesWhatIsPipedIn() async throws {
        try await inFreshHome { home in
            let new = try await home.run("notes", "new", "Plan", input: "piped\n")
            #expect(new.status == 0, "\(new.errorText)")
            #expect(try home.text(ofNote: "Plan.txt") == "piped\n")
            let edited = try await home.run("notes", "edit", "Plan", input: "changed\n")
            #expect(edited.status == 0, "\(edited.errorText)")
            #expect(try home.text(ofNote: "Plan.txt") == "changed\n")
        }
    }

    @Test func searchNamesWhatIsTooLargeAndSearchesItOnRequest() async throws {
        try await inFreshHome { home in
            let lines = String(repeating: String(repeating: "a", count: 79) + "\n", count: 14_000)
            try home.write(lines + "a needle\n", toNote: "big.txt")
            try home.write("no needle here\n", toNote: "small.txt")
            let output = try await home.run("notes", "search", "needle")
            #expect(output.status == 0)
            #expect(output.text == "small.txt:1: no needle here\n")
            #expect(
                output.errorText
                    == "byteclub: “big.txt” was not searched: it is larger than 1 MiB. --all searches it, too.\n"
            )
            let all = try await home.run("notes", "search", "--all", "--json", "a", "needle")
            #expect(all.status == 0 && all.errorText.isEmpty, "\(all.errorText)")
            let found = try #require(
                try JSONSerialization.jsonObject(with: Data(all.text.utf8)) as? [[String: Any]])
            #expect(found.compactMap { $0["line"] as? Int } == [14_001])
        }
    }

    @Test(arguments: [[""], [" ", "\t"]])
    func searchNeedsWords(words: [String]) async throws {
        try await inFreshHome { home in
            try home.write("a  b\n", toNote: "a.txt")
            let output = try await home.run(["notes", "search"] + words)
            #expect(output.status == 2)
            #expect(output.errorText.contains("Say what to look for."))
        }
    }

    @Test func aNoteWithoutTextIsToldAndATakenNameIsRefusedBeforeTyping() async throws {
        try await inFreshHome { home in
            try home.write("there", toNote: "Taken.txt")
            func run(_ command: String) throws -> TerminalDriver {
                try TerminalDriver(
                    running: TerminalProgram(
                        "/bin/sh", ["-c", #"exec "$0" notes new "# + command, ClubHome.program],
                        environment: home.environment(), directory: home.work.path))
            }
            let empty = try run("Plan")
            defer { empty.close() }
            try await empty.wait(
                forText: "Created “Plan.txt” without text; byteclub notes edit Plan.txt opens it.")
            #expect(try home.text(ofNote: "Plan.txt") == "")
            // The command that is named works as it is written.
            try FileManager.default.createDirectory(
                at: home.club.appending(path: "my plans"), withIntermediateDirectories: true)
            let inFolder = try run("'my plans/b'")
            defer { inFolder.close() }
            try await inFolder.wait(forText: "byteclub notes edit 'my plans/b.txt'")
            let taken = try run("Taken -")
            defer { taken.close() }
            try await taken.wait(
                forText: "There is a note “Taken.txt” already. Nothing was changed.")
            #expect(try await taken.waitForEnd() == .exited(status: 1))
        }
    }

    /// What the club keeps can be brought back, also if its text was never stored here.
    @Test func theTrashHasWhatTheClubKeeps() async throws {
        try await inFreshHome { home in
            let text = String(repeating: "0123456789abcdef", count: 80_000)
            try home.write(text, toNote: "big.txt")
            #expect(try await home.run("notes", "rm", "big").status == 0)
            let trash = try await home.run("notes", "trash")
            #expect(trash.text.contains("big.txt"), "\(trash.text)\(trash.errorText)")
            #expect(try await home.run("notes", "restore", "big").status == 0)
            #expect(try home.text(ofNote: "big.txt") == text)
            #expect(try await home.run("notes", "trash").text.isEmpty)
        }
    }

    @Test func anEmptyPipeEmptiesNoNote() async throws {
        try await inFreshHome { home in
            try home.write("precious", toNote: "Plan.txt")
            let edited = try await home.run("notes", "edit", "Plan")
            #expect(edited.status == 1)
            #expect(edited.errorText.contains("nothing was changed"))
            #expect(try home.text(ofNote: "Plan.txt") == "precious")
            let emptied = try await home.run("notes", "edit", "Plan", "-")
            #expect(emptied.status == 0, "\(emptied.errorText)")
            #expect(try home.text(ofNote: "Plan.txt") == "")
        }
    }

    @Test func movesListsAndReadsInFolders() async throws {
        try await inFreshHome { home in
            try home.write("a", toNote: "a.txt")
            try home.write("b", toNote: "b.txt")
            let renamed = try await home.run("notes", "mv", "a", "Chapter one", "--json")
            #expect(renamed.status == 0, "\(renamed.errorText)")
            #expect(renamed.text.contains("\"/Chapter one.txt\""))
            let moved = try await home.run("notes", "mv", "Chapter one", "b", "drafts/2026/")
            #expect(moved.status == 0, "\(moved.errorText)")
            let list = try await home.run("notes", "ls", "drafts/2026", "--json")
            let files = try #require(
                try JSONSerialization.jsonObject(with: list.standardOutput) as? [[String: Any]])
            #expect(
                files.compactMap { $0["path"] as? String }
                    == ["/drafts/2026/b.txt", "/drafts/2026/Chapter one.txt"])
            #expect(try await home.run("notes", "cat", "drafts/2026/b").text == "b")
            try home.write("another", toNote: "b.txt")
            let taken = try await home.run("notes", "mv", "drafts/2026/b", "b")
            #expect(taken.status == 1)
            #expect(try home.text(ofNote: "b.txt") == "another")
        }
    }

    @Test func whatIsRemovedIsInTheTrashAtOnceAsOnesOwn() async throws {
        try await withApp(notes: ["a.txt": "a\n"]) { home, terminal in
            for _ in 0..<2 {
                let new = try await home.run(["notes", "new", "t2", "-"], input: "text\n")
                #expect(new.status == 0, "\(new.errorText)")
                #expect(try await home.run("notes", "trash").text.isEmpty)
                #expect(try await home.run("notes", "rm", "t2").status == 0)
                let trash = try await home.run("notes", "trash", "--json")
                let notes = try #require(
                    try JSONSerialization.jsonObject(with: trash.standardOutput)
                        as? [[String: Any]])
                #expect(notes.compactMap { $0["path"] as? String } == ["/t2.txt"])
                #expect(notes.allSatisfy { $0["own"] as? Bool == true })
            }
            #expect(try await home.run("notes", "restore", "t2").status == 0)
            #expect(try await home.run("notes", "mv", "t2", "t3").status == 0)
            try await terminal.wait(forText: "t3.txt")
            #expect(try await home.run("notes", "trash").text.isEmpty)
        }
    }

    @Test func saysWhatIsWrongWithANameOrARevision() async throws {
        try await inFreshHome { home in
            try home.write("a", toNote: "rr.txt")
            let restored = try await home.run("notes", "restore", "rr", "12345")
            #expect(restored.status == 1)
            #expect(restored.errorText.contains("There is no revision “12345” of “rr”."))
            let named = try await home.run(["notes", "new", "x\\y", "-"], input: "text")
            #expect(named.status == 1)
            #expect(named.errorText.contains("may not contain a backslash"))
            #expect(home.noteNames == ["rr.txt"])

            // Another note's text does not replace this one's.
            try home.write("b", toNote: "other.txt")
            let log = try await home.run("notes", "log", "other", "--json")
            let revision = try #require(log.text.firstMatch(of: /"revision" ?: ?"([^"]+)"/)?.1)
            let foreign = try await home.run("notes", "restore", "rr", String(revision))
            #expect(foreign.status == 1)
            #expect(foreign.errorText.contains("There is no revision “\(revision)” of “rr”."))
            #expect(try home.text(ofNote: "rr.txt") == "a")
        }
    }

    @Test func findsLinesInAllNotes() async throws {
        try await inFreshHome { home in
            try home.write("one fish\ntwo Fish red\n", toNote: "a.txt")
            _ = try await home.run("notes", "new", "sea/b", input: "red fish\n")
            let found = try await home.run("notes", "search", "fish", "red")
            #expect(found.status == 0, "\(found.errorText)")
            #expect(found.text == "a.txt:2: two Fish red\nsea/b.txt:1: red fish\n")
            let json = try await home.run("notes", "search", "--json", "Fish")
            let lines = try #require(
                try JSONSerialization.jsonObject(with: json.standardOutput) as? [[String: Any]])
            #expect(lines.count == 1)
            #expect(lines.first?["line"] as? Int == 2)
            let nothing = try await home.run("notes", "search", "whale")
            #expect(nothing.status == 1)
            #expect(nothing.text.isEmpty)
        }
    }

    @Test func listsAndRestoresRevisions() async throws {
        try await inFreshHome { home in
            _ = try await home.run("notes", "new", "Plan", input: "first")
            _ = try await home.run("notes", "edit", "Plan", input: "second")
            let log = try await home.run("notes", "log", "Plan", "--json")
            #expect(log.status == 0, "\(log.errorText)")
            let revisions = try #require(
                try JSONSerialization.jsonObject(with: log.standardOutput) as? [[String: Any]])
            #expect(revisions.compactMap { $0["current"] as? Bool } == [true, false])
            let first = try #require(revisions.last?["revision"] as? String)
            let old = try await home.run("notes", "cat", "Plan", "--revision", first)
            #expect(old.text == "first", "\(old.errorText)")
            let restored = try await home.run("notes", "restore", "Plan", first)
            #expect(restored.status == 0, "\(restored.errorText)")
            #expect(try home.text(ofNote: "Plan.txt") == "first")

            #expect(try await home.run("notes", "rm", "Plan").status == 0)
            #expect(home.noteNames.isEmpty)
            let back = try await home.run("notes", "restore", "Plan")
            #expect(back.status == 0, "\(back.errorText)")
            #expect(try home.text(ofNote: "Plan.txt") == "first")
            let wrong = try await home.run("notes", "restore", "Plan", "0123456789")
            #expect(wrong.status == 1)
            #expect(try home.text(ofNote: "Plan.txt") == "first")
            #expect(try await home.run("notes", "log", "Nothing").status == 1)
        }
    }

    @Test func writesJSONOfAllThatItDoes() async throws {
        try await inFreshHome { home in
            let commands = [
                ["new", "a", "--json"], ["edit", "a", "-", "--json"], ["rm", "a", "--json"],
                ["restore", "a", "--json"], ["cat", "a", "--json"],
            ]
            for command in commands {
                let output = try await home.run(["notes"] + command, input: command[0])
                #expect(output.status == 0, "\(command) \(output.errorText)")
                let json = try JSONSerialization.jsonObject(with: output.standardOutput)
                let note = try #require(
                    json as? [String: Any] ?? (json as? [[String: Any]])?.first)
                #expect(note["name"] as? String == "a.txt", "\(command)")
                #expect(note["revision"] is String, "\(command)")
            }
        }
    }

    /// `$EDITOR` may be several words; what it does to the file is saved.
    @Test func editsInThePersonsEditor() async throws {
        try await inFreshHome { home in
            try home.write("one\n", toNote: "Plan.txt")
            let editor = home.work.appending(path: "ed.sh")
            try Data("#!/bin/sh\necho \"$1 $2\" >\"$HOME/args\"; echo two >>\"$2\"\n".utf8)
                .write(to: editor)
            let terminal = try TerminalDriver(
                running: TerminalProgram(
                    "/bin/sh", ["-c", "\(ClubHome.program) notes edit Plan; echo status $?"],
                    environment: home.environment(more: ["EDITOR": "/bin/sh \(editor.path) --wait"]
                    ),
                    directory: home.work.path, size: TerminalSize(columns: 100, rows: 24)))
            defer { terminal.close() }
            try await terminal.wait(forText: "status 0")
            #expect(try home.text(ofNote: "Plan.txt") == "one\ntwo\n")
        }
    }

    /// - Parameter script: What the editor does to the file `$1`.
    private func edit(
        in home: ClubHome, by script: String, showing text: String,
        _ body: (TerminalDriver) throws -> Void
    ) async throws {
        try home.write("one\n", toNote: "Plan.txt")
        let editor = home.work.appending(path: "ed.sh")
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: editor)
        let terminal = try TerminalDriver(
            running: TerminalProgram(
                "/bin/sh", ["-c", "\(ClubHome.program) notes edit Plan; echo status $?"],
                environment: home.environment(more: ["EDITOR": "/bin/sh \(editor.path)"]),
                directory: home.work.path, size: TerminalSize(columns: 500, rows: 24)))
        defer { terminal.close() }
        try await terminal.wait(forText: "status 1")
        #expect(terminal.screen.contains(text))
        #expect(try home.text(ofNote: "Plan.txt") == "one\n")
        try body(terminal)
    }

    /// The files that an editor was given and that were left, by what is in them.
    private func editedTexts(in home: ClubHome) -> [String: Data] {
        var texts: [String: Data] = [:]
        let paths = FileManager.default.enumerator(atPath: home.folder.path)
        while let path = paths?.nextObject() as? String {
            guard path.contains(".edit.left/note/") else { continue }
            let file = home.folder.appending(path: path)
            texts[file.path] = (try? Data(contentsOf: file)) ?? Data()
        }
        return texts
    }

    @Test func aTextThatIsTooLargeStaysWhereItWasWritten() async throws {
        try await inFreshHome { home in
            let script = "truncate -s 134217729 \"$1\""
            try await edit(in: home, by: script, showing: "128 MiB at most") { terminal in
                let (path, text) = try #require(editedTexts(in: home).first)
                #expect(text.count == 134_217_729)
                #expect(terminal.screen.contains("Your text is in \(path)"))
            }
        }
    }

    @Test func aTextThatCannotBeADraftStaysWhereItWasWritten() async throws {
        try await inFreshHome { home in
            // Neither a draft nor the note can be written.
            let script = """
                echo two >>"$1"; folder=$(dirname "$(dirname "$1")")
                mkdir "${folder%.edit}.draft"; echo theirs >"\(home.club.path)/Plan.txt"
                """
            try home.write("one\n", toNote: "Plan.txt")
            let editor = home.work.appending(path: "ed.sh")
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: editor)
            let terminal = try TerminalDriver(
                running: TerminalProgram(
                    "/bin/sh", ["-c", "\(ClubHome.program) notes edit Plan; echo status $?"],
                    environment: home.environment(more: ["EDITOR": "/bin/sh \(editor.path)"]),
                    directory: home.work.path, size: TerminalSize(columns: 500, rows: 24)))
            defer { terminal.close() }
            try await terminal.wait(forText: "status 1")
            let (path, text) = try #require(editedTexts(in: home).first)
            #expect(String(decoding: text, as: UTF8.self) == "one\ntwo\n")
            #expect(terminal.screen.contains(path))
            #expect(try home.text(ofNote: "Plan.txt") == "theirs\n")
        }
    }

    /// The command and its editor are killed: what was saved until then is offered as a draft.
    @Test func whatWasSavedBeforeAKillIsADraft() async throws {
        try await inFreshHome { home in
            try home.write("one\n", toNote: "Plan.txt")
            let editor = home.work.appending(path: "ed.sh")
            try Data("#!/bin/sh\necho two >>\"$1\"; kill -9 $PPID; kill -9 $$\n".utf8).write(
                to: editor)
            let command = try TerminalDriver(
                running: TerminalProgram(
                    "/bin/sh", ["-c", "\(ClubHome.program) notes edit Plan; echo status $?"],
                    environment: home.environment(more: ["EDITOR": "exec /bin/sh \(editor.path)"]),
                    directory: home.work.path, size: .classic))
            try await command.wait(forText: "status 137")
            command.close()
            let terminal = try await home.open()
            defer { terminal.close() }
            try await terminal.wait(forText: "An unsaved note was kept")
            #expect(terminal.screen.contains("8 B"))
            #expect(try home.text(ofNote: "Plan.txt") == "one\n")
        }
    }

    @Test func aTextUnderAnotherNameIsNotThrownAway() async throws {
        try await inFreshHome { home in
            try await edit(
                in: home, by: "echo two >\"$1.new\"; rm \"$1\"", showing: "cannot be read"
            ) { terminal in
                let (path, text) = try #require(editedTexts(in: home).first)
                #expect(String(decoding: text, as: UTF8.self) == "two\n")
                let folder = URL(filePath: path).deletingLastPathComponent().path
                #expect(terminal.screen.contains("Its files are in \(folder)"))
            }
        }
    }

    @Test func whatWasFoundIsWrittenBeforeAnErrorInJSONToo() async throws {
        try await inFreshHome { home in
            try home.write("text", toNote: "a.txt")
            let cat = try await home.run(["notes", "cat", "a", "missing", "--json"])
            #expect(cat.status != 0)
            #expect(cat.text.contains("\"text\""))
        }
    }

    @Test func noNoteGoesToThePhotos() async throws {
        try await inFreshHome { home in
            try home.write("a", toNote: "a.txt")
            for command in [["new", "photos/plan"], ["mv", "a", "Photos/"]] {
                let refused = try await home.run(["notes"] + command, input: "words")
                #expect(refused.status == 1)
                #expect(refused.errorText.contains("for photos"), "\(refused.errorText)")
            }
            #expect(try home.text(ofNote: "a.txt") == "a")
            #expect(home.photoNames.isEmpty)
        }
    }

    @Test func aFolderStaysThatHasHiddenFilesInIt() async throws {
        try await inFreshHome { home in
            let folder = home.club.appending(path: "drafts")
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false)
            try Data("x".utf8).write(to: folder.appending(path: ".private"))
            let terminal = try home.start()
            defer { terminal.close() }
            try await terminal.wait(forText: "drafts/")
            terminal.type("d")
            try await terminal.wait(forText: "Delete folder?")
            terminal.type("d")
            try await terminal.wait(forText: "hidden files")
            #expect(home.names(in: home.club).contains("drafts"))
            #expect(try Data(contentsOf: folder.appending(path: ".private")) == Data("x".utf8))
        }
    }

    @Test func anEditorThatFailsChangesNothing() async throws {
        try await inFreshHome { home in
            try home.write("one\n", toNote: "Plan.txt")
            let terminal = try TerminalDriver(
                running: TerminalProgram(
                    "/bin/sh", ["-c", "\(ClubHome.program) notes edit Plan; echo status $?"],
                    environment: home.environment(more: ["EDITOR": "false"]),
                    directory: home.work.path, size: TerminalSize(columns: 100, rows: 24)))
            defer { terminal.close() }
            try await terminal.wait(forText: "status 1")
            #expect(terminal.screen.contains("failed"))
            #expect(try home.text(ofNote: "Plan.txt") == "one\n")
        }
    }
}
