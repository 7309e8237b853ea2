import FoundationEssentials
import Glibc
import TextEditing

func measureTrace(_ name: String, in folder: String) throws {
    let trace = try EditingTrace(contentsOf: "\(folder)/\(name).trace")
    var buffer = TextBuffer()
    let time = median(of: 9) {
        buffer = TextBuffer()
        for patch in trace.patches {
            let start = buffer.offset(ofScalar: patch.position)
            let end =
                patch.removed == 0
                ? start : buffer.offset(ofScalar: patch.position + patch.removed)
            buffer.replace(start..<end, with: patch.inserted)
        }
    }
    let isExact = fnv(buffer.bytes(in: 0..<buffer.count)) == trace.endHash
    report(
        "trace \(name), buffer", time,
        "\(trace.patches.count) edits, \(isExact ? "byte-exact" : "WRONG")")

    var editor = TextEditor()
    let typing = median(of: 5) {
        editor = TextEditor()
        for patch in trace.patches {
            let start = editor.text.offset(ofScalar: patch.position)
            let end =
                patch.removed == 0
                ? start : editor.text.offset(ofScalar: patch.position + patch.removed)
            editor.replace(
                start..<end, with: patch.inserted,
                grouping: patch.removed == 0 ? .typing : .deletingBackward)
        }
    }
    report("trace \(name), editor with history", typing)
    let undoing = median(of: 1) { while editor.history.canUndo { editor.undo() } }
    report("trace \(name), undo to nothing", undoing, editor.text.isEmpty ? "" : "WRONG")
    let redoing = median(of: 1) { while editor.history.canRedo { editor.redo() } }
    report("trace \(name), redo to the end", redoing, editor.text == buffer ? "" : "WRONG")
}

/// Reads a file of ordinary lines and types into its middle.
func measureOpening(megabytes: Int) {
    let path = "/tmp/byteclub-textbench-\(megabytes).txt"
    let line =
        "The quick brown fox jumps over the lazy dog, again and again, number after number.\n"
    let block = Array(String(repeating: line, count: 1_000_000 / line.utf8.count).utf8)
    guard let file = fopen(path, "w") else { return }
    for _ in 0..<megabytes { fwrite(block, 1, block.count, file) }
    fclose(file)
    defer { unlink(path) }

    let before = residentMegabytes()
    var text = TextBuffer()
    let opening = median(of: 1) {
        var builder = TextBuffer.Builder()
        let descriptor = open(path, O_RDONLY)
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count <= 0 { break }
            piece.withUnsafeBufferPointer {
                builder.append(UnsafeBufferPointer(rebasing: $0[..<count]))
            }
        }
        close(descriptor)
        text = builder.finish()
    }
    report(
        "open \(megabytes) MB", opening,
        "\(text.lineCount) lines, RSS +\(residentMegabytes() - before) MB")
    var editor = TextEditor(text, layout: TextLayoutOptions(columns: 159))
    text = TextBuffer()
    editor.placeCaret(at: editor.text.start(ofLine: editor.text.lineCount / 2))
    measureKeys("key in \(megabytes) MB", &editor)
    let saving = median(of: 1) {
        var sum = 0
        editor.text.forEachSpan(in: 0..<editor.text.count) { span in
            sum &+= span.count
            return true
        }
    }
    report("walk \(megabytes) MB for saving", saving)
}

/// Types a character and lays out a screen of 50 rows, again and again.
func measureKeys(_ name: String, _ editor: inout TextEditor) {
    let clock = ContinuousClock()
    var times: [Double] = []
    for index in 0..<400 {
        times.append(
            milliseconds(
                clock.measure {
                    editor.type(index % 6 == 5 ? " " : "x")
                    drawScreen(&editor)
                }))
    }
    times.sort()
    report(name + ", p50", times[200], "typed, laid out and 50 rows walked")
    report(name + ", p99", times[396])
}

func drawScreen(_ editor: inout TextEditor) {
    let row = editor.caretRow
    _ = editor.caretColumn
    var cells = 0
    for row in editor.layout.rows(from: row, count: 50, in: editor.text) {
        editor.layout.forEachGlyph(in: row, of: editor.text) { _, glyph in cells += glyph.width }
    }
    precondition(cells >= 0)
}

func measureLongLine(_ name: String, _ line: String) {
    var editor = TextEditor(
        TextBuffer("first\n" + line + "\nlast\n"), layout: TextLayoutOptions(columns: 159))
    let size = editor.text.count
    let first = median(of: 1) {
        editor.placeCaret(at: size - 6)
        drawScreen(&editor)
    }
    report("\(name), first jump to its end", first)
    for (place, offset) in [("end", size - 6), ("middle", size / 2), ("start", 6)] {
        editor.placeCaret(at: offset)
        measureKeys("\(name), key at \(place)", &editor)
    }
    let jump = median(of: 9) {
        editor.placeCaret(at: 6)
        editor.type("x")
        drawScreen(&editor)
        editor.placeCaret(at: editor.text.count - 6)
        drawScreen(&editor)
    }
    report("\(name), key at start, then end", jump)
}

func measureVisibleText() {
    let line = String(repeating: "an ordinary line of text, naïve and 漢字 ", count: 4)
    let time = median(of: 9) {
        for _ in 0..<50 { VisibleText.forEachGlyph(of: line) { $0.width > 0 } }
    }
    report("50 rows of 160 cells made visible", time)
}

func measurePaste() {
    let paste = TextBuffer(String(repeating: "pasted words and more\n", count: 4546))
    var editor = TextEditor(TextBuffer(String(repeating: "line\n", count: 2000)))
    editor.placeCaret(at: 5000)
    let time = median(of: 9) {
        editor.paste(paste)
        drawScreen(&editor)
        editor.undo()
    }
    report("paste 100 KB, draw, undo", time)
}
