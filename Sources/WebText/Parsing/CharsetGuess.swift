/// Guesses the double-byte encoding of a text with a missing or wrong label.
///
/// Counts pairs of bytes that are valid in an encoding, and those that are common characters: in longer texts
/// nearly all are.
struct CharsetGuess {
    /// iconv's name; nil if none matches.
    let name: String?

    /// More bytes add no information.
    private static let sampleByteCount = 1 << 16

    init(_ bytes: [UInt8]) {
        let sample = bytes.prefix(Self.sampleByteCount)
        let found = Candidate.all.compactMap { candidate -> (name: String, share: Double)? in
            guard let share = candidate.share(of: sample) else { return nil }
            return (candidate.name, share)
        }
        name = found.max { $0.share < $1.share }?.name
    }

    private struct Candidate: Sendable {
        let name: String
        /// The minimum share of common pairs.
        let leastShare: Double
        /// Whether a byte is a character on its own.
        let isSingle: @Sendable (UInt8) -> Bool
        let isPair: @Sendable (UInt8, UInt8) -> Bool
        let isCommon: @Sendable (UInt8, UInt8) -> Bool
        /// Kana, which occur in all Japanese texts; as a share of the pairs.
        var isKana: (@Sendable (UInt8, UInt8) -> Bool)?
        /// Fewer pairs are not significant.
        var leastCount = 2

        /// The share of common characters; nil if it cannot be this encoding.
        func share(of bytes: ArraySlice<UInt8>) -> Double? {
            var (count, commonCount, kanaCount) = (0, 0, 0)
            var index = bytes.startIndex
            while index < bytes.endIndex {
                let lead = bytes[index]
                index += 1
                if lead < 0x80 || isSingle(lead) { continue }
                // The last one may be truncated.
                guard index < bytes.endIndex else { break }
                let trail = bytes[index]
                guard isPair(lead, trail) else { return nil }
                index += 1
                count += 1
                if isCommon(lead, trail) { commonCount += 1 }
                if isKana?(lead, trail) == true { kanaCount += 1 }
            }
            guard count >= leastCount else { return nil }
            if isKana != nil, kanaCount * 10 < count { return nil }
            let share = Double(commonCount) / Double(count)
            return share >= leastShare ? share : nil
        }

        /// Of equally likely ones the first counts.
        static let all = [
            // Before Big5, which has symbols where this has kana.
            Candidate(
                name: "EUC-JP", leastShare: 0.8, isSingle: { _ in false },
                isPair: { lead, trail in
                    (lead == 0x8E || (0xA1...0xFE).contains(lead)) && (0xA1...0xFE).contains(trail)
                },
                isCommon: { lead, _ in
                    lead == 0xA1 || lead == 0xA4 || lead == 0xA5 || (0xB0...0xCF).contains(lead)
                },
                isKana: { lead, _ in lead == 0xA4 || lead == 0xA5 }),
            // Hangul is in a few rows, which only some Chinese words use.
            Candidate(
                name: "CP949", leastShare: 0.95, isSingle: { _ in false },
                isPair: { (0x81...0xFE).contains($0) && (0x41...0xFE).contains($1) },
                isCommon: { lead, trail in
                    (0xB0...0xC8).contains(lead) && trail >= 0xA1
                }, leastCount: 12),
            // Level 1 of GB 2312, in the order of pronunciation, and its signs.
            Candidate(
                name: "GB18030", leastShare: 0.7, isSingle: { $0 == 0x80 },
                isPair: { (0x81...0xFE).contains($0) && $1 >= 0x30 && $1 != 0x7F && $1 != 0xFF },
                isCommon: { lead, trail in
                    trail >= 0xA1
                        && (lead == 0xA1 || lead == 0xA3 || (0xB0...0xD7).contains(lead))
                }),
            Candidate(
                name: "BIG5-HKSCS", leastShare: 0.85, isSingle: { _ in false },
                isPair: { lead, trail in
                    (0x87...0xFE).contains(lead)
                        && ((0x40...0x7E).contains(trail) || (0xA1...0xFE).contains(trail))
                },
                isCommon: { lead, trail in
                    (0xA4...0xC6).contains(lead) || lead == 0xA1
                }),
            Candidate(
                name: "CP932", leastShare: 0.8, isSingle: { (0xA1...0xDF).contains($0) },
                isPair: { lead, trail in
                    ((0x81...0x9F).contains(lead) || (0xE0...0xFC).contains(lead))
                        && (0x40...0xFC).contains(trail) && trail != 0x7F
                },
                isCommon: { lead, _ in (0x81...0x83).contains(lead) || (0x88...0x98).contains(lead)
                },
                isKana: { lead, trail in
                    lead == 0x82 && trail >= 0x9F || lead == 0x83 && trail <= 0x96
                }),
        ]
    }
}
