public import Foundation

extension TerminalScreen {
    /// The screen as readable text for a file: the characters, then a map of their styles with a
    /// letter for each, then a legend.
    public var transcript: String {
        var letters: [TerminalStyle: Character] = [.plain: "·"]
        var legend: [(Character, TerminalStyle)] = []
        var map = ""
        for row in 0..<size.rows {
            map += "│"
            for cell in cells(inRow: row) {
                // The right half of a wide character is not drawn: what is said of its style is left from before.
                guard cell.width > 0 else {
                    map.append("·")
                    continue
                }
                if letters[cell.style] == nil {
                    let letter = TerminalScreen.letter(legend.count)
                    letters[cell.style] = letter
                    legend.append((letter, cell.style))
                }
                map.append(letters[cell.style] ?? "?")
            }
            map += "\n"
        }
        let frame = rows.map { "│" + $0 + "\n" }.joined()
        let meanings = legend.map { "\($0): \($1)\n" }.joined()
        let place = modes.showsCursor ? "\(cursor)" : "hidden"
        return "\(size), cursor \(place)\n\n\(frame)\nstyles\n\(map)\n\(meanings)"
    }

    /// A picture needs many: after the Latin ones come Greek and Cyrillic ones, and then those of Braille.
    private static let letters = Array(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".unicodeScalars.map(
            Character.init)
            + [0x3B1...0x3C9, 0x430...0x44F, 0x410...0x42F, 0x2801...0x28FF].joined()
            .compactMap { Unicode.Scalar($0 as UInt32).map(Character.init) })

    private static func letter(_ index: Int) -> Character {
        index < letters.count ? letters[index] : "#"
    }
}

/// An approved screen, stored in a file beside the tests.
///
/// With `BYTECLUB_APPROVE=1` in the environment the files are rewritten; review them in the diff.
public struct GoldenScreen: Sendable {
    public let file: URL

    public init(named name: String, in folder: URL) {
        file = folder.appending(path: name + ".txt")
    }

    /// A description of the differences to the approved screen; nil if there are none.
    public func difference(from screen: TerminalScreen) throws -> String? {
        let got = screen.transcript
        if ProcessInfo.processInfo.environment["BYTECLUB_APPROVE"] == "1" {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(got.utf8).write(to: file)
            return nil
        }
        guard let data = try? Data(contentsOf: file) else {
            return "no approved screen at \(file.path); got\n\(got)"
        }
        let expected = String(decoding: data, as: UTF8.self)
        guard expected != got else { return nil }
        let before = expected.split(separator: "\n", omittingEmptySubsequences: false)
        let after = got.split(separator: "\n", omittingEmptySubsequences: false)
        let lines = (0..<max(before.count, after.count)).compactMap { index -> String? in
            let old = index < before.count ? before[index] : "(nothing)"
            let new = index < after.count ? after[index] : "(nothing)"
            return old == new ? nil : "line \(index + 1)\n  expected \(old)\n  got      \(new)"
        }
        return """
            \(file.lastPathComponent) differs
            \(lines.joined(separator: "\n"))

            expected
            \(expected)
            got
            \(got)
            """
    }
}
