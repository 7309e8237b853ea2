import Testing

@testable import TerminalUI

@MainActor
@Suite struct SurfaceTests {
    private func makeSurface(_ width: Int, _ height: Int = 1) -> Surface {
        Surface(size: Size(width: width, height: height))
    }

    private func rows(_ surface: Surface) -> [String] {
        (0..<surface.size.height).map { row in
            (0..<surface.size.width).map { column in
                let cell = surface[column: column, row: row]
                return cell.columnCount == 0 ? "" : cell.grapheme.text
            }.joined()
        }
    }

    @Test func drawsTextWhereItIsTold() {
        let surface = makeSurface(8, 2)
        #expect(surface.draw("hello", at: Point(x: 2, y: 1)) == 5)
        #expect(rows(surface) == ["        ", "  hello "])
    }

    @Test func aWideCharacterFillsTwoCells() {
        let surface = makeSurface(6)
        #expect(surface.draw("a漢b", at: .zero) == 4)
        #expect(surface[column: 1, row: 0].columnCount == 2)
        #expect(surface[column: 2, row: 0].columnCount == 0)
        #expect(rows(surface) == ["a漢b  "])
    }

    @Test func aWideCharacterCutByAnEdgeBecomesASpace() {
        let surface = makeSurface(5)
        surface.inside(Rect(x: 1, y: 0, width: 2, height: 1)) {
            surface.draw("a漢", at: .zero, truncation: .clip)
        }
        #expect(rows(surface) == [" a   "])
        surface.inside(Rect(x: 2, y: 0, width: 3, height: 1)) {
            surface.draw("漢b", at: Point(x: -1, y: 0), columns: 4)
        }
        #expect(rows(surface) == [" a b "])
    }

    @Test func writingOverHalfOfAWideCharacterFreesTheOtherHalf() {
        let surface = makeSurface(4)
        surface.draw("漢字", at: .zero)
        surface.draw("x", at: Point(x: 1, y: 0))
        #expect(rows(surface) == [" x字"])
        surface.draw("y", at: Point(x: 2, y: 0))
        #expect(rows(surface) == [" xy "])
    }

    @Test func fillingOverHalfOfAWideCharacterFreesTheOtherHalf() {
        let surface = makeSurface(6)
        surface.draw("漢字漢", at: .zero)
        surface.fill(Rect(x: 1, y: 0, width: 4, height: 1), with: Cell("-"))
        #expect(rows(surface) == [" ---- "])
    }

    @Test(arguments: [
        ("\u{1B}[31mred", "^[[31mred"), ("a\tb", "a^Ib"), ("a\nb", "a^Jb"),
        ("x\u{202E}y", "x<U+202E>y"), ("\u{7F}", "^?"), ("\u{9B}2J", "<U+009B>2J"),
    ])
    func nothingDrawnIsAControlCharacter(_ text: String, _ expected: String) {
        let surface = makeSurface(12)
        let used = surface.draw(text, at: .zero)
        #expect(rows(surface)[0].prefix(used) == expected)
        for column in 0..<12 {
            for scalar in surface[column: column, row: 0].grapheme.text.unicodeScalars {
                #expect(scalar.properties.generalCategory != .control)
            }
        }
    }

    @Test(arguments: [
        (Truncation.tail, "a long…"), (.head, "…me.txt"), (.middle, "a l…txt"), (.clip, "a long "),
    ])
    func longTextIsCut(_ truncation: Truncation, _ expected: String) {
        let surface = makeSurface(7)
        #expect(surface.draw("a long name.txt", at: .zero, truncation: truncation) == 7)
        #expect(rows(surface) == [expected])
    }

    @Test func cuttingNeverSplitsAWideCharacter() {
        let surface = makeSurface(6)
        #expect(surface.draw("漢字漢字", at: .zero, columns: 6) == 5)
        #expect(rows(surface) == ["漢字… "])
    }

