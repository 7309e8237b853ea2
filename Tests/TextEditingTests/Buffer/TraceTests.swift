import Testing
import TextEditing

@Suite struct TraceTests {
    @Test(arguments: ["seph-blog1", "sveltecomponent"])
    func replaysARecordedSessionByteExactThenUndoesAndRedoesItAll(name: String) throws {
        let trace = try EditingTrace(named: name)
        var editor = TextEditor()
        for patch in trace.patches {
            let start = editor.text.offset(ofScalar: patch.position)
            let end = editor.text.offset(ofScalar: patch.position + patch.removed)
            editor.replace(
                start..<end, with: patch.inserted,
                grouping: patch.removed == 0 ? .typing : .deletingBackward)
        }
        let end = editor.text
        #expect(end.count == trace.endByteCount)
        #expect(fnv(end.bytes(in: 0..<end.count)) == trace.endHash)
        var steps = 0
        while editor.history.canUndo {
            editor.undo()
            steps += 1
        }
        #expect(editor.text.isEmpty)
        #expect(editor.text.lineCount == 1)
        #expect(!editor.isDirty)
        #expect(steps < trace.patches.count / 2)
        while editor.history.canRedo { editor.redo() }
        #expect(editor.text == end)
    }
}
