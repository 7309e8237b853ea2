import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import ByteClubMessages

/// A removed file in `trash --json`. These fields must not change.
struct RemovedFile: Encodable {
    private var file: RemoteFile
    private var date: Date
    /// Whether it was removed on this computer; nil if unknown.
    private var isOwn: Bool?

    enum CodingKeys: String, CodingKey {
        case deleted
        case isOwn = "own"
    }

    init(_ file: RemoteFile, at date: Date, isOwn: Bool?) {
        (self.file, self.date, self.isOwn) = (file, date, isOwn)
    }

    func encode(to encoder: any Encoder) throws {
        try ListedFile(file).encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(date.ISO8601Format(), forKey: .deleted)
        try container.encodeIfPresent(isOwn, forKey: .isOwn)
    }

    /// `drafts/plan.txt`, `1.2 KB`, `removed here`, `3 h`, and the revision by which it is restored.
    fileprivate func columns(at now: Date) -> [String] {
        let who =
            switch isOwn {
            case true?: localized("removed here")
            case false?: localized("removed by someone else")
            case nil: ""
            }
        return [
            file.path.relativeString, Wording.byteCount(file.byteCount), who,
            Wording.age(of: date, at: now), file.revision.word,
        ]
    }
}

extension Output {
    /// Writes the contents of the trash.
    static func list(_ removed: [RemovedFile], asJSON isJSON: Bool) throws {
        if isJSON { return try json(removed) }
        let now = Date()
        table(removed.map { $0.columns(at: now) })
    }
}
