import DropboxAPI
import FoundationEssentials

/// Turns a club's paths into the server's, and what the server tells into a club's.
struct DropboxPaths: Hashable, Sendable {
    /// The folder on the server that is the club's root.
    let root: RemotePath

    /// `""` for the server's own root, which must not be `/`. In Normalisation Form C: the server keeps
    /// names in it, and finds none that is asked for in another.
    func wire(_ path: RemotePath) -> String {
        let prefix = root.isRoot ? "" : root.string
        return PathNames.normalized(path.isRoot ? prefix : prefix + path.string)
    }

    /// - Throws: `.badAnswer` for a file without a path, or with one that is none.
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

    /// Nil for what is of no kind known here, for what has no path (``unnameable(_:)``), and for the
    /// club's root itself: a listing that goes all the way down begins with it.
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

    /// Where a file or folder lies that no path can lead to: Dropbox takes names of 255 characters, files
    /// on this computer those of 255 bytes. Nil for all others.
    func unnameable(_ metadata: Metadata) -> String? {
        let wire: String? =
            switch metadata {
            case .file(let file): file.pathDisplay ?? file.pathLower
            case .folder(let folder): folder.pathDisplay ?? folder.pathLower
            case .deleted, .other: nil
            }
        guard let wire, wire.hasPrefix("/"), (try? RemotePath(validating: wire)) == nil else {
            return nil
        }
        return wire.split(separator: "/").dropFirst(root.components.count)
            .reduce(into: "") { $0 += "/" + $1 }
    }

    /// Drops as many names as the root has, whatever their case: servers that do not mind
    /// case may tell another than was asked.
    private func path(_ wire: String?) -> RemotePath? {
        guard let wire, let path = try? RemotePath(validating: wire),
            path.components.count >= root.components.count
        else { return nil }
        return path.dropFirst(root.components.count)
    }
}