    @Test func windowsNestAndClip() {
        let surface = makeSurface(10, 4)
        surface.inside(Rect(x: 2, y: 1, width: 5, height: 2)) {
            #expect(surface.bounds == Rect(x: 0, y: 0, width: 5, height: 2))
            surface.inside(Rect(x: 3, y: 1, width: 9, height: 9)) {
                surface.draw("abcdef", at: .zero, truncation: .clip)
                surface.fill(Rect(x: -9, y: -9, width: 30, height: 9), with: Cell("#"))
            }
        }
        #expect(rows(surface) == ["          ", "          ", "     ab   ", "          "])
    }

    @Test func aBorderCarriesItsTitleAndCutsItWhereThereIsNoRoom() {
        let surface = makeSurface(14, 3)
        surface.drawBorder(surface.bounds, style: .plain, title: "Notes", trailing: "12")
        #expect(rows(surface) == ["╭─ Notes ────╮", "│            │", "╰────────────╯"])
        let narrow = makeSurface(9, 2)
        narrow.drawBorder(narrow.bounds, style: .plain, title: "A long title")
        #expect(rows(narrow) == ["╭─ A l… ╮", "╰───────╯"])
    }

    @Test func wrapsBetweenWords() {
        func lines(_ text: String, _ columns: Int) -> [String] {
            TextLine(text).wrapped(columns: columns).map(\.text)
        }
        #expect(lines("the quick brown fox", 10) == ["the quick", "brown fox"])
        #expect(lines("one\n\ntwo", 10) == ["one", "", "two"])
        #expect(lines("incomprehensible", 6) == ["incomp", "rehens", "ible"])
        #expect(lines("a 漢字漢字 b", 5) == ["a", "漢字", "漢字", "b"])
        #expect(lines("", 5) == [""])
    }

    @Test func colorsFindTheirNearest() {
        func number(_ color: Color, _ depth: ColorDepth) -> Int {
            PaletteColors.number(of: color, depth: depth)
        }
        #expect(number(.default, .palette) == -1)
        #expect(number(.palette(200), .palette) == 200)
        #expect(number(.rgb(255, 0, 0), .palette) == 196)
        #expect(number(.rgb(128, 128, 128), .palette) == 244)
        #expect(number(.rgb(255, 255, 255), .palette) == 231)
        #expect(number(.rgb(0, 0, 0), .palette) == 16)
        #expect(number(.rgb(250, 5, 5), .sixteen) == 9)
        #expect(number(.palette(196), .sixteen) == 9)
        #expect(number(.palette(12), .eight) == 4)
        #expect(number(.rgb(1, 2, 3), .monochrome) == -1)
    }

    @Test func theHolesOfAPictureShowTheGround() {
        let surface = makeSurface(4)
        let red = Color.rgb(200, 0, 0)
        let blue = Color.palette(25)
        surface.fill(surface.bounds, style: Style(background: blue))
        surface.draw(
            ImageCells(
                columnCount: 4, rowCount: 1,
                pixels: [
                    .init("▀", foreground: red, background: .default),
                    .init("▄", foreground: .default, background: red),
                    .init(" ", foreground: .default, background: red),
                    .init(" ", foreground: .default, background: .default),
                ]), at: .zero)
        let styles = (0..<4).map { surface[column: $0, row: 0].style }
        #expect(styles[0] == Style(foreground: red, background: blue))
        #expect(styles[1] == Style(foreground: red, background: blue, .reverse))
        #expect(styles[2] == Style(background: red))
        #expect(styles[3] == Style(background: blue))
    }

    @Test func aGraphemeKeepsItsText() {
        let family = Grapheme(cluster: "👨‍👩‍👧")
        #expect(family.text == "👨‍👩‍👧")
        #expect(family == Grapheme(cluster: "👨‍👩‍👧"))
        #expect(family.scalar == nil)
        #expect(Grapheme("é").text == "é")
        #expect(Grapheme(cluster: "") == .space)
    }
}
