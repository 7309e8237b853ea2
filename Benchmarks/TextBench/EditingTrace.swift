import FoundationEssentials

/// A recorded editing session; see scripts/convert-editing-trace.py for the format.
struct EditingTrace {
    struct Patch {
        var position: Int
        var removed: Int
        var inserted: String
    }

    var patches: [Patch] = []
    var endByteCount = 0
    var endHash: UInt64 = 0

    init(contentsOf path: String) throws {
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        for (number, line) in text.split(separator: "\n").enumerated() {
            let fields = line.split(separator: " ", maxSplits: 2).map(String.init)
            if number == 0 {
                endByteCount = Int(fields[1]) ?? 0
                endHash = UInt64(fields[2], radix: 16) ?? 0
                continue
            }
            let position = Int(fields[1]) ?? 0
            switch fields[0] {
            case "t":
                for (index, scalar) in try unquoted(fields[2]).unicodeScalars.enumerated() {
                    patches.append(
                        Patch(position: position + index, removed: 0, inserted: String(scalar)))
                }
            case "b":
                for index in 0..<(Int(fields[2]) ?? 0) {
                    patches.append(Patch(position: position - index, removed: 1, inserted: ""))
                }
            default:
                let rest = fields[2].split(separator: " ", maxSplits: 1).map(String.init)
                patches.append(
                    Patch(
                        position: position, removed: Int(rest[0]) ?? 0,
                        inserted: try unquoted(rest[1])))
            }
        }
    }

    private func unquoted(_ text: String) throws -> String {
        try JSONDecoder().decode(String.self, from: Data(text.utf8))
    }
}

/// The FNV-1a hash of bytes, 64 bits.
func fnv(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
