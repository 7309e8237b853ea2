import ClubStore
import Foundation
import Testing

@testable import ByteClub
@testable import TerminalUI
@testable import TextEditing

@Suite struct EditorMemoryTests {
    private func withMemory(_ body: (EditorMemory) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("editor-\(UUID().uuidString)", isDirectory: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(EditorMemory(folder: folder))
    }

    @Test func bringsCaretTogglesAndHistoryBack() async throws {
        try await withMemory { memory in
            let path = try RemotePath(validating: "/a.txt")
            var editor = TextEditor("one")
            editor.placeCaret(at: 3)
            editor.type(" two")
            let written = TextView.Memory(
                selection: Selection(anchor: 2, head: 5), scrollAnchor: 0, wrapsLines: false,
                history: editor.history)
            await memory.save(written, of: path, text: editor.text)
            let read = try #require(await memory.load(path, text: editor.text))
            // What was selected would be replaced by the first key.
            #expect(read.selection == Selection(caret: 5))
            #expect(read.wrapsLines == false && read.showsLineNumbers == nil)
            #expect(read.history.canUndo)

            // Another text: the place alone, and no step that does not belong to it.
            let other = try #require(await memory.load(path, text: "x"))
            #expect(other.selection == Selection(caret: 1))
            #expect(!other.history.canUndo)
            let unknown = await memory.load(try RemotePath(validating: "/b.txt"), text: "x")
            #expect(unknown == nil)
        }
    }

    @Test func nobodyElseCanReadIt() async throws {
        try await withMemory { memory in
            let path = try RemotePath(validating: "/a.txt")
            let written = TextView.Memory(selection: Selection(caret: 0), scrollAnchor: 0)
            await memory.save(written, of: path, text: "secret")
            let names = try FileManager.default.contentsOfDirectory(atPath: memory.folder.path)
            #expect(names.count == 1)
            for path in [memory.folder.path, memory.folder.path + "/" + (names.first ?? "")] {
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
                #expect(((mode as? NSNumber)?.intValue ?? 0o777) & 0o077 == 0)
            }
        }
    }
}
