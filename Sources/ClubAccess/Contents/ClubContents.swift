package import ClubStore

/// The known contents of a club's folder: a value updated from listings and changes.
///
/// Notes are the files at the club's top; panoramas are the JPEGs in its `photos` folder, whatever
/// the case of its name. Everything else in the folder is ignored.
package struct ClubContents: Sendable, Equatable {
    /// In display order: by name, ignoring case, numbers by their value.
    package private(set) var notes: [RemoteFile] = []
    /// In display order, like the notes.
    package private(set) var photos: [RemoteFile] = []

    private var files: [RemotePath: RemoteFile] = [:]
    /// How many files are below each folder: most changes name a path with nothing below.
    private var fileCounts: [RemotePath: Int] = [:]

    /// The name of the panoramas' folder, as this app creates it.
    package static let photosFolderName = "photos"

    package init() {}

    /// Starts from a complete listing.
    package init(listing: Listing) {
        apply(listing.entries)
    }

    /// Applies changes in the store's order.
    package mutating func apply(_ entries: [RemoteEntry]) {
        guard !entries.isEmpty else { return }
        for entry in entries {
            switch entry {
            case .file(let file):
                removeChildren(of: file.path)
                set(file, at: file.path)
            case .folder(let path):
                set(nil, at: path)
            case .deleted(let path):
                set(nil, at: path)
                removeChildren(of: path)
            }
        }
        sort()
    }

    /// The file at a path, if there is one.
    subscript(path: RemotePath) -> RemoteFile? { files[path] }

    /// Whether a file of this name, in any case, is among the notes: most clouds ignore case.
    package func hasNote(named name: String) -> Bool {
        let folded = name.lowercased()
        return notes.contains { $0.name.lowercased() == folded }
    }

    /// Whether a photo of this name, in any case, is in the photos folder.
    package func hasPhoto(named name: String) -> Bool {
        let folded = name.lowercased()
        return photos.contains { $0.name.lowercased() == folded }
    }

    private mutating func set(_ file: RemoteFile?, at path: RemotePath) {
        let old = files[path]
        files[path] = file
        let difference = (file == nil ? 0 : 1) - (old == nil ? 0 : 1)
        guard difference != 0 else { return }
        var folder = path.parent
        while let current = folder {
            let count = fileCounts[current, default: 0] + difference
            fileCounts[current] = count == 0 ? nil : count
            folder = current.parent
        }
    }

    private mutating func removeChildren(of path: RemotePath) {
        guard fileCounts[path] != nil else { return }
        for key in files.keys where key != path && key.isInside(path) {
            set(nil, at: key)
        }
    }

    private mutating func sort() {
        var notes: [(key: NaturalOrderKey, file: RemoteFile)] = []
        var photos: [(key: NaturalOrderKey, file: RemoteFile)] = []
        for file in files.values where !file.name.hasPrefix(".") {
            if file.path.components.count == 1 {
                notes.append((NaturalOrderKey(file.name), file))
            } else if Self.isPhoto(file) {
                photos.append((NaturalOrderKey(file.name), file))
            }
        }
        self.notes = notes.sorted { $0.key < $1.key }.map(\.file)
        self.photos = photos.sorted { $0.key < $1.key }.map(\.file)
    }

    private static func isPhoto(_ file: RemoteFile) -> Bool {
        let components = file.path.components
        return components.count == 2
            && components[0].lowercased() == photosFolderName
            && PhotoName.isPhoto(file.name)
    }
}
