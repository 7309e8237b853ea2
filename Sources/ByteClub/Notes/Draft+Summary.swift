internal import ClubAccess
internal import ClubLibrary
internal import FoundationEssentials
internal import ByteClubMessages

/// How a draft is described to the user.
extension Draft {
    /// `“plan.txt”`, or “a new note”.
    var shownName: String { name.isEmpty ? localized("a new note") : "“\(name)”" }

    /// `“Dear all, we meet…”, 1.2 KB, 3 h ago`.
    var summary: String {
        let start = String(decoding: text.prefix(400), as: UTF8.self)
        let line = start.split(whereSeparator: \.isNewline).first { !$0.allSatisfy(\.isWhitespace) }
        let words =
            line.map { $0.count > 40 ? "“\($0.prefix(39))…”" : "“\($0)”" } ?? localized("empty")
        let age = Wording.age(of: savedAt, at: Date())
        return "\(words), \(Wording.byteCount(Int64(text.count))), \(age)"
    }
}
