import FoundationEssentials
import Synchronization

/// Which of a Nextcloud's apps are switched on for this account, as its server has said.
final class NextcloudApps: Sendable {
    /// The first name of an app's addresses below `remote.php/dav`.
    enum App: String, Hashable, Sendable {
        case versions
        case trash = "trashbin"
    }

    private struct Finding {
        var isOn: Bool
        var date: Date
    }

    private let findings = Mutex<[App: Finding]>([:])

    /// How long an answer counts: an administrator may switch an app off, and what is then deleted is gone.
    private static let age: TimeInterval = 300

    /// Nil when the server has not been asked, or not for a while.
    func isOn(_ app: App, at now: Date) -> Bool? {
        findings.withLock { findings in
            guard let finding = findings[app],
                (0..<Self.age).contains(now.timeIntervalSince(finding.date))
            else { return nil }
            return finding.isOn
        }
    }

    /// The last answer, however old.
    func wasOn(_ app: App) -> Bool? { findings.withLock { $0[app]?.isOn } }

    func note(_ app: App, isOn: Bool, at now: Date) {
        findings.withLock { $0[app] = Finding(isOn: isOn, date: now) }
    }
}

extension WebDAVStore {
    /// Whether an app is switched on: it has a folder of this account.
    ///
    /// Its list of capabilities would say so too, but not whether an app is on for this user, nor whether the
    /// address is right.
    func has(_ app: NextcloudApps.App) async throws(StoreError) -> Bool {
        guard let nextcloud else { return false }
        let now = configuration.clock.date()
        if let known = nextcloudApps.isOn(app, at: now) { return known }
        var isOn = false
        do throws(StoreError) {
            let answer = try await ask(
                .propfind(
                    address.url(nextcloud.folder(of: app), isFolder: true), depth: 0,
                    properties: "<D:resourcetype/>"),
                during: .metadata, at: nil)
            isOn = answer.responses.first?.properties.isCollection == true
        } catch {
            guard error.saysThatAnAppIsOff else { throw error }
        }
        nextcloudApps.note(app, isOn: isOn, at: now)
        return isOn
    }

    /// The entries of an app's folder; nil when there is no such folder.
    func entries(
        of folder: [String], properties: String, during operation: StoreError.Operation,
        at path: RemotePath
    ) async throws(StoreError) -> [(name: String, properties: Multistatus.Properties)]? {
        let answer: Multistatus
        do throws(StoreError) {
            answer = try await ask(
                .propfind(
                    address.url(folder, isFolder: true), depth: 1, properties: properties),
                during: operation, at: path)
        } catch {
            guard error.saysThatAnAppIsOff else { throw error }
            return nil
        }
        return answer.responses.compactMap { response in
            // Only names are taken from it: URLs are built from this store's own address.
            guard response.status.map({ (200..<300).contains($0) }) ?? true,
                !response.properties.isCollection,
                let names = address.components(ofHref: response.href, in: .root),
                let name = names.last, names.dropLast().last == folder.last
            else { return nil }
            return (name, response.properties)
        }
    }
}

extension StoreError {
    /// Whether the server knows no such address: the app is switched off, or the file is not in it.
    fileprivate var saysThatAnAppIsOff: Bool {
        webDAVStatus.map { [404, 405, 410, 501].contains($0) } ?? false
    }
}
