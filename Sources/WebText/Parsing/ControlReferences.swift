/// References such as `&#150;` mean characters of windows-1252 where they name control characters.
///
/// Source: HTML standard, 13.2.5.80 (numeric character reference end state).
enum ControlReferences {
    /// U+0080 to U+009F; 0 where there is no other character.
    private static let characters: [UInt16] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
        0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
        0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
    ]

    /// - Parameter bytes: UTF-8.
    /// - Returns: nil if there are none.
    static func corrected(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var result: [UInt8]?
        var done = 0
        for index in bytes.indices.dropLast() where bytes[index] == 0xC2 {
            let next = bytes[index + 1]
            guard (0x80...0x9F).contains(next),
                case let code = characters[Int(next) - 0x80], code != 0,
                let scalar = Unicode.Scalar(code)
            else { continue }
            result = (result ?? []) + bytes[done..<index] + Array(String(Character(scalar)).utf8)
            done = index + 2
        }
        guard let result else { return nil }
        return result + bytes[done...]
    }
}
