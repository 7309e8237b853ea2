import ByteClub
import ClubAccess
import ClubStore
import FoundationEssentials

/// A file as the listing commands write it with `--json`. These fields stay as they are.
struct ListedFile: Encodable {
    /// The file's name, as it is.
    var name: String
    /// In bytes.
    var size: Int64
    /// In UTC: `2026-11-21T20:15:00Z`.
    var modified: String
    /// Changes with every change of the file, and with nothing else.
    var revision: String
    /// In the club: `/photos/cliff.jpg`.
    var path: String

    init(_ file: RemoteFile) {
        name = file.name
        size = file.byteCount
        modified = file.modified.ISO8601Format()
        revision = file.revision.rawValue
        path = file.path.string
    }
}

extension Output {
    /// Writes what a listing command lists; what is left out is told on standard error.
    static func list(
        _ shown: [RemoteFile], of files: ClubFiles, asJSON isJSON: Bool
    ) throws {
        if isJSON {
            try json(shown.map(ListedFile.init))
        } else {
            for text in FileLines.lines(for: shown, now: Date()) { line(text) }
        }
        if let complaint = files.complaint { complain(complaint) }
    }
}
