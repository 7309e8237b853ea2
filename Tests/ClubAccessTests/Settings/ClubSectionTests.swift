import Foundation
import Testing

@testable import ClubAccess

/// Adding, removing or changing one club: every other byte stays.
@Suite struct ClubSectionTests {
    private let club = ClubSettings(
        name: "work", place: .dropbox(.init(appKey: "abc", folder: "Byte Club")))
    private let lines = "  work:\n    kind: dropbox\n    app-key: abc\n    folder: \"Byte Club\"\n"

    @Test func beginsAFile() {
        #expect(ClubSection("").setting(club) == "clubs:\n" + lines)
    }

    @Test(arguments: ["# mine", "# mine\n", "version: 1\n", "version: 1\n\n"])
    func goesBehindWhatIsThere(text: String) throws {
        let new = try #require(ClubSection(text).setting(club))
        #expect(new.hasPrefix(text))
        #expect(new.hasSuffix("\n\nclubs:\n" + lines))
    }

    @Test func joinsOtherClubsAtTheirIndent() {
        let text = """
            # top
            clubs:   # all of them
                # the first
                home:
                    kind: dropbox
                    app-key: h   # a comment

                    # another comment of home

            # below
            version: 1
            """
        let new = ClubSection(text).setting(club)
        #expect(
            new == """
                # top
                clubs:   # all of them
                    # the first
                    home:
                        kind: dropbox
                        app-key: h   # a comment
                    work:
                      kind: dropbox
                      app-key: abc
                      folder: "Byte Club"

                        # another comment of home

                # below
                version: 1
                """)
    }

    @Test func replacesAClubAndLeavesItsNeighbours() throws {
        let before = "clubs:\n  a:\n    kind: dropbox\n    app-key: \"1\"\n"
        let after = "  # of c\n  c:\n    kind: dropbox\n    app-key: \"3\"\nversion: 1 # end"
        let old = "  work:\n    kind: dropbox\n    app-key: old # x\n"
        #expect(ClubSection(before + old + after).setting(club) == before + lines + after)
        #expect(ClubSection(before + old + after).removing("work") == before + after)
    }

    @Test func startsInAnEmptySectionAndInAFileWithoutALastLineEnd() {
        #expect(
            ClubSection("clubs:\nversion: 1\n").setting(club) == "clubs:\n" + lines + "version: 1\n"
        )
        #expect(ClubSection("clubs:").setting(club) == "clubs:\n" + lines)
        let other = "clubs:\n  a:\n    kind: dropbox\n    app-key: k"
        #expect(ClubSection(other).setting(club) == other + "\n" + lines)
    }

    @Test func keepsTheLineEndsOfWindows() throws {
        let text = "version: 1\r\nclubs:\r\n  a:\r\n    kind: dropbox\r\n    app-key: k\r\n"
        let new = try #require(ClubSection(text).setting(club))
        #expect(new == text + lines.replacing("\n", with: "\r\n"))
    }

    @Test(arguments: [
        "clubs: {a: {kind: dropbox, app-key: k}}\n", "{}\n", "- a\n", "a: [\n", "clubs: words\n",
        "version: 1\n...\n", "clubs:\n\ta: b\n", "a: 1\rclubs:\r  x:\r    kind: dropbox\r",
    ])
    func whatCannotBeChangedSafelyIsNotChanged(text: String) {
        #expect(ClubSection(text).setting(club) == nil)
    }

    @Test(arguments: [
        "plain", "Byte Club", "true", "No", "1e3", "#x", "a: b", "ünïcödé", "quote\"s\\", "- a", "",
        "emoji 🎉", "tab\there", " blank ", "*a", "&a", "!a", "@a", "`a", "%a", "{a}", "null", "~",
        "0x1F",
    ])
    func anyTextSurvives(text: String) throws {
        let node = try YAMLNode.parse("a: " + ClubSection.scalar(text))
        #expect(node?.pairs?.first?.value.scalar == text)
        #expect(node?.pairs?.first?.value.isNull == false)
    }
}
