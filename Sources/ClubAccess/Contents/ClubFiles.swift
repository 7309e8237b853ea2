package import ClubStore

/// A club's notes and photos for the commands, in the screen's order.
package struct ClubFiles: Sendable {
    /// The files at the club's top.
    package let notes: [RemoteFile]

    /// The pictures in its photos folder.
    package let photos: [RemoteFile]

    /// Why the club may contain more than that; nil if it does not.
    package let complaint: String?

    /// - Parameter folder: Where the notes are; photos lie in their own.
    package init(_ listing: Listing, in folder: RemotePath = .root) {
        complaint = SkippedNames.sentence(listing.skipped)
        let contents = ClubContents(listing: listing)
        notes = contents.sorted(.notes, in: folder)
        photos = contents.photos
    }

    /// The folder that photos go to.
    ///
    /// - Throws: Never in practice: the name is valid.
    package static func photosFolder() throws(StoreError) -> RemotePath {
        try RemotePath.root.appending(ClubContents.photosFolderName)
    }

    /// The name that a picture gets in the club.
    ///
    /// - Parameter keepsOriginal: Whether the file goes as it is.
    package static func photoName(for fileName: String, keepsOriginal: Bool) -> String {
        PhotoName.forClub(fileName, keepsOriginal: keepsOriginal)
    }

    /// The name that a photo gets which has another one.
    package static func photoName(for newName: String, renaming name: String) -> String {
        PhotoName.forClub(newName, renaming: name)
    }
}
