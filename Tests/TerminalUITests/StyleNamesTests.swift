import Testing

@testable import TerminalUI

@Suite struct StyleNamesTests {
    @Test(arguments: [
        ("blue", Style(foreground: .palette(4))),
        ("bold bright-red", Style(foreground: .palette(9), .bold)),
        (
            "white on #005f87 bold",
            Style(foreground: .palette(7), background: .rgb(0, 95, 135), .bold)
        ),
        ("on 25", Style(background: .palette(25))),
        ("underline reverse", Style([.underline, .reverse])),
        ("default on default", Style()),
        ("244  dim", Style(foreground: .palette(244), .dim)),
    ]) func readsWhatPeopleWrite(_ text: String, _ style: Style) {
        #expect(Style(names: text) == style)
    }

    @Test(arguments: [
        "", " ", "on", "blue on", "blue red", "blue on red on green", "bold bold", "256", "-1",
        "#12",
        "#12345g", "#+12345", "bright-", "bright-bold", "blau",
    ]) func refusesWhatMakesNoSense(_ text: String) {
        #expect(Style(names: text) == nil)
    }

    @Test func aChosenLookCountsWithoutItsColoursWhereThereAreNone() {
        let chosen: [Role: Style] = [.selection: Style(foreground: .palette(1), .bold)]
        #expect(Theme(depth: .palette, choices: chosen)[.selection] == chosen[.selection])
        #expect(Theme(depth: .monochrome, choices: chosen)[.selection] == Style(.bold))
        #expect(Theme(depth: .palette, choices: chosen)[.error] == Theme(depth: .palette)[.error])
    }
}
