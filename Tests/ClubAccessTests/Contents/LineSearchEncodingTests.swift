import Foundation
import Testing

@testable import ClubAccess

/// A search reads a note's bytes as the editor does.
@Suite struct LineSearchEncodingTests {
    private func found(_ query: String, in data: Data) -> [LineSearch.Line] {
        LineSearch(query).lines(in: data)
    }

    private func utf16(_ text: String, isBigEndian: Bool) -> Data {
        Data(
            ("\u{FEFF}" + text).utf16.flatMap { unit -> [UInt8] in
                let bytes = [UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8)]
                return isBigEndian ? bytes.reversed() : bytes
            })
    }

    @Test(arguments: [true, false]) func findsLinesOfUTF16(isBigEndian: Bool) {
        let data = utf16("one\r\ntwo Fische 漢字\nthree", isBigEndian: isBigEndian)
        #expect(
            found("fische", in: data) == [LineSearch.Line(number: 2, text: "two Fische 漢字")])
        #expect(found("three", in: data).map(\.number) == [3])
    }

    @Test func showsLinesOfLatin1AndWindows() {
        let latin1 = Data("one\n".utf8) + Data([0x4D, 0xFC]) + Data("ller\n".utf8)
        #expect(found("müller", in: latin1) == [LineSearch.Line(number: 2, text: "Müller")])
        let windows = Data([0x32, 0x30, 0x80]) + Data(" for you\n".utf8)
        #expect(found("€", in: windows).map(\.text) == ["20€ for you"])
    }

    @Test func whatIsNoTextIsSearchedAsFarAsItCanBeRead() {
        let data = Data([0x01, 0xFF, 0x0A]) + Data("readable\n".utf8)
        #expect(found("readable", in: data).map(\.number) == [2])
    }

    @Test func aNULIsNoEnd() {
        #expect(found("behind", in: Data("before\0behind".utf8)).map(\.number) == [1])
    }
}
