import Testing

@testable import TextEditing

@Suite struct LineContinuationTests {
    @Test(
        arguments: [
            ("- milk|", "- milk\n- |"), ("  * milk|", "  * milk\n  * |"),
            ("1. one|", "1. one\n2. |"), ("9) nine|", "9) nine\n10) |"),
            ("- [x] done|", "- [x] done\n- [ ] |"), ("+ a|b", "+ a\n+ |b"),
            ("\tindented|", "\tindented\n\t|"), ("    |x", "    \n    |x"),
            ("- |", "|"), ("one\n- [ ] |\ntwo", "one\n|\ntwo"), ("  3. |", "3. |"),
            ("- a\n  - b\n    - |", "- a\n  - b\n  - |"), ("- a\n\t- |", "- a\n- |"),
            ("1. a\n   - |", "1. a\n2. |"), ("\t- a\n  - |", "\t- a\n- |"),
            ("|- milk", "\n|- milk"), ("-|milk", "-\n|milk"), ("plain|", "plain\n|"),
            ("- a\r\n- b|", "- a\r\n- b\r\n- |"), ("1.5|", "1.5\n|"), ("--|", "--\n|"),
            ("> said|", "> said\n> |"), ("> > a|", "> > a\n> > |"), (">> a|", ">> a\n>> |"),
            ("> |", "|"), (">=1|", ">=1\n|"), ("  > a|b", "  > a\n  > |b"),
        ] as [(String, String)])
    func aNewLineGoesOnAsTheLineDoes(text: String, expected: String) throws {
        let caret = try #require(text.utf8.firstIndex(of: UInt8(ascii: "|")))
        var editor = TextEditor(TextBuffer(text.replacing("|", with: "")))
        editor.placeCaret(at: text.utf8.distance(from: text.startIndex, to: caret))
        editor.typeContinuedLineBreak()
        var marked = editor.text.string
        marked.insert("|", at: marked.utf8.index(marked.startIndex, offsetBy: editor.caret))
        #expect(marked == expected)
        editor.undo()
        #expect(editor.text.string == text.replacing("|", with: ""))
    }

    @Test func aSelectionIsReplacedAndTheListGoesOn() {
        var editor = TextEditor("- milk and bread")
        editor.select(Selection(anchor: 6, head: 16))
        editor.typeContinuedLineBreak()
        #expect(editor.text.string == "- milk\n- ")
    }
}
