internal import ClubAccess
internal import ClubStore
internal import ByteClubMessages

/// The differences between two states of a club, as counts.
struct ClubChanges: Hashable, Sendable {
    struct Counts: Hashable, Sendable {
        var added = 0
        var changed = 0
        var removed = 0
    }

    var notes = Counts()
    var photos = Counts()

    init(from old: ClubContents, to new: ClubContents) {
        for file in new.allFiles {
            guard let kind = ClubContents.kind(of: file) else { continue }
            switch old[file.path] {
            case nil: count(kind) { $0.added += 1 }
            case let before? where before.revision != file.revision: count(kind) { $0.changed += 1 }
            default: break
            }
        }
        for file in old.allFiles where new[file.path] == nil {
            if let kind = ClubContents.kind(of: file) { count(kind) { $0.removed += 1 } }
        }
    }

    /// The same off the main actor, for large clubs.
    @concurrent static func make(from old: ClubContents, to new: ClubContents) async -> ClubChanges
    {
        ClubChanges(from: old, to: new)
    }

    private mutating func count(_ kind: FileKind, _ change: (inout Counts) -> Void) {
        switch kind {
        case .notes: change(&notes)
        case .photos: change(&photos)
        }
    }

    /// `Up to date.`, `3 notes changed.`, `1 new note, 2 photos deleted.`
    var sentence: String {
        let parts = Self.parts(notes, .notes) + Self.parts(photos, .photos)
        return parts.isEmpty
            ? localized("Up to date.") : parts.joined(separator: localized(", ")) + localized(".")
    }

    private static func new(_ count: Int, _ kind: FileKind) -> String {
        switch kind {
        case .notes:
            Localization.text(count, one: "\(count) new note", other: "\(count) new notes")
        case .photos:
            Localization.text(count, one: "\(count) new photo", other: "\(count) new photos")
        }
    }

    private static func parts(_ counts: Counts, _ kind: FileKind) -> [String] {
        var parts: [String] = []
        if counts.added > 0 {
            parts.append(new(counts.added, kind))
        }
        if counts.changed > 0 { parts.append(localized("\(kind.count(counts.changed)) changed")) }
        if counts.removed > 0 { parts.append(localized("\(kind.count(counts.removed)) deleted")) }
        return parts
    }
}
