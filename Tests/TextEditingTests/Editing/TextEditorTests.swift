import Testing
import TextEditing

/// Makes an editor from a text in which `|` marks the caret and `[` the other end of a selection.
func makeEditor(_ marked: String, columns: Int = 80, wraps: Bool = true) -> TextEditor {
    var plain = ""
    var (caret, anchor) = (0, Int?.none)
    for scalar in marked.unicodeScalars {
        switch scalar {
        case "|": caret = plain.utf8.count
        case "[": anchor = plain.utf8.count
        default: plain.unicodeScalars.append(scalar)
        }
    }
    var editor = TextEditor(
        TextBuffer(plain), layout: TextLayoutOptions(columns: columns, wraps: wraps))
    editor.select(Selection(anchor: anchor ?? caret, head: caret))
    return editor
}

/// Shows an editor as `makeEditor` reads it.
func marked(_ editor: TextEditor) -> String {
    var bytes = editor.text.bytes(in: 0..<editor.text.count)
    let (anchor, head) = (editor.selection.anchor, editor.selection.head)
    var marks = [(head, UInt8(ascii: "|"))]
    if anchor != head { marks.append((anchor, UInt8(ascii: "["))) }
    for (offset, mark) in marks.sorted(by: { $0.0 > $1.0 }) { bytes.insert(mark, at: offset) }
    return String(decoding: bytes, as: UTF8.self)
}

@Suite struct TextEditorTests {
    @Test(
        arguments: [
            ("one |two", TextMotion.left, "one| two"), ("e\u{301}|x", .left, "|e\u{301}x"),
            ("a|👨‍👩‍👧b", .right, "a👨‍👩‍👧|b"), ("a|\r\nb", .right, "a\r\n|b"), ("a\r\n|b", .left, "a|\r\nb"),
            ("|", .left, "|"), ("x|", .right, "x|"), ("[two|", .left, "|two"),
            ("|two[", .right, "two|"),
            ("|one two", .wordRight, "one| two"), ("one| two", .wordRight, "one two|"),
            ("one two|", .wordLeft, "one |two"), ("f(x)|", .wordLeft, "f(x|)"),
            ("one|\n  two", .wordRight, "one\n  two|"), ("漢字かな|", .wordLeft, "漢字|かな"),
            ("नमस्ते| x", .wordLeft, "|नमस्ते x"), ("a\nb|c\nd", .lineStart, "a\n|bc\nd"),
            ("a\n|bc\r\nd", .lineEnd, "a\nbc|\r\nd"), ("a\nb|c", .textStart, "|a\nbc"),
            ("|a\nbc", .textEnd, "a\nbc|"),
        ])
    func moves(before: String, motion: TextMotion, after: String) {
        var editor = makeEditor(before)
        editor.move(motion)
        #expect(marked(editor) == after)
    }

    @Test(
        arguments: [
            ("long line\nab\nlong| line", [-1, -1], "long| line\nab\nlong line"),
            ("漢字|漢字\nabcdef", [1], "漢字漢字\nabcd|ef"), ("abc|def\n漢字漢字", [1], "abcdef\n漢|字漢字"),
            ("a|b", [-1], "|ab"), ("a|b", [1], "ab|"), ("a\tb|\nabcdefgh", [1], "a\tb\nabcde|fgh"),
        ])
    func movesByRowsAndRemembersTheColumn(before: String, rows: [Int], after: String) {
        var editor = makeEditor(before)
        for count in rows { editor.move(.rows(count)) }
        #expect(marked(editor) == after)
    }

    @Test func keepsTheColumnAcrossRowsOfOneWrappedLine() {
        var editor = makeEditor("aaaa bbbb| cccc dddd eeee", columns: 10)
        editor.move(.rows(1))
        #expect(marked(editor) == "aaaa bbbb cccc dddd| eeee")
        editor.move(.rows(1))
        #expect(marked(editor) == "aaaa bbbb cccc dddd eeee|")
        editor.move(.rows(-2))
        #expect(marked(editor) == "aaaa bbbb| cccc dddd eeee")
    }

