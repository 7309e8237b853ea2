import FoundationEssentials

/// A server's tag for one state of a file (RFC 9110 §8.8.3), normalized.
///
/// Servers send the tag of one state with quotes in a header and without in a property, with `W/`
/// while the file is fresh and without a second later (Apache), and with the name of a compression
/// appended. The normalized tags compare equal.
struct EntityTag: Hashable, Sendable {
    /// What is between the quotes.
    let opaque: String

    /// Whether the tag does not guarantee identical bytes; it then matches no `If-Match`.
    let isWeak: Bool

    /// Nil for an empty tag.
    init?(_ field: String) {
        var rest = field.drop { $0 == " " || $0 == "\t" }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        isWeak = rest.hasPrefix("W/") || rest.hasPrefix("w/")
        if isWeak { rest = rest.dropFirst(2) }
        if rest.count >= 2, rest.hasPrefix("\""), rest.hasSuffix("\"") {
            rest = rest.dropFirst().dropLast()
        }
        for coding in ["--gzip", "-gzip", ";gzip"] where rest.hasSuffix(coding) {
            rest = rest.dropLast(coding.count)
        }
        guard !rest.isEmpty, !rest.contains("\"") else { return nil }
        opaque = String(rest)
    }

    /// The revision: the strong tag as a header field contains it.
    var revision: Revision { Revision(rawValue: "\"\(opaque)\"") }

    /// Whether the tag seems to be made from the time in seconds, so that two states with the same
    /// second and length share it.
    func isCoarse(modified: Date) -> Bool {
        let seconds = Int64(modified.timeIntervalSince1970)
        let runs = opaque.lowercased().split { !$0.isLetter && !$0.isNumber }
        return runs.contains { $0 == String(seconds) || $0 == String(seconds, radix: 16) }
    }

    /// Whether the tag seems to contain the time of modification, in any unit from seconds to
    /// nanoseconds: as a number of its own (Apache), or joined with the length (rclone).
    ///
    /// A file system's clock has ticks of 1 to 10 ms. Two states with the same length that were
    /// written in one tick share even a tag in nanoseconds.
    func isTimeBased(modified: Date) -> Bool {
        let seconds = UInt64(max(0, modified.timeIntervalSince1970))
        let runs = opaque.lowercased().split { !$0.isLetter && !$0.isNumber }
        return [10, 16].contains { radix in
            [1, 1_000, 1_000_000, 1_000_000_000].contains { (unit: UInt64) in
                let (time, isTooLarge) = seconds.multipliedReportingOverflow(by: unit)
                guard !isTooLarge, seconds > 0 else { return false }
                let length = String(time, radix: radix).count
                return runs.contains { run in
                    run.indices.contains { start in
                        let digits = run[start...].prefix(length)
                        return digits.count == length
                            && UInt64(digits, radix: radix).map { $0 / unit } == seconds
                    }
                }
            }
        }
    }
}

extension RemoteFile {
    /// Whether no two states of the file share this revision, at a server without hashes.
    var hasExactRevision: Bool {
        guard revision.isEntityTag, let tag = EntityTag(revision.rawValue) else { return false }
        return !tag.isCoarse(modified: modified)
    }
}

extension Revision {
    /// Replaces the tag at a server that sends none.
    init(byteCount: Int64, modified: Date) {
        self.init(rawValue: "\(Int64(modified.timeIntervalSince1970))-\(byteCount)")
    }

    /// Whether it is a server's tag and valid in `If-Match`.
    var isEntityTag: Bool { rawValue.hasPrefix("\"") }

    /// Whether it is safe in a header field: a tag may be anything a server could send.
    var isSafeInField: Bool { rawValue.utf8.allSatisfy { $0 >= 0x21 && $0 != 0x7F } }
}
