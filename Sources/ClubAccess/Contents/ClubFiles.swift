internal import ByteClubPictures
package import ClubStore
package import FoundationEssentials

/// A club's notes and photos for the commands, in the screen's order.
package struct ClubFiles: Sendable {
    /// The files of a folder, optionally including its subfolders.
    package let notes: [RemoteFile]

    /// The subfolders that can contain notes, by name; all levels of them if included.
    package let folders: [RemotePath]

    /// The pictures in its photos folder.
    package let photos: [RemoteFile]

    /// Why entries may be missing; nil if none are.
    package let complaint: String?

    /// - Parameters:
    ///   - folder: The folder of the notes; photos have their own.
    ///   - includesSubfolders: Whether to include the notes of all subfolders.
    package init(
        _ listing: Listing, in folder: RemotePath = .root, includesSubfolders: Bool = false
    ) {
        complaint = SkippedNames.sentence(listing.skipped)
        let contents = ClubContents(listing: listing)
        photos = contents.photos
        folders =
            includesSubfolders
            ? Self.inNaturalOrder(
                contents.noteFolders.filter { $0 != folder && $0.isInside(folder) }, by: \.string)
            : Self.inNaturalOrder(
                contents.entries(of: .notes, in: folder).compactMap { entry in
                    if case .folder(let path, _) = entry { path } else { nil }
                }, by: \.name)
        notes =
            includesSubfolders
            ? Self.inNaturalOrder(
                contents.files(of: .notes) { $0.path.isInside(folder) }, by: \.path.string)
            : contents.sorted(.notes, in: folder)
    }

    private static func inNaturalOrder<Element>(
        _ elements: [Element], by name: (Element) -> String
    ) -> [Element] {
        elements.map { (key: NaturalOrderKey(name($0)), element: $0) }
            .sorted { $0.key < $1.key }.map(\.element)
    }

    /// The photos folder.
    ///
    /// - Throws: Never in practice: the name is valid.
    package static func photosFolder() throws(StoreError) -> RemotePath {
        try RemotePath.root.appending(ClubContents.photosFolderName)
    }

    /// The name of an uploaded picture in the club. Reads the beginning of a file that is uploaded unchanged, if
    /// its name does not say what it is.
    ///
    /// - Parameters:
    ///   - name: Instead of the file's own.
    ///   - keepsOriginal: Whether the file is uploaded unchanged.
    package static func photoName(
        for file: URL, named name: String? = nil, keepsOriginal: Bool
    ) -> String {
        let name = name ?? file.lastPathComponent
        let isUnclear = keepsOriginal && !PhotoName.isPhoto(name)
        return PhotoName.forClub(
            name, keepsOriginal: keepsOriginal,
            endingIn: isUnclear ? FileFormat(of: file)?.photoEnding : nil)
    }

    /// The new name of a renamed photo.
    package static func photoName(for newName: String, renaming name: String) -> String {
        PhotoName.forClub(newName, renaming: name)
    }
}