    @Test func homeAndEndGoToTheRowAndThenToTheLine() {
        var editor = makeEditor("aaaa bbbb cccc d|ddd eeee", columns: 10)
        editor.move(.rowStart)
        #expect(marked(editor) == "aaaa bbbb |cccc dddd eeee")
        editor.move(.rowStart)
        #expect(marked(editor) == "|aaaa bbbb cccc dddd eeee")
        editor.move(.rowEnd)
        #expect(marked(editor) == "aaaa bbbb| cccc dddd eeee")
        editor.move(.rowEnd)
        #expect(marked(editor) == "aaaa bbbb cccc dddd eeee|")
        editor = makeEditor("|abcdefghijklmno", columns: 10)
        editor.move(.rowEnd)
        #expect(marked(editor) == "abcdefghij|klmno")
        #expect(editor.caretColumn == 10)
        #expect(editor.caretRow.range == 0..<10)
    }

    @Test(
        arguments: [
            ("one|", TextMotion.left, "on|"), ("e\u{301}|", .left, "|"), ("👨‍👩‍👧|", .left, "|"),
            ("a\r\n|b", .left, "a|b"),
            ("|ab", .right, "|b"), ("one two|", .wordLeft, "one |"),
            ("one\n|two", .wordLeft, "one|two"),
            ("one\n  |", .wordLeft, "one\n|"), ("|one two", .wordRight, "| two"),
            ("one|\ntwo", .wordRight, "one|two"),
            ("a[bc|d", .wordLeft, "a|d"), ("|", .left, "|"),
        ])
    func deletes(before: String, motion: TextMotion, after: String) {
        var editor = makeEditor(before)
        editor.delete(motion)
        #expect(marked(editor) == after)
        editor.undo()
        #expect(marked(editor) == before)
    }

    @Test func undoesTypingByWords() {
        var editor = TextEditor()
        for character in "Hello brave new" { editor.type(String(character)) }
        editor.undo()
        #expect(marked(editor) == "Hello brave |")
        editor.undo()
        #expect(marked(editor) == "Hello |")
        editor.redo()
        #expect(marked(editor) == "Hello brave |")
        editor.type("x")
        #expect(!editor.history.canRedo)
        editor.undo()
        editor.undo()
        editor.undo()
        #expect(marked(editor) == "|")
        #expect(!editor.history.canUndo)
    }

    @Test func aMoveEndsTheStepOfTyping() {
        var editor = TextEditor()
        editor.type("a")
        editor.move(.left)
        editor.move(.right)
        editor.type("b")
        editor.undo()
        #expect(marked(editor) == "a|")
    }

    @Test func aPasteIsOneStepAndBringsTheSelectionBack() {
        var editor = makeEditor("one [two| three")
        editor.paste("2\n3 4 5")
        #expect(marked(editor) == "one 2\n3 4 5| three")
        editor.undo()
        #expect(marked(editor) == "one [two| three")
    }

    @Test func deletingBackwardsIsOneStep() {
        var editor = makeEditor("abcdef|")
        for _ in 0..<3 { editor.delete(.left) }
        #expect(marked(editor) == "abc|")
        editor.undo()
        #expect(marked(editor) == "abcdef|")
    }

    @Test func knowsWhetherItWasSaved() {
        var editor = TextEditor("note")
        #expect(!editor.isDirty)
        editor.type("x")
        #expect(editor.isDirty)
        editor.undo()
        #expect(!editor.isDirty)
        editor.redo()
        editor.markSaved()
        editor.type("y")
        #expect(editor.isDirty)
        editor.undo()
        #expect(!editor.isDirty)
        editor.undo()
        #expect(editor.isDirty)
    }

