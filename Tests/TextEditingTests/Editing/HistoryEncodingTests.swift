import Testing

@testable import TextEditing

@Suite struct HistoryEncodingTests {
    private func edited() -> TextEditor {
        var editor = TextEditor("one two three")
        editor.placeCaret(at: 3)
        editor.type("!")
        editor.select(Selection(anchor: 5, head: 8))
        editor.type("zwei")
        editor.paste(TextBuffer(String(repeating: "漢", count: 3000)))
        editor.undo()
        return editor
    }

    @Test func undoAndRedoGoOnAfterARestart() throws {
        var editor = edited()
        let bytes = editor.history.encoded(byteLimit: 1 << 20)
        let history = try #require(UndoHistory(decoding: bytes, textCount: editor.text.count))
        var restored = TextEditor(editor.text)
        restored.restore(history)
        #expect(!restored.isDirty)
        restored.redo()
        editor.redo()
        #expect(restored.text == editor.text)
        while restored.history.canUndo { restored.undo() }
        #expect(restored.text.string == "one two three")
        #expect(restored.isDirty)
    }

    @Test func theOldestStepsGoFirst() throws {
        let editor = edited()
        let bytes = editor.history.encoded(byteLimit: 20)
        let history = try #require(UndoHistory(decoding: bytes, textCount: editor.text.count))
        var restored = TextEditor(editor.text)
        restored.restore(history)
        while restored.history.canUndo { restored.undo() }
        #expect(restored.text.string == "one! two three")
    }

    @Test func anyBytesAreRefusedOrFit() {
        let bytes = edited().history.encoded(byteLimit: 1 << 20)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var broken = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                broken[Int.random(in: 0..<min(80, broken.count), using: &generator)] =
                    UInt8.random(in: .min ... .max, using: &generator)
            }
            if Bool.random(using: &generator) { broken.removeLast(Int.random(in: 1...9)) }
            let text = edited().text
            guard let history = UndoHistory(decoding: broken, textCount: text.count) else {
                continue
            }
            var editor = TextEditor(text)
            editor.restore(history)
            while editor.history.canUndo { editor.undo() }
            while editor.history.canRedo { editor.redo() }
        }
    }
}
