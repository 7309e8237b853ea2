package import ClubStore

/// A club's notes and photos for the commands, in the screen's order.
package struct ClubFiles: Sendable {
    /// The files at the club's top.
    package let notes: [RemoteFile]

    /// The pictures in its photos folder.
    package let photos: [RemoteFile]

    /// Why the club may contain more than that; nil if it does not.
    package let complaint: String?

    package init(_ listing: Listing) {
        complaint = SkippedNames.sentence(listing.skipped)
        let contents = ClubContents(listing: listing)
        notes = contents.notes
        photos = contents.photos
    }

    /// The folder that photos go to.
    ///
    /// - Throws: Never in practice: the name is valid.
    package static func photosFolder() throws(StoreError) -> RemotePath {
        try RemotePath.root.appending(ClubContents.photosFolderName)
    }

    /// The name that a picture gets in the club.
    package static func photoName(for fileName: String) -> String {
        PhotoName.forClub(fileName)
    }
}
