import Foundation
import TerminalUI
import Testing

@testable import ByteClub

/// The published list of keys.
@Suite struct KeysPageTests {
    private static let published = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs/Keys.md")

    @Test func thePublishedPageIsTheProgramsOwn() throws {
        let text = try String(contentsOf: Self.published, encoding: .utf8)
        #expect(text == KeysPage.markdown(), "byteclub keys --markdown > docs/Keys.md")
    }

    @Test func everyCommandIsOnItWithItsKeys() {
        let page = KeysPage.markdown()
        for command in KeyContext.all.flatMap(\.commands) {
            #expect(page.contains("| `\(command.id)` |"))
        }
        // A vertical line would end the cell.
        for row in page.split(separator: "\n") where row.hasPrefix("| ") {
            #expect(row.replacing("\\|", with: "").count { $0 == "|" } == 4, "\(row)")
        }
    }
}
