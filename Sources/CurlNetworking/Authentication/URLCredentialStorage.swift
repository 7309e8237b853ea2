import Dispatch
public import FoundationEssentials
import Synchronization

/// Credentials by protection space, shared by sessions.
///
/// The shared storage lives in cache alone, `.permanent` credentials too: Linux has no keychain that
/// is always there, and a library must not leave passwords in a file that nobody asked for. A program
/// that wants them kept names a file: `URLCredentialStorage(file:)`. It is readable by its owner only,
/// and always whole: it is written beside itself and moved into place. Passwords stand in it as they
/// are, so it is as secret as `~/.netrc`; client certificates are not written.
///
/// Subclasses may override what takes a space alone: sessions call it, and the forms with a task do.
open class URLCredentialStorage: NetworkingObject, @unchecked Sendable {
    // Unchecked only because the class is open: every stored property is immutable and Sendable, and a
    // subclass makes the same promise with its own conformance.

    /// The storage of `.default` configurations.
    public static let shared = URLCredentialStorage()

    private struct Contents: Sendable {
        var credentials: [URLProtectionSpace: [String: URLCredential]] = [:]
        var defaults: [URLProtectionSpace: String] = [:]

        /// Returns whether the file may have to change.
        enum Change {
            case none
            case changed
        }

        @discardableResult
        mutating func add(_ credential: URLCredential, for space: URLProtectionSpace) -> Change {
            let user = credential.user ?? ""
            let old = credentials[space]?[user]
            credentials[space, default: [:]][user] = credential
            if defaults[space] == nil { defaults[space] = user }
            return old == credential ? .none : .changed
        }
    }

    private let contents: Mutex<Contents>
    /// What the file holds; taken before `contents`.
    private let written: Mutex<[CredentialFile.Entry]>
    private let file: URL?

    /// Where permanent ones are kept; nil for a storage in cache.
    package var fileURL: URL? { file }

    /// An empty storage in cache.
    public override init() {
        file = nil
        contents = Mutex(Contents())
        written = Mutex([])
    }

    /// A storage whose `.permanent` credentials are kept in a file, which is made when there are any.
    ///
    /// A file that is damaged is moved aside (`….damaged`) and not believed.
    ///
    /// - Throws: `URLError`: `.noPermissionsToReadFile` when others than its owner may read the file or
    ///   it is not ours, `.cannotOpenFile` when it cannot be read.
    public init(file: URL) throws {
        self.file = file
        let path = file.path(percentEncoded: false)
        var contents = Contents()
        if let data = try AtomicFile.read(path, atMost: CredentialFile.largestByteCount) {
            if let entries = CredentialFile.parse(data) {
                for entry in entries {
                    contents.credentials[entry.space, default: [:]][entry.user] = entry.credential
                    if entry.isDefault || contents.defaults[entry.space] == nil {
                        contents.defaults[entry.space] = entry.user
                    }
                }
            } else {
                try AtomicFile.setAside(path)
            }
        }
        self.contents = Mutex(contents)
        self.written = Mutex(Self.permanent(contents))
        super.init()
        ExitHandlers.add(self)
    }

    /// All credentials of a space by user name; nil when there are none.
    open func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
        contents.withLock { $0.credentials[space] }
    }

    /// All that is kept, by space and by user.
    open var allCredentials: [URLProtectionSpace: [String: URLCredential]] {
        contents.withLock { $0.credentials }
    }

    var isEmpty: Bool { contents.withLock { $0.credentials.isEmpty } }

    /// Keeps a credential; one of the same user is replaced. One with persistence `.none`, or of trust in
    /// a server, is not kept.
    ///
    /// The first one of a space becomes its default.
    open func set(_ credential: URLCredential, for space: URLProtectionSpace) {
        guard credential.persistence != .none, credential.trust == nil else { return }
        change { $0.add(credential, for: space) }
    }

    /// Forgets a credential of a space.
    open func remove(_ credential: URLCredential, for space: URLProtectionSpace) {
        change { contents in
            let user = credential.user ?? ""
            contents.credentials[space]?[user] = nil
            if contents.credentials[space]?.isEmpty == true { contents.credentials[space] = nil }
            if contents.defaults[space] == user { contents.defaults[space] = nil }
        }
    }

    /// - Parameter options: Apple's, without effect: nothing is carried to other machines.
    public func remove(
        _ credential: URLCredential, for space: URLProtectionSpace, options: [String: any Sendable]?
    ) {
        remove(credential, for: space)
    }

    func removeAll() {
        change { $0 = Contents() }
    }

    /// The credential that is used when nobody is asked.
    open func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
        contents.withLock { contents in
            contents.defaults[space].flatMap { contents.credentials[space]?[$0] }
        }
    }

    /// Keeps a credential and makes it the default of the space.
    open func setDefaultCredential(_ credential: URLCredential, for space: URLProtectionSpace) {
        guard credential.persistence != .none, credential.trust == nil else { return }
        change { contents in
            let user = credential.user ?? ""
            contents.credentials[space, default: [:]][user] = credential
            contents.defaults[space] = user
        }
    }

    /// `set` for the engine, which must not wait for a disk: the file follows a little later, at the
    /// latest when the process exits.
    func keep(_ credential: URLCredential, for space: URLProtectionSpace) {
        guard type(of: self) == URLCredentialStorage.self else {
            return set(credential, for: space)
        }
        guard credential.persistence != .none, credential.trust == nil else { return }
        let change = contents.withLock { $0.add(credential, for: space) }
        guard change == .changed else { return }
        if file != nil { FileQueue.run { self.writeOut() } }
        StorageChange.credentials.postLater(of: self)
    }

    private func change(_ change: (inout Contents) -> Void) {
        contents.withLock { change(&$0) }
        writeOut()
        StorageChange.credentials.post(of: self)
    }

    private func writeOut() {
        guard let file else { return }
        written.withLock { written in
            // Read inside this lock, so that the file never goes back in time.
            let entries = contents.withLock { Self.permanent($0) }
            guard entries != written else { return }
            // A full disk costs the cache of the next run, not the log-in of this one.
            guard let data = try? CredentialFile.render(entries),
                (try? AtomicFile.write(data, to: file.path(percentEncoded: false))) != nil
            else { return }
            written = entries
        }
    }

    private static func permanent(_ contents: Contents) -> [CredentialFile.Entry] {
        contents.credentials.flatMap { space, credentials in
            credentials.compactMap { user, credential in
                CredentialFile.Entry(
                    space, credential, isDefault: contents.defaults[space] == user)
            }
        }.sorted { ($0.host, $0.port, $0.user) < ($1.host, $1.port, $1.user) }
    }
}

extension URLCredentialStorage: ExitHandler {
    /// What the engine has kept and the queue for files has not written yet would be lost: the queue
    /// does not run on while the process exits.
    func handleExit() { writeOut() }
}
