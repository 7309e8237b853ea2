package import ClubStore

/// A club's notes and photos for the commands, in the screen's order.
package struct ClubFiles: Sendable {
    /// The files of a folder, and, if asked for, of those in it.
    package let notes: [RemoteFile]

    /// The folders in it that notes can be in, by name.
    package let folders: [RemotePath]

    /// The pictures in its photos folder.
    package let photos: [RemoteFile]

    /// Why the club may contain more than that; nil if it does not.
    package let complaint: String?

    /// - Parameters:
    ///   - folder: Where the notes are; photos lie in their own.
    ///   - includesSubfolders: Whether the notes of all folders in it belong to them.
    package init(
        _ listing: Listing, in folder: RemotePath = .root, includesSubfolders: Bool = false
    ) {
        complaint = SkippedNames.sentence(listing.skipped)
        let contents = ClubContents(listing: listing)
        photos = contents.photos
        folders = Self.inNaturalOrder(
            contents.entries(of: .notes, in: folder).compactMap { entry in
                if case .folder(let path, _) = entry { path } else { nil }
            }, by: \.name)
        notes =
            includesSubfolders
            ? Self.inNaturalOrder(
                contents.allFiles.filter {
                    ClubContents.kind(of: $0) == .notes && $0.path.isInside(folder)
                }, by: \.path.string) : contents.sorted(.notes, in: folder)
    }

    private static func inNaturalOrder<Element>(
        _ elements: [Element], by name: (Element) -> String
    ) -> [Element] {
        elements.map { (key: NaturalOrderKey(name($0)), element: $0) }
            .sorted { $0.key < $1.key }.map(\.element)
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
