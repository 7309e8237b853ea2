import Testing

@testable import TextEditing

@Suite struct IndentingTests {
    /// `[` and `]` are the ends of the selection; `|` is a caret.
    private func editor(_ marked: String) -> TextEditor {
        var (text, anchor, head) = ("", 0, 0)
        for character in marked {
            switch character {
            case "[": anchor = text.utf8.count
            case "]": head = text.utf8.count
            case "|": (anchor, head) = (text.utf8.count, text.utf8.count)
            default: text.append(character)
            }
        }
        var editor = TextEditor(TextBuffer(text))
        editor.select(Selection(anchor: anchor, head: head))
        return editor
    }

    private func marked(_ editor: TextEditor) -> String {
        let bytes = Array(editor.text.string.utf8)
        let (anchor, head) = (editor.selection.anchor, editor.selection.head)
        var result = ""
        for offset in 0...bytes.count {
            if anchor == head, offset == head {
                result += "|"
            } else {
                if offset == anchor { result += "[" }
                if offset == head { result += "]" }
            }
            if offset < bytes.count { result += String(decoding: [bytes[offset]], as: UTF8.self) }
        }
        return result
    }

    @Test(arguments: [
        ("[a\nb]\nc", "[\ta\n\tb]\nc"), ("a[b\ncd\n]e", "\ta[b\n\tcd\n]e"),
        ("]a\n\nb[", "]\ta\n\n\tb["), ("  x\n[a\nb]", "  x\n[  a\n  b]"),
        ("\tx\n[a\nb]", "\tx\n[\ta\n\tb]"), ("[- a\n- b]", "[  - a\n  - b]"),
        ("- a\n- |b", "- a\n  - |b"), ("|- b", "  |- b"), ("1. |b", "  1. |b"),
    ])
    func indents(before: String, after: String) {
        var editor = editor(before)
        #expect(editor.indentsLines)
        let text = editor.text
        editor.indentLines()
        #expect(marked(editor) == after)
        // One step, which can be undone; outdenting is its opposite.
        var undone = editor
        undone.undo()
        #expect(undone.text == text && marked(undone) == before)
        editor.outdentLines()
        #expect(editor.text == text)
    }

    @Test(arguments: [
        ("[\ta\n    b\n c\nd]", "[a\nb\nc\nd]"), ("[a\n\nb]", "[a\n\nb]"),
        ("[      a\n  b]", "[a\nb]"), ("  - |a", "- |a"), (" [ a\n  b]", "[a\nb]"),
    ])
    func outdents(before: String, after: String) {
        var editor = editor(before)
        #expect(editor.indentsLines)
        editor.outdentLines()
        #expect(marked(editor) == after)
    }

    @Test(arguments: [
        ("a|", "a\t|"), ("  a\n    |b", "  a\n      |b"), ("    x\n  |", "    x\n    |"),
        ("a  |", "a  \t|"), ("\t|", "\t\t|"), ("|", "\t|"),
    ])
    func aTabGoesOnWithTheSpacesOfALine(before: String, after: String) {
        var editor = editor(before)
        editor.typeTab()
        #expect(marked(editor) == after)
    }

    @Test(arguments: [
        ("  a|", true), ("\t|b", true), ("a|", false), ("a  |", false), ("[a\n b]", true),
    ])
    func knowsWhatCanBeMovedBack(text: String, expected: Bool) {
        #expect(editor(text).canOutdent == expected)
    }

    @Test(arguments: ["|a", "a[b]c", "- a|b", "|", "a\n|\nb", "[a\n]b"])
    func aTabIsACharacterElsewhere(text: String) {
        #expect(editor(text).indentsLines == text.contains("\n]"))
    }
}
