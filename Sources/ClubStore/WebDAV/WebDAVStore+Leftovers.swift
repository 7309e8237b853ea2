import FoundationEssentials
import Synchronization

extension WebDAVStore {
    /// How old a temporary file must be, in seconds, to be abandoned: a day. The server's clock
    /// sets its time and its age, so no other clock matters.
    private static let leftoverAge: Double = 86_400

    /// Whether a temporary file was left behind by a killed program.
    func isLeftover(_ properties: Multistatus.Properties, at now: Date?) -> Bool {
        guard let now, let modified = properties.modified, !properties.isCollection else {
            return false
        }
        return now.timeIntervalSince(modified) > Self.leftoverAge
    }

    /// Removes such files in the background; each is tried once.
    func removeLeftovers(_ paths: [RemotePath]) {
        let new = leftovers.withLock { seen in paths.filter { seen.insert($0).inserted } }
        guard !new.isEmpty else { return }
        Task { @concurrent [self] in
            for path in new { await remove(path) }
        }
    }
}