    @Test func savingInTheMiddleKeepsWhatWasTypedSinceDirty() {
        var editor = TextEditor()
        editor.type("a")
        let written = editor.state
        editor.type("b")
        editor.markSaved(written)
        #expect(editor.isDirty)
    }

    @Test func cutsTheLineWhenNothingIsSelected() {
        var editor = makeEditor("one\r\nt|wo\r\nthree")
        #expect(editor.cut().string == "two\r\n")
        #expect(marked(editor) == "one\r\n|three")
        editor = makeEditor("one [two| three")
        #expect(editor.cut().string == "two")
        #expect(marked(editor) == "one | three")
    }

    @Test func newLinesEndAsTheTextDoes() {
        var editor = makeEditor("a\r\nb|")
        editor.typeLineBreak()
        #expect(marked(editor) == "a\r\nb\r\n|")
    }

    @Test func replacesManyAsOneStep() throws {
        var editor = makeEditor("cat dog cat dog cat|")
        let search = try #require(TextSearch("cat"))
        editor.replaceAll(try search.matches(in: editor.text).map { ($0, "mouse") })
        #expect(marked(editor) == "mouse dog mouse dog mouse|")
        editor.undo()
        #expect(marked(editor) == "cat dog cat dog cat|")
    }

    @Test func aCaretNeverEntersACluster() {
        var editor = TextEditor("a👨‍👩‍👧b")
        editor.placeCaret(at: 5)
        #expect(editor.caret == 1)
    }

    @Test(arguments: [
        ("one two", 5, 4..<7), ("a  b", 1, 1..<3), ("漢字かな", 1, 0..<6), ("", 0, 0..<0),
    ])
    func findsTheWordUnderAClick(text: String, offset: Int, range: Range<Int>) {
        #expect(TextBuffer(text).wordRange(at: offset) == range)
    }

    @Test(arguments: [
        ("one two three", 8, "zero one two three", 13), ("one two three", 13, "one", 3),
        ("one two three", 2, "one three", 2), ("one", 1, "", 0), ("e", 1, "e\u{301}x", 0),
        ("same", 2, "same", 2),
    ])
    func aTextThatWasSavedElsewhereIsOneStep(before: String, caret: Int, after: String, place: Int)
    {
        var editor = TextEditor(TextBuffer(before))
        editor.placeCaret(at: caret)
        editor.type("!")
        editor.undo()
        editor.becomeSaved(TextBuffer(after))
        #expect(editor.text.string == after && !editor.isDirty)
        #expect(editor.caret == place)
        guard before != after else { return }
        editor.undo()
        #expect(editor.text.string == before && editor.isDirty)
        editor.redo()
        #expect(!editor.isDirty)
    }

    @Test func aKnownChangeIsTakenAndAWrongOneIsNot() {
        var editor = TextEditor("one two")
        editor.becomeSaved("one 2", by: TextReplacement(4..<7, with: "2"))
        #expect(editor.text.string == "one 2" && !editor.isDirty)
        editor.becomeSaved("two", by: TextReplacement(0..<99, with: "x"))
        #expect(editor.text.string == "two" && !editor.isDirty)
    }

    /// Each step would keep the bytes before and after.
    @Test func aLargeChangeIsNotKept() {
        let long = String(repeating: "x", count: 600_000)
        var editor = TextEditor(TextBuffer(long + "end"))
        editor.placeCaret(at: editor.text.count)
        editor.becomeSaved(TextBuffer(String(repeating: "y", count: 600_000) + "end"))
        #expect(!editor.history.canUndo && !editor.isDirty && editor.caret == editor.text.count)
    }

    @Test func anotherTextHasAnotherState() {
        var editor = TextEditor("one")
        let first = editor.state
        editor.load("two")
        #expect(editor.state != first && !editor.isDirty)
        editor.type("!")
        editor.undo()
        #expect(editor.state != first && !editor.isDirty)
    }
}
