import Foundation
import Testing
import TextEditing

@testable import ByteClub

/// Texts that are too large for memory, in parts.
@Suite struct LargeTextTests {
    private func open(_ data: Data) throws -> LargeText {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "large-\(UUID().uuidString)")
        try data.write(to: file)
        let text = try LargeText(taking: file)
        // Nothing is left of it, however the program ends.
        #expect(!FileManager.default.fileExists(atPath: file.path))
        return text
    }

    private func bytes(_ part: LargeText.Part) -> [UInt8] {
        part.text.bytes(in: 0..<part.text.count)
    }

    /// Numbered lines of different lengths.
    private func lines(_ byteCount: Int) -> Data {
        var text = ""
        var number = 0
        while text.utf8.count < byteCount {
            text += "line \(number) " + String(repeating: "é漢", count: number % 40) + "\n"
            number += 1
        }
        return Data(text.utf8)
    }

    @Test func itsPartsAreTheWholeAndEndAtLines() throws {
        let data = lines(7 << 20)
        let text = try open(data)
        #expect(text.isText && text.encoding == nil && text.byteCount == Int64(data.count))
        var (whole, offset): ([UInt8], Int64) = ([], 0)
        while offset < text.byteCount {
            let part = text.part(at: offset)
            #expect(part.range.lowerBound == offset)
            #expect(part.range.count <= Int(LargeText.partByteCount) + 65_536)
            #expect(bytes(part).last == 0x0A)
            whole += bytes(part)
            offset = part.range.upperBound
        }
        #expect(whole == [UInt8](data))
        // The same backwards.
        var end = text.byteCount
        var back: [UInt8] = bytes(text.lastPart())
        end = text.lastPart().range.lowerBound
        while end > 0 {
            let part = text.part(before: end)
            #expect(part.range.upperBound == end)
            back = bytes(part) + back
            end = part.range.lowerBound
        }
        #expect(back == [UInt8](data))
    }

    @Test func aSingleLineIsCutBetweenCharacters() throws {
        let data = Data(String(repeating: "漢", count: 2 << 20).utf8)
        let text = try open(data)
        var (offset, count) = (Int64(0), 0)
        while offset < text.byteCount {
            let part = text.part(at: offset)
            #expect(part.text.isValidUTF8)
            #expect(part.range.upperBound > offset)
            offset = max(offset + 1, part.range.upperBound)
            count += 1
        }
        #expect(count < 10)
    }

    @Test func findsWordsInAllOfItBothWays() throws {
        var data = lines(5 << 20)
        let middle = data.count
        data += Data("Needle\n".utf8) + lines(3 << 20) + Data("needle".utf8)
        let text = try open(data)
        let wanted = try #require(text.bytes(of: "needle"))
        let first = text.find(wanted, from: 0, ignoresCase: true)
        #expect(first == Int64(middle))
        #expect(
            text.find(wanted, from: Int64(middle) + 1, ignoresCase: true)
                == Int64(data.count - 6))
        #expect(text.find(wanted, from: 0, ignoresCase: false) == Int64(data.count - 6))
        #expect(
            text.find(wanted, from: text.byteCount, backwards: true, ignoresCase: true)
                == Int64(data.count - 6))
        #expect(
            text.find(wanted, from: Int64(data.count - 6), backwards: true, ignoresCase: true)
                == Int64(middle))
        #expect(
            text.find(wanted, from: Int64(middle), backwards: true, ignoresCase: true) == nil)
        #expect(text.find(Array("nowhere".utf8), from: 0, ignoresCase: false) == nil)
        #expect(text.find(wanted, from: 0, ignoresCase: true, isCancelled: { true }) == nil)
    }

    /// A place at the seam of two reads.
    @Test(arguments: -7...1) func noSeamHidesAMatch(shift: Int) throws {
        var data = Data(repeating: UInt8(ascii: "."), count: 3 << 20)
        let place = (1 << 20) + shift
        data.replaceSubrange(place..<place + 6, with: Data("needle".utf8))
        let text = try open(data)
        let wanted = Array("needle".utf8)
        #expect(text.find(wanted, from: 0, ignoresCase: false) == Int64(place))
        #expect(
            text.find(wanted, from: text.byteCount, backwards: true, ignoresCase: false)
                == Int64(place))
    }

    @Test func readsOtherEncodings() throws {
        let line = "Grüße, Ödön\n"
        let latin = try #require(
            String(repeating: line, count: 400_000).data(using: .isoLatin1))
        let text = try open(latin)
        #expect(text.isText && text.encoding == .latin1)
        #expect(
            String(decoding: bytes(text.part(at: 3 << 20)).prefix(30), as: UTF8.self).hasPrefix(
                line))
        #expect(text.bytes(of: "ü") == [0xFC])
        #expect(text.bytes(of: "漢") == nil)

        var wide = Data([0xFF, 0xFE])
        for unit in String(repeating: line, count: 200_000).utf16 {
            wide.append(contentsOf: [UInt8(unit & 0xFF), UInt8(unit >> 8)])
        }
        let utf16 = try open(wide)
        #expect(utf16.encoding == .utf16LittleEndian)
        #expect(utf16.part(at: 0).text.isValidUTF8)
        #expect(
            String(decoding: bytes(utf16.part(at: 2_500_001)), as: UTF8.self).contains(line))
    }

    @Test func whatIsNoTextIsReadAsBytes() throws {
        let text = try open(Data((0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
        #expect(!text.isText && text.encoding == nil)
        #expect(!text.part(at: 1 << 20).range.isEmpty)
    }

    @Test func anEmptyFileIsOne() throws {
        let text = try open(Data())
        #expect(text.part(at: 0).range.isEmpty && text.lastPart().range.isEmpty)
    }
}
