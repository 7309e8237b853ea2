import CByteClubZlib
import Foundation
import Testing

@testable import ByteClubPictures

/// kitty's protocol, read back by a reader of our own.
@Suite struct KittyEncoderTests {
    /// A command: its keys and its payload.
    struct Command {
        var keys: [String: String] = [:]
        var payload = Data()

        var pixels: [UInt8]? {
            guard keys["f"] == "24", let width = keys["s"].flatMap({ Int($0) }),
                let height = keys["v"].flatMap({ Int($0) })
            else { return nil }
            guard keys["o"] == "z" else { return Array(payload) }
            var result = [UInt8](repeating: 0, count: width * height * 3 + 1)
            var count = uLong(result.count)
            guard uncompress(&result, &count, Array(payload), uLong(payload.count)) == Z_OK else {
                return nil
            }
            return Array(result.prefix(Int(count)))
        }
    }

    /// Reads pieces `ESC _ G keys ; base64 ESC \` and puts them together; nil where anything else is there.
    static func read(_ bytes: [UInt8]) -> Command? {
        var result = Command()
        var text = String(decoding: bytes, as: UTF8.self)[...]
        var isFirst = true
        var isOpen = true
        while !text.isEmpty {
            guard isOpen, text.hasPrefix("\u{1B}_G"), let end = text.firstRange(of: "\u{1B}\\")
            else {
                return nil
            }
            let piece = text[text.index(text.startIndex, offsetBy: 3)..<end.lowerBound]
            text = text[end.upperBound...]
            let parts = piece.split(separator: ";", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[1].utf8.count <= 4096,
                let data = Data(base64Encoded: String(parts[1]))
            else { return nil }
            var keys: [String: String] = [:]
            for entry in parts[0].split(separator: ",") {
                let pair = entry.split(separator: "=")
                guard pair.count == 2 else { return nil }
                keys[String(pair[0])] = String(pair[1])
            }
            isOpen = keys["m"] == "1"
            if isFirst { result.keys = keys } else if keys.count != 1 { return nil }
            isFirst = false
            result.payload += data
        }
        return isOpen ? nil : result
    }

    /// What tmux hands on: `ESC P tmux ; … ESC \` with each Esc inside doubled.
    static func unwrapped(_ bytes: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = bytes[...]
        let start = Array("\u{1B}Ptmux;".utf8)
        while !rest.isEmpty {
            guard rest.starts(with: start) else { return nil }
            rest = rest.dropFirst(start.count)
            while true {
                guard let byte = rest.popFirst() else { return nil }
                guard byte == 0x1B else {
                    result.append(byte)
                    continue
                }
                guard let second = rest.popFirst() else { return nil }
                if second == 0x5C { break }
                guard second == 0x1B else { return nil }
                result.append(second)
            }
        }
        return result
    }

    private func colors(of image: PixelImage) -> [UInt8] {
        (0..<image.size.pixelCount).flatMap { Array(image.bytes[$0 * 4..<$0 * 4 + 3]) }
    }

    @Test(arguments: [PictureMotion.moving, .resting], [1, 7, 37, 64])
    func whatIsReadBackIsThePicture(motion: PictureMotion, side: Int) throws {
        let image = TestPicture.noise(width: side, height: side + 3)
        for isInsideTmux in [false, true] {
            var bytes = KittyEncoder(isInsideTmux: isInsideTmux).encode(
                image, as: 0x12_3456, over: CellSize(columns: 9, rows: 4),
                of: PixelSize(width: 90, height: 80), for: motion)
            if isInsideTmux { bytes = try #require(Self.unwrapped(bytes)) }
            let command = try #require(Self.read(bytes))
            #expect(command.pixels == colors(of: image))
            var keys = command.keys
            keys["m"] = nil
            keys["o"] = nil
            #expect(
                keys == [
                    "a": "T", "U": "1", "q": "2", "f": "24", "s": "\(side)", "v": "\(side + 3)",
                    "i": "1193046", "c": "9", "r": "4",
                ])
        }
    }

    @Test func whatRestsIsSmaller() {
        let image = TestPicture.make(width: 200, height: 100) { x, y in
            (x / 20 * 20, y / 20 * 40, 90)
        }
        func count(_ motion: PictureMotion) -> Int {
            KittyEncoder().encode(
                image, as: 1, over: CellSize(columns: 20, rows: 5), of: image.size, for: motion
            ).count
        }
        #expect(count(.resting) < count(.moving) / 2)
    }

    @Test func base64IsThatOfEverybody() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            #expect(
                String(decoding: Base64Text.encode(bytes), as: UTF8.self)
                    == Data(bytes).base64EncodedString())
        }
    }
}
