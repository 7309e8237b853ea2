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

    /// Every part would begin with the second half of one.
    @Test func aCharacterOfTwoUnitsIsNotCut() throws {
        let face: [UInt8] = [0x3D, 0xD8, 0x00, 0xDE]
        let text = try open(
            Data([0xFF, 0xFE] + (0..<900_000).flatMap { _ in face }))
        #expect(text.encoding == .utf16LittleEndian)
        var offset: Int64 = 0
        while offset < text.byteCount {
            let part = text.part(at: offset)
            #expect(part.range.lowerBound == offset)
            #expect(part.text.isValidUTF8 && part.text.string(in: 0..<4) == "😀")
            offset = part.range.upperBound
        }
    }

    @Test func aMatchInAnotherEncodingIsFoundInItsText() throws {
        let line: [UInt8] =
            Array("Gr".utf8) + [0xFC, 0xDF, 0x65, 0x20, 0x80, 0x35, 0x20, 0x96, 0x0A]
        let text = try open(Data((0..<300_000).flatMap { _ in line }))
        #expect(text.encoding == .windows1252)
        let wanted = try #require(text.bytes(of: "€5 –"))
        let hit = try #require(text.find(wanted, from: 3 << 20, ignoresCase: true))
        let part = text.part(at: hit - 8192)
        let place = text.place(of: hit..<hit + Int64(wanted.count), in: part)
        #expect(part.text.string(in: place) == "€5 –")
    }

    @Test func halvesOfTwoCharactersAreNoMatch() throws {
        let text = try open(
            Data([0xFF, 0xFE, 0x00, 0x41, 0x00, 0x4E, 0x41, 0x00, 0x00, 0x41, 0x00, 0x4E]))
        let wanted = try #require(text.bytes(of: "A"))
        #expect(text.find(wanted, from: 0, ignoresCase: false) == 6)
        #expect(text.find(wanted, from: 12, backwards: true, ignoresCase: false) == 6)
        #expect(text.find(wanted, from: 7, ignoresCase: false) == nil)
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
