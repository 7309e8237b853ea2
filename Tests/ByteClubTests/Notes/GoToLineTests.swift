import TextEditing
import Testing

@testable import ByteClub

@MainActor @Suite struct GoToLineTests {
    @Test(
        arguments: [
            ("12", 11, 0), (" 12 : 5 ", 11, 4), ("1:1", 0, 0), ("-1", 99, 0), ("-100", 0, 0),
            ("-500", 0, 0), ("9999", 9998, 0),
        ] as [(String, Int, Int)])
    func readsANumber(typed: String, line: Int, column: Int) {
        #expect(
            GoToLine.place(typed, lineCount: 100) == TextPosition(line: line, column: column))
    }

    @Test(arguments: ["", "0", "x", "1:", ":1", "1:2:3", "1:0", "1:-1", "99999999999999999999"])
    func whatIsNoNumberIsRefused(typed: String) {
        #expect(GoToLine.place(typed, lineCount: 100) == nil)
    }
}
