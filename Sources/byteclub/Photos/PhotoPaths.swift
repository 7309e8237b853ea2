import ClubAccess
import ClubStore
import ByteClubMessages

/// Finds photos by their names on the command line.
enum PhotoPaths {
    /// The photo with this exact name; else the one that listings show under this name, or under this name
    /// with an extension: `cliff` is `cliff.jpg`.
    ///
    /// - Throws: `CommandFailure` if there is none, or several.
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
            PhotoName.isShortened(typed, from: name)
        }
        if let path { return try await club.metadata(of: path) }
        if first.code == .wrongKind { throw first }
        throw CommandFailure(
            noPhoto: name, near: try await ShownName.near(name, in: folder, of: club))
    }
}

extension CommandFailure {
    static let slashInPhotoName = CommandFailure(
        localized("A photo's name may not contain a slash."))

    static let dotBeforePhotoName = CommandFailure(
        localized("A photo's name may not begin with a dot: no list would show it."))

    init(noPhoto name: String, near: String? = nil) {
        self.init(
            localized("There is no photo “\(name)” in the club.")
                + (near.map { " " + localized("Did you mean “\($0)”?") } ?? ""))
    }
}
