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
    /// Does something with files, one after the other, and lists those that it is done with as JSON, also
    /// when one fails: the others before it have changed.
    static func listing(
        asJSON isJSON: Bool, _ body: (inout [ListedFile]) async throws -> Void
    ) async throws {
        var done: [ListedFile] = []
        do {
            try await body(&done)
        } catch {
            if isJSON { try json(done) }
            throw error
        }
        if isJSON { try json(done) }
    }

    /// Writes what a listing command lists; what is left out is told on standard error.
    ///
    /// - Parameters:
    ///   - folders: They are for people: JSON is a list of files.
    ///   - top: The folder that names begin at; nil for the names alone.
    static func list(
        _ shown: [RemoteFile], folders: [RemotePath] = [], from top: RemotePath? = nil,
        of files: ClubFiles, asJSON isJSON: Bool
    ) throws {
        if isJSON {
            try json(shown.map(ListedFile.init))
        } else {
            let lines = FileLines.lines(for: shown, folders: folders, from: top, now: Date())
            for text in lines { line(text) }
        }
        if let complaint = files.complaint { complain(complaint) }
    }
}
