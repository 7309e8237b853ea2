import Foundation
import TerminalUI
import Testing

@testable import ByteClub
@testable import ClubAccess

/// The sections of `config.yml` beside the clubs: keys, theme, editor, transfers, mouse.
@Suite struct SettingsSectionsTests {
    @Test func everythingCanBeSet() {
        let settings = WholeSettings(
            reading: """
                keys:
                  notes.new: a
                  list.down: [j, C-n]
                  app.suspend: []
                  editor.save: F3
                theme:
                  selection: "white on #005f87"
                  focused-border: bold 208
                editor:
                  wrap: off
                  line-numbers: true
                  tab-width: 8
                transfers:
                  photo-quality: 0.85
                  photo-original: on
                  limit-rate: 1.5M
                  at-once: 5
                mouse: off
                """)
        #expect(settings.problems.isEmpty, "\(settings.problems)")
        #expect(settings.keys["notes.new"] == ["a"])
        #expect(settings.keys["list.down"] == ["j", "^N"])
        #expect(settings.keys["app.suspend"] == [])
        #expect(settings.keys["editor.save"] == ["F3"])
        #expect(
            settings.styles == [
                .selection: Style(foreground: .palette(7), background: .rgb(0, 0x5F, 0x87)),
                .focusedBorder: Style(foreground: .palette(208), .bold),
            ])
        #expect(settings.editor.wrapsLines == false)
        #expect(settings.editor.showsLineNumbers)
        #expect(settings.editor.tabWidth == 8)
        #expect(settings.transfers.photoQuality == 0.85)
        #expect(settings.transfers.keepsOriginals)
        #expect(!settings.transfers.keepsLocation)
        #expect(settings.transfers.bytesPerSecondLimit == 1_572_864)
        #expect(settings.transfers.atOnce == 5)
        #expect(!settings.usesMouse)
    }

    @Test(arguments: ["keys:", "theme: {}", "editor: ~", "transfers:\nmouse:", "# mine"])
    func nothingChosenIsTheStandard(text: String) {
        let settings = WholeSettings(reading: text)
        #expect(settings.problems.isEmpty)
        #expect(settings.keys == KeyBindings())
        #expect(settings.styles.isEmpty)
        #expect(settings.editor == EditorSettings())
        #expect(settings.transfers == TransferSettings())
        #expect(settings.usesMouse)
    }

    /// The text, the reported line, and a word of its message. The last line is always right.
    @Test(arguments: [
        ("keys:\n  notes.nwe: a\n", 2, "no command"),
        ("keys:\n  notes.new: Fn\n", 2, "not a key"),
        ("keys:\n  editor.cancel: []\n", 2, "closes a view"),
        ("keys:\n  notes.new: \"\\e\"\n", 2, "not a key"),
        ("keys:\n  list.open: C-i\n", 2, "tabs.next"),
        ("keys:\n  notes.new: [a, [b]]\n", 2, "not a key"),
        ("keys:\n  notes.new: {a: b}\n", 2, "list of keys"),
        ("keys:\n  notes.new: a\n  notes.new: b\n", 3, "twice"),
        ("keys:\n  editor.save: s\n", 2, "written as text"),
        ("keys:\n  edit.undo: z\n", 2, "written as text"),
        ("keys: [a]\n", 1, "names of commands"),
        ("theme:\n  headline: red\n", 2, "no role"),
        ("theme:\n  heading: rouge\n", 2, "not a style"),
        ("theme:\n  heading: white on #005f87\n", 2, "with quotes"),
        ("theme:\n  heading: red\n  heading: blue\n", 3, "twice"),
        ("theme: dark\n", 1, "names of roles"),
        ("editor:\n  wrap: perhaps\n", 2, "on or off"),
        ("editor:\n  wrap: \"on\"\n", 2, "on or off"),
        ("editor:\n  tab-width: 0\n", 2, "1 to 16"),
        ("editor:\n  tab-width: 4.5\n", 2, "1 to 16"),
        ("editor:\n  font: mono\n", 2, "not a setting"),
        ("editor: vim\n", 1, "colon"),
        ("transfers:\n  photo-quality: 2\n", 2, "0.1 to 1"),
        ("transfers:\n  photo-quality: nan\n", 2, "0.1 to 1"),
        ("transfers:\n  limit-rate: fast\n", 2, "not a valid rate"),
        ("transfers:\n  at-once: 9\n", 2, "1 to 8"),
        ("transfers:\n  limit-rate: [1]\n", 2, "single"),
        ("mouse: left\n", 1, "on or off"),
    ])
    func aWrongLineCostsNothingElse(text: String, line: Int, word: String) {
        let settings = WholeSettings(reading: text + "clubs: {a: {kind: dropbox, app-key: k}}\n")
        #expect(settings.problems.count == 1)
        #expect(settings.problems.first?.line == line)
        #expect(settings.problems.first?.sentence.contains(word) == true, "\(settings.problems)")
        #expect(settings.clubs.count == 1)
    }

    /// The file and the reported line. What is below it works.
    @Test(arguments: [
        ("keys:\n  app.keys: ?\n", 2), ("keys:\n\tnotes.new: a\n", 2),
        ("keys:\n  notes.new: [a\n", 2), ("theme:\n  heading: \"red\n", 2),
        ("editor: {wrap: on\n", 1), ("theme:\n  heading: red\u{1}\n", 2), ("keys: *x\n", 1),
        ("keys:\r\n  app.keys: ?\r\n", 2),
    ])
    func aSectionThatIsNoYAMLCostsItselfAlone(text: String, line: Int) {
        let settings = WholeSettings(
            reading: "mouse: off\n" + text + "clubs: {a: {kind: dropbox, app-key: k}}\n")
        #expect(settings.problems.count == 1, "\(settings.problems)")
        #expect(settings.problems.first?.line == line + 1, "\(settings.problems)")
        #expect(settings.clubs.map(\.name) == ["a"])
        #expect(!settings.usesMouse)
        // Nobody changes a file that is not understood whole.
        #expect(settings.unreadable != nil)
    }

    @Test func aMarkOfTheByteOrderIsNoPartOfTheText() {
        let settings = WholeSettings(reading: "\u{FEFF}mouse: off\neditor:\n  wrap: off\n")
        #expect(settings.problems.isEmpty, "\(settings.problems)")
        #expect(!settings.usesMouse)
        #expect(!settings.editor.wrapsLines)
    }

    @Test func aTabIsCalledATab() {
        let settings = WholeSettings(reading: "keys:\n\tnotes.new: a\n")
        #expect(settings.problems.first?.sentence.contains("spaces") == true)
    }

    @Test func theKeysOfABoxMayNotHideItsWayOut() {
        let settings = WholeSettings(
            reading: "keys:\n  login.copy-address: Esc\n  notes.stop: [^C]\n")
        #expect(settings.problems.map(\.line) == [2])
        #expect(settings.problems.first?.sentence.contains("alert.cancel") == true)
        #expect(settings.keys["notes.stop"] == ["^C"])
    }

    @Test func aKeyThatWouldHideAnotherIsRefused() {
        let settings = WholeSettings(reading: "keys:\n  notes.new: q\n  notes.edit: x\n")
        #expect(settings.problems.map(\.line) == [2])
        #expect(settings.problems.first?.sentence.contains("app.quit") == true)
        #expect(settings.keys["notes.new"] == nil)
        #expect(settings.keys["notes.edit"] == ["x"])
    }

    @Test func aKeyThatIsTheBeginningOfAnotherIsRefused() {
        let settings = WholeSettings(reading: "keys:\n  notes.new: g\n")
        #expect(settings.problems.first?.sentence.contains("notes.search") == true)
        #expect(settings.keys["notes.new"] == nil)
    }

    @Test func twoCommandsMaySwapTheirKeys() {
        let settings = WholeSettings(reading: "keys:\n  notes.new: d\n  notes.delete: [n, +]\n")
        #expect(settings.problems.isEmpty, "\(settings.problems)")
        #expect(settings.keys["notes.new"] == ["d"])
    }

    @Test func aSwapWithAMistakeInItHidesNothing() {
        let settings = WholeSettings(reading: "keys:\n  notes.new: d\n  notes.delete: nn\n")
        #expect(settings.problems.count == 2)
        #expect(settings.keys == KeyBindings())
    }

    @Test func placesThatAreNeverSeenTogetherMayShareKeys() {
        let settings = WholeSettings(reading: "keys:\n  viewer.next: u\n  notes.rename: u\n")
        #expect(settings.problems.isEmpty, "\(settings.problems)")
    }

    /// Where the standard keys overlap, a nearer place wins on purpose; nothing of that is told.
    @Test func theStandardKeysWrittenDownAreRight() {
        var seen: Set<String> = []
        let lines = KeyContext.all.flatMap(\.commands).filter { seen.insert($0.id).inserted }
            .map { command in
                "  \(command.id): [\(command.keys.map { "\"\($0.configurationName)\"" }.joined(separator: ", "))]"
            }
        let settings = WholeSettings(reading: "keys:\n" + lines.joined(separator: "\n"))
        #expect(settings.problems.isEmpty, "\(settings.problems)")
    }

    @Test func aNewerFilesNamesAreLeftAlone() {
        let settings = WholeSettings(
            reading: """
                version: 9
                keys: {notes.fly: a, notes.new: a}
                theme: {halo: red}
                editor: {spelling: on}
                transfers: {parallel: 4}
                """)
        #expect(settings.problems.map(\.line) == [1])
        #expect(settings.keys["notes.new"] == ["a"])
    }

    @Test(arguments: [
        ("500K", Int64(512_000)), ("4M", 4 << 20), ("4m", 4 << 20), ("1.5G", 1_610_612_736),
        ("200000", 200_000), ("4 M", 4 << 20), ("4MB", 4 << 20), ("100 KiB/s", 102_400),
        ("512 B", 512), ("2 kb/S", 2048),
    ])
    func ratesAreRead(text: String, bytes: Int64) {
        #expect(ByteRate(text)?.bytesPerSecond == bytes)
    }

    @Test(arguments: [
        "", "M", "0", "-1", "4 ", " 4", "B", " ", "/s", "i", "4i", "4 X", "1e3", "9999999999G",
        "٣", "4ß", "4ﬁ",
    ])
    func whatIsNoRateIsRefused(text: String) {
        #expect(ByteRate(text) == nil)
    }
}
