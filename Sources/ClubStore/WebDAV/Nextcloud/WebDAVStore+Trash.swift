import CurlNetworking
import FoundationEssentials

/// A file in Nextcloud's trash.
struct NextcloudDeletedFile: Sendable {
    /// At the place that it was deleted from; its time is that of the deletion, since the server says no other.
    var file: RemoteFile
    /// Its name in the trash: `Plan.txt.d1763989262`.
    var name: String
    var fileID: String?
    /// The names of its address.
    var place: [String]
}

extension WebDAVStore {
    /// The files in the trash that were at a path, the latest deletion first; empty where there is no trash.
    ///
    /// What was deleted with its folder is not among them: the trash has the folder.
    func deletedFiles(
        at path: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) -> [NextcloudDeletedFile] {
        guard let nextcloud else { return [] }
        let folder = nextcloud.folder(of: .trash)
        let entries = try await entries(
            of: folder,
            properties: "<D:resourcetype/><D:getcontentlength/><D:getlastmodified/><oc:fileid/>"
                + "<nc:trashbin-original-location/><nc:trashbin-deletion-time/>",
            during: operation, at: path)
        guard let entries else {
            nextcloudApps.note(.trash, isOn: false, at: configuration.clock.date())
            return []
        }
        let wanted = nextcloud.folder + path.components
        let found = entries.compactMap { name, properties -> NextcloudDeletedFile? in
            guard let location = properties.originalLocation,
                location.split(separator: "/").elementsEqual(wanted, by: { $0 == $1 })
            else { return nil }
            let date =
                properties.deleted ?? properties.modified ?? Date(timeIntervalSince1970: 0)
            return NextcloudDeletedFile(
                file: RemoteFile(
                    path: path, revision: NextcloudRevision.deleted(name: name).revision,
                    byteCount: max(0, properties.byteCount ?? 0), modified: date),
                name: name, fileID: properties.fileID, place: folder + [name])
        }
        return found.sorted { ($0.file.modified, $0.name) > ($1.file.modified, $1.name) }
    }

    /// - Throws: `.notFound` when it is not kept any more, or was elsewhere.
    func deletedFile(
        _ name: String, at path: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) -> NextcloudDeletedFile {
        let files = try await deletedFiles(at: path, during: operation)
        guard let file = files.first(where: { $0.name == name }) else {
            throw StoreError(.notFound, during: operation, at: path)
        }
        return file
    }

    /// Moves a file out of the trash, and looks where it is.
    ///
    /// - Returns: The file as it is now: under another name if someone has taken its own in this very moment.
    /// - Throws: `.conflict` when the name is taken; `.withoutEffect` when the file is still in the trash.
    func bringBack(
        _ deleted: NextcloudDeletedFile, to path: RemotePath
    ) async throws(StoreError) -> RemoteFile {
        guard let nextcloud else { throw StoreError(.notFound, during: .put, at: path) }
        try requireFree(try await look(at: path, during: .put), at: path)
        // Without its folder, Nextcloud would put it at the top of the user's files.
        _ = try await makeMissingFolders(above: path, during: .put)
        var request = WebDAVRequest("MOVE", address.url(deleted.place))
        // Without `Overwrite: F`, which Nextcloud answers with 412, since `restore` has any name. What it
        // restores replaces no file in any case: it chooses another name.
        request.fields["Destination"] = address.url(nextcloud.restoration(of: deleted.name))
        var refusal: StoreError?
        do throws(StoreError) {
            _ = try await send(request, during: .put, at: path)
        } catch {
            guard error.code != .cancelled else { throw error }
            // It may have been moved although the response was lost.
            refusal = error
        }
        return try await whereItIs(deleted, after: refusal, at: path)
    }

    private func requireFree(_ there: WebDAVResource, at path: RemotePath) throws(StoreError) {
        switch there {
        case .nothing: return
        case .folder: throw StoreError(.conflict(serverRevision: nil), during: .put, at: path)
        case .file(let file):
            throw StoreError(
                .conflict(serverRevision: file.file.revision), during: .put, at: path)
        }
    }

    /// A restored file keeps its number, unless it went to another storage.
    private func whereItIs(
        _ deleted: NextcloudDeletedFile, after refusal: StoreError?, at path: RemotePath
    ) async throws(StoreError) -> RemoteFile {
        let there: WebDAVResource
        do throws(StoreError) {
            there = try await look(at: path, during: .put)
        } catch {
            throw refusal ?? error
        }
        if case .file(let file) = there, let fileID = deleted.fileID, file.fileID == fileID {
            return file.file
        }
        let isInTrash = try await deletedFiles(at: path, during: .put)
            .contains { $0.name == deleted.name }
        guard !isInTrash else {
            if let refusal { throw refusal }
            try requireFree(there, at: path)
            throw StoreError(
                .withoutEffect, during: .put, at: path,
                detail: "a yes, and it is still in the trash")
        }
        if case .file(let file) = there, file.file.byteCount == deleted.file.byteCount {
            return file.file
        }
        // The name was taken in this moment: Nextcloud has chosen another one.
        let folder = path.parent ?? .root
        let files = try await entries(of: folder, during: .put).files
        if let fileID = deleted.fileID, let file = files.first(where: { $0.fileID == fileID }) {
            return file.file
        }
        try requireFree(there, at: path)
        if refusal?.webDAVStatus == 404 {
            throw StoreError(.notFound, during: .put, at: path, underlying: refusal)
        }
        throw refusal
            ?? StoreError(.badAnswer, during: .put, at: path, detail: "not where it was deleted")
    }
}
