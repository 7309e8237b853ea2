import Foundation
import TestSupport
import Testing

/// What the editor remembers of a note over restarts.
@Suite struct EditorRestartTests {
    @Test func undoGoesOnAfterARestart() async throws {
        try await inFreshHome { home in
            try home.write("one two\n", toNote: "a.txt")
            do {
                let terminal = try await home.open()
                defer { terminal.close() }
                try await terminal.openNote(showing: "one two")
                terminal.press(.right, .right, .right)
                terminal.type(" and")
                terminal.press(.function(2))
                try await terminal.waitForTabs()
                try await eventually("the memory") { home.editorFiles.count == 1 }
            }
            let terminal = try await home.open()
            defer { terminal.close() }
            try await terminal.openNote(showing: "one and two")
            try await terminal.wait(forText: "Col 8")
            terminal.press(.control("z"))
            try await terminal.wait(forText: "modified")
            #expect(!terminal.screen.contains("one and"))
            #expect(try home.text(ofNote: "a.txt") == "one and two\n")
        }
    }

    @Test func whatWasDiscardedIsNotKept() async throws {
        try await inFreshHome { home in
            try home.write("one\n", toNote: "a.txt")
            let terminal = try await home.open()
            defer { terminal.close() }
            try await terminal.openNote(showing: "one")
            terminal.type("nobodyneedsthis")
            terminal.press(.escape)
            try await terminal.wait(forText: "Keep as draft")
            terminal.type("D")
            try await terminal.waitForTabs()
            try await eventually("the memory") { home.editorFiles.count == 1 }
            let file = try #require(home.editorFiles.first)
            let data = try Data(contentsOf: file)
            #expect(data.range(of: Data("nobodyneeds".utf8)) == nil)
        }
    }
}

extension ClubHome {
    /// What is remembered of notes.
    fileprivate var editorFiles: [URL] {
        let state = folder.appending(path: "state")
        let files = FileManager.default.enumerator(atPath: state.path)
        return (files?.compactMap { $0 as? String } ?? [])
            .filter { $0.hasSuffix(".editor") }.map { state.appending(path: $0) }
    }
}
