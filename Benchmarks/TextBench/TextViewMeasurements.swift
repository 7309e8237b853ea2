import TerminalUI
import TextEditing

/// A key in a text view of 160×49 cells: handled, laid out, drawn into the surface.
@MainActor
func measureTextView() {
    let note = (1...40).map { "Line \($0) of an ordinary note, with some words to read in it." }
    measureView("40 lines", note.joined(separator: "\n"), at: 600)
    let page = String(repeating: "a full screen of text, ", count: 340)
    measureView("a full screen", page, at: 3000)
    let words = String(repeating: "some words in a long line, ", count: 38_836)
    measureView("a 1 MB line", words, at: 500_000)
    measureView("a 1 MB line", words, at: 0)
    measureView("a 1 MB line", words, at: words.utf8.count)
    measureView("a 1 MB line that does not wrap", words, at: words.utf8.count, wraps: false)
    measurePasteIntoView()
    let chinese = String(repeating: "長い行の漢字。", count: 49_933)
    measureView("a 1 MB line of Chinese", chinese, at: 500_001)
    let emoji = String(repeating: "👍🏽👨‍👩‍👧", count: 40_330)
    measureView("a 1 MB line of emoji", emoji, at: 0)
    measureView(
        "100 MB", String(repeating: "an ordinary line of text\n", count: 4_000_000), at: 50_000_000)
}

@MainActor
private func measureView(_ name: String, _ text: String, at offset: Int, wraps: Bool = true) {
    let view = TextView()
    view.wrapsLines = wraps
    view.load(TextBuffer(text))
    view.frame = Rect(x: 0, y: 0, width: 160, height: 49)
    view.layoutIfNeeded()
    view.select(offset..<offset)
    let surface = Surface(size: Size(width: 160, height: 49))
    let clock = ContinuousClock()
    var times: [Double] = []
    for index in 0..<500 {
        let press = KeyPress.character(index % 6 == 5 ? " " : "x")
        let time = clock.measure {
            _ = view.keyTable.entries.count
            _ = view.keyDown(press)
            surface.clear()
            view.draw(on: surface)
            _ = view.cursorPosition
        }
        times.append(milliseconds(time))
    }
    times.sort()
    report("key in view of \(name) at \(offset), p50", times[250])
    report("key in view of \(name) at \(offset), p99", times[495])
}

@MainActor
private func measurePasteIntoView() {
    let view = TextView()
    view.frame = Rect(x: 0, y: 0, width: 160, height: 49)
    view.load(TextBuffer(String(repeating: "line\n", count: 2000)))
    view.layoutIfNeeded()
    let surface = Surface(size: Size(width: 160, height: 49))
    let paste = String(repeating: "pasted words and more\n", count: 4546)
    let time = median(of: 9) {
        _ = view.paste(paste)
        surface.clear()
        view.draw(on: surface)
    }
    report("paste 100 KB into view", time)
}
