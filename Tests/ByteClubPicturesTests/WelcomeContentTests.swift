import Foundation
import ByteClubPictures
import Testing
import WelcomeContent

@Suite struct WelcomeContentTests {
    @Test func beginsWithAShortNoteInPlainText() throws {
        let note = try #require(WelcomeContent.files().first)
        #expect(note.path == "Welcome to Byte Club.txt")
        let text = try #require(String(data: note.data, encoding: .utf8))
        #expect(text.hasPrefix("Welcome to Byte Club\n"))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // The keys fit the preview; paragraphs are lines, which every width wraps.
        #expect(lines.allSatisfy { !$0.hasPrefix(" ") || $0.count <= 54 })
        #expect(lines.count < 60)
    }

    @Test func theNoteIsInTheLanguageOfTheProgram() throws {
        let files = WelcomeContent.files(inChinese: true)
        #expect(files.first?.path == "欢迎来到 Byte Club.txt")
        let text = try #require(files.first.flatMap { String(data: $0.data, encoding: .utf8) })
        #expect(text.hasPrefix("欢迎来到 Byte Club\n"))
        // A Chinese character has two cells.
        for line in text.split(separator: "\n") where line.hasPrefix(" ") {
            #expect(line.reduce(0) { $0 + ($1.isASCII ? 1 : 2) } <= 54, "\(line)")
        }
        #expect(files.dropFirst().map(\.path) == WelcomeContent.files().dropFirst().map(\.path))
    }

    @Test func hasThreePanoramas() throws {
        let photos = WelcomeContent.files().filter { $0.path.hasPrefix("photos/") }
        #expect(photos.count == 3)
        for photo in photos {
            #expect(photo.data.count <= 150_000, "\(photo.path)")
            let decoded = try JPEGFile(data: photo.data, name: photo.path).decode()
            #expect(decoded.header.size == PixelSize(width: 2400, height: 400))
            #expect(!decoded.isDamaged)
        }
    }

    @Test func surviveAChangeOfTheirData() throws {
        var data = try #require(WelcomeContent.files().first).data
        data[0] = 0x77
        #expect(data[0] == 0x77)
        #expect(WelcomeContent.files().first?.data[0] == UInt8(ascii: "W"))
    }
}
