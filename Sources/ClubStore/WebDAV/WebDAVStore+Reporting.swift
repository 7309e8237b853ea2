import FoundationEssentials
import Synchronization

/// How deep a server reports changes; many only for a folder itself.
enum ReportDepth: String, Hashable, Sendable {
    case folder = "1"
    case all = "infinite"
}

/// Changes by sync token (RFC 6578), if the server supports it: one request for all folders, and
/// only changes are transferred.
extension WebDAVStore {
    /// The maximum number of consecutive truncated responses.
    private static let reportLimit = 100

    /// The current state of a folder, computed from the changes since an earlier snapshot.
    ///
    /// - Returns: Nil when the server does not report changes, or none since that token:
    ///   list again.
    func reportedSnapshot(
        since old: WebDAVSnapshot
    ) async throws(StoreError) -> WebDAVSnapshot? {
        let depth = old.reportDepth
        guard old.syncToken != nil, !refusedReports.withLock({ $0.contains(depth) }) else {
            return nil
        }
        var snapshot = old
        for _ in 0..<Self.reportLimit {
            guard let token = snapshot.syncToken,
                let answer = try await report(of: snapshot, since: token),
                let changes = try await changes(in: answer, of: old.folder),
                let next = answer.syncToken
            else { return nil }
            snapshot.apply(changes.entries)
            snapshot.syncToken = next
            guard changes.isCutShort, next != token else { return snapshot }
        }
        return nil
    }

    private func report(
        of snapshot: WebDAVSnapshot, since token: String
    ) async throws(StoreError) -> Multistatus? {
        do throws(StoreError) {
            return try await ask(
                .changes(
                    in: address.url(of: snapshot.folder, isFolder: true), since: token,
                    depth: snapshot.reportDepth, properties: fileProperties),
                during: .changes, at: nil)
        } catch {
            guard let refusal = error.underlying as? WebDAVRefusal,
                [400, 403, 404, 405, 409, 412, 415, 422, 501].contains(refusal.status)
            else { throw error }
            // An expired token does not rule out later requests.
            if !refusal.words.contains("valid-sync-token"), refusal.status != 404 {
                refusedReports.withLock { _ = $0.insert(snapshot.reportDepth) }
            }
            return nil
        }
    }

    /// Nil when it reports something outside the folder: behind some proxies the mapping is
    /// unknown.
    private func changes(
        in answer: Multistatus, of folder: RemotePath
    ) async throws(StoreError) -> (entries: [RemoteEntry], isCutShort: Bool)? {
        let base = address.baseComponents + folder.components
        var entries: [RemoteEntry] = []
        var isCutShort = false
        for response in answer.responses {
            guard let place = address.components(ofHref: response.href, in: folder),
                place.starts(with: base)
            else { return nil }
            if place == base {
                if response.status == 507 { isCutShort = true }
                continue
            }
            var path = folder
            for name in place.dropFirst(base.count) {
                guard let next = try? path.appending(name) else { return nil }
                path = next
            }
            if path.components.contains(where: TemporaryName.isOne) { continue }
            if let status = response.status, !(200..<300).contains(status) {
                guard status == 404 || status == 410 else { return nil }
                memory.forget(path)
                entries.append(.deleted(path))
            } else if response.properties.isCollection {
                entries.append(.folder(path))
            } else {
                let file = try await measured(
                    file(response.properties, at: path, date: answer.date), during: .changes)
                memory.keep([file])
                entries.append(.file(file.file))
            }
        }
        return (entries, isCutShort)
    }
}

extension WebDAVSnapshot {
    fileprivate var reportDepth: ReportDepth { recursive ? .all : .folder }

    /// Applies changes.
    mutating func apply(_ changes: [RemoteEntry]) {
        guard !changes.isEmpty else { return }
        var now = Dictionary(entries.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
        for change in changes {
            let path = change.path
            if case .folder = change, case .folder = now[path] { continue }
            // Replaces whatever was there, with its contents.
            if case .folder = now[path] { now = now.filter { !$0.key.isInside(path) } }
            switch change {
            case .deleted: now[path] = nil
            case .file, .folder: now[path] = change
            }
        }
        entries = now.values.sorted { $0.path < $1.path }
    }
}
