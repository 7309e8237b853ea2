import Foundation
import Testing

@testable import ClubStore

@Suite struct FullSizeCommentTests {
    private static let jpeg = Data([0xFF, 0xD8, 0xFF, 0xDB, 0, 3, 9, 0xFF, 0xD9])

    @Test func comesBackAsItWasAdded() throws {
        let size = try #require(FullSizeComment(width: 16384, height: 8192))
        let thumbnail = size.added(to: Self.jpeg)
        #expect(FullSizeComment(of: thumbnail) == size)
        #expect(thumbnail.suffix(7) == Self.jpeg.suffix(7))
        // What is there already stays.
        let other = try #require(FullSizeComment(width: 1, height: 1))
        #expect(other.added(to: thumbnail) == thumbnail)
        #expect(size.added(to: Data("<html>".utf8)) == Data("<html>".utf8))
    }

    @Test func whatNoPictureHasIsNoSize() {
        for (width, height) in [(0, 1), (1, 0), (-5, 5), (1 << 21, 5), (Int.max, Int.max)] {
            #expect(FullSizeComment(width: width, height: height) == nil)
        }
    }

    /// It comes from a server.
    @Test func strangeCommentsSayNothing() {
        let texts = [
            "", "full-size", "full-size 5", "full-size 5x", "full-size 5x6x7", "full-size -5x6",
            "full-size 99999999999999999999x5", "other 5x6", "full-size 5x6 7",
        ]
        for text in texts {
            for length in [0, 1, 2, text.utf8.count + 2, 60, 255] {
                let comment: [UInt8] = [0xFF, 0xD8, 0xFF, 0xFE, 0, UInt8(length)]
                #expect(FullSizeComment(of: Data(comment + Array(text.utf8))) == nil)
            }
        }
        for count in 0...8 { #expect(FullSizeComment(of: Self.jpeg.prefix(count)) == nil) }
    }
}
