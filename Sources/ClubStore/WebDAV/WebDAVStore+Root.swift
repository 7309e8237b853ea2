import FoundationEssentials

extension WebDAVStore {
    /// Creates the club's own folder if it is missing, and those above it. An existing folder
    /// counts as success.
    ///
    /// - Throws: `.wrongKind` when the URL is a file's, or `.badRequest` if the server does not
    ///   look for a folder under a file's name; `.notFound` when it has no place for the folder.
    @concurrent public func makeRoot() async throws(StoreError) {
        switch try await look(at: .root, during: .createFolder) {
        case .folder: return
        case .file: throw StoreError(.wrongKind, during: .createFolder, at: .root)
        case .nothing: break
        }
        do throws(StoreError) {
            try await makeFolder(
                address.baseComponents, notAbove: 1, during: .createFolder, at: .root)
        } catch {
            guard error.isMissingFolder else { throw error }
            throw StoreError(.notFound, during: .createFolder, at: .root, underlying: error)
        }
        guard try await look(at: .root, during: .createFolder) == .folder else {
            throw StoreError(.notFound, during: .createFolder, at: .root)
        }
    }
}
