package import ClubStore

/// What the commands list: a club's notes and photos, in the order in which the screen shows them.
package struct ClubFiles: Sendable {
    /// The files at the club's top.
    package let notes: [RemoteFile]

    /// The pictures in its photos folder.
    package let photos: [RemoteFile]

    /// Why there may be more in the club than that; nil when there is not.
    package let complaint: String?

    package init(_ listing: Listing) {
        complaint = SkippedNames.sentence(listing.skipped)
        let contents = ClubContents(listing: listing)
        notes = contents.notes
        photos = contents.photos
    }

    /// The folder that photos go to.
    ///
    /// - Throws: Never in practice: the name is a good one.
    package static func photosFolder() throws(StoreError) -> RemotePath {
        try RemotePath.root.appending(ClubContents.photosFolderName)
    }

    /// The name under which a picture of this name stands in the club.
    package static func photoName(for fileName: String) -> String {
        PhotoName.forClub(fileName)
    }
}
