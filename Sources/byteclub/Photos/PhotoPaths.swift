import ByteClub
import ClubAccess
import ClubStore
import Messages

/// Finds the photo that a person means by what they write on a command line.
enum PhotoPaths {
    /// The photo of this very name, or, without one, the one that listings show under this name, or under this name
    /// and an ending: `cliff` is `cliff.jpg`.
    ///
    /// - Throws: `CommandFailure` when there is none, or several.
    static func find(_ name: String, of club: any RemoteReading) async throws -> RemoteFile {
        let folder = try ClubFiles.photosFolder()
        let first: StoreError
        do throws(StoreError) {
            return try await club.metadata(of: try folder.appending(name))
        } catch {
            guard [.notFound, .nameNotAllowed, .wrongKind].contains(error.code) else { throw error }
            first = error
        }
        // Photos are stored composed (NFC); a name from a file system may be decomposed.
        let path = try await ShownName.find(name, in: folder, of: club) { name, typed in
            PhotoName.isPhoto(name) && name.hasPrefix(typed + ".")
                && PhotoName.forClub(typed, renaming: name) == name
        }
        if let path { return try await club.metadata(of: path) }
        if first.code == .wrongKind { throw first }
        throw CommandFailure(noPhoto: name)
    }
}

extension CommandFailure {
    init(noPhoto name: String) {
        self.init(localized("There is no photo “\(name)” in the club."))
    }
}
