import FoundationEssentials

extension WebDAVStore {
    /// Makes the club's own folder where there is none, and those above it that are missing. One that is
    /// there is as good.
    ///
    /// - Throws: `.wrongKind` when the address is a file's, or `.badRequest` where the server will not look
    ///   for a folder under a file's name; `.notFound` when it has no place for the folder.
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
