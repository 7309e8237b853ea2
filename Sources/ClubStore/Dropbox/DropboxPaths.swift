import DropboxAPI
import FoundationEssentials

/// Converts between a club's paths and the server's.
struct DropboxPaths: Hashable, Sendable {
    /// The folder on the server that is the club's root.
    let root: RemotePath

    /// `""` for the server's own root, which must not be `/`. In Normalization Form C: the server
    /// stores names in it, and finds none requested in another form.
    func wire(_ path: RemotePath) -> String {
        let prefix = root.isRoot ? "" : root.string
        return PathNames.normalized(path.isRoot ? prefix : prefix + path.string)
    }

    /// - Throws: `.badAnswer` for a file without a valid path.
    func file(
        _ metadata: FileMetadata, askedFor path: RemotePath? = nil,
        during operation: StoreError.Operation
    ) throws(StoreError) -> RemoteFile {
        guard let path = self.path(metadata.pathDisplay ?? metadata.pathLower) ?? path,
            let byteCount = Int64(exactly: metadata.size), !path.isRoot
        else {
            throw StoreError(
                .badAnswer, during: operation, at: path, detail: "a file without a path")
        }
        return RemoteFile(
            path: path, revision: Revision(rawValue: metadata.revision), byteCount: byteCount,
            modified: metadata.clientModified.date, contentHash: metadata.contentHash?.hexadecimal)
    }

    /// Nil for unknown kinds, for entries without a valid path (``unnameable(_:)``), and for the
    /// club's root itself, with which a recursive listing begins.
    func entry(
        _ metadata: Metadata, during operation: StoreError.Operation
    ) throws(StoreError) -> RemoteEntry? {
        switch metadata {
        case .file where unnameable(metadata) != nil:
            return nil
        case .file(let file):
            return .file(try self.file(file, during: operation))
        case .folder(let folder):
            return path(folder.pathDisplay ?? folder.pathLower).flatMap {
                $0.isRoot ? nil : .folder($0)
            }
        case .deleted(let deleted):
            return path(deleted.pathDisplay ?? deleted.pathLower).map { .deleted($0) }
        case .other:
            return nil
        }
    }

    /// The location of a file or folder that no path can represent: Dropbox limits names to 255
    /// characters, files on this computer to 255 bytes. Nil for all others.
    func unnameable(_ metadata: Metadata) -> String? {
        let wire: String? =
            switch metadata {
            case .file(let file): file.pathDisplay ?? file.pathLower
            case .folder(let folder): folder.pathDisplay ?? folder.pathLower
            case .deleted, .other: nil
            }
        guard let wire, wire.isAbsolutePath, (try? RemotePath(validating: wire)) == nil else {
            return nil
        }
        return wire.pathNames().dropFirst(root.components.count)
            .reduce(into: "") { $0 += "/" + $1 }
    }

    /// Drops as many names as the root has, ignoring case: case-insensitive servers may
    /// return another case than requested.
    private func path(_ wire: String?) -> RemotePath? {
        guard let wire, let path = try? RemotePath(validating: wire),
            path.components.count >= root.components.count
        else { return nil }
        return path.dropFirst(root.components.count)
    }
}
