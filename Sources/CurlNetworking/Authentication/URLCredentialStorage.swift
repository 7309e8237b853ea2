import Dispatch
public import FoundationEssentials
import Synchronization

/// Stores credentials by protection space, for several sessions.
///
/// The shared storage is in memory only, including `.permanent` credentials: Linux has no keychain that
/// always exists, and a library must not write passwords to a file unasked. To store them permanently, pass a
/// file: `URLCredentialStorage(file:)`. It is accessible to its owner only and replaced atomically. It
/// contains the passwords in clear text, so protect it like `~/.netrc`. Client certificates are not written.
///
/// Subclasses can override the methods with a protection space: sessions and the methods with a task call
/// them.
open class URLCredentialStorage: NetworkingObject, @unchecked Sendable {
    // Unchecked only because the class is open: every stored property is immutable and Sendable, and a
    // subclass declares its own conformance.

    /// The storage of `.default` configurations.
    public static let shared = URLCredentialStorage()

    private struct Contents: Sendable {
        var credentials: [URLProtectionSpace: [String: URLCredential]] = [:]
        var defaults: [URLProtectionSpace: String] = [:]

        /// Whether the file may have to be written.
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
    /// The contents of the file. Lock it before `contents`.
    private let written: Mutex<[CredentialFile.Entry]>
    private let file: URL?

    /// The file of permanent credentials; nil for a storage in memory.
    package var fileURL: URL? { file }

    /// Creates an empty storage in memory.
    public override init() {
        file = nil
        contents = Mutex(Contents())
        written = Mutex([])
    }

    /// Creates a storage that writes `.permanent` credentials to a file, which is created when there are any.
    ///
    /// A damaged file is renamed (`….damaged`) and ignored.
    ///
    /// - Throws: `URLError`: `.noPermissionsToReadFile` if others than its owner can read the file or it
    ///   belongs to another user, `.cannotOpenFile` if it cannot be read.
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

    /// Returns all credentials of a protection space by user name; nil if there are none.
    open func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
        contents.withLock { $0.credentials[space] }
    }

    /// All stored credentials, by protection space and user name.
    open var allCredentials: [URLProtectionSpace: [String: URLCredential]] {
        contents.withLock { $0.credentials }
    }

    var isEmpty: Bool { contents.withLock { $0.credentials.isEmpty } }

    /// Stores a credential, replacing one of the same user. Credentials with persistence `.none` and those
    /// with trust in a server are not stored.
    ///
    /// The first one of a protection space becomes its default.
    open func set(_ credential: URLCredential, for space: URLProtectionSpace) {
        guard credential.persistence != .none, credential.trust == nil else { return }
        change { $0.add(credential, for: space) }
    }

    /// Removes a credential of a protection space.
    open func remove(_ credential: URLCredential, for space: URLProtectionSpace) {
        change { contents in
            let user = credential.user ?? ""
            contents.credentials[space]?[user] = nil
            if contents.credentials[space]?.isEmpty == true { contents.credentials[space] = nil }
            if contents.defaults[space] == user { contents.defaults[space] = nil }
        }
    }

    /// Removes a credential of a protection space.
    ///
    /// - Parameter options: Apple's, such as `NSURLCredentialStorageRemoveSynchronizableCredentials`. They have no
    ///   effect: credentials are not synchronized.
    open func remove(
        _ credential: URLCredential, for space: URLProtectionSpace, options: [String: any Sendable]?
    ) {
        remove(credential, for: space)
    }

    func removeAll() {
        change { $0 = Contents() }
    }

    /// Returns the credential that is used without asking.
    open func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
        contents.withLock { contents in
            contents.defaults[space].flatMap { contents.credentials[space]?[$0] }
        }
    }

    /// Stores a credential as the default of a protection space.
    open func setDefaultCredential(_ credential: URLCredential, for space: URLProtectionSpace) {
        guard credential.persistence != .none, credential.trust == nil else { return }
        change { contents in
            let user = credential.user ?? ""
            contents.credentials[space, default: [:]][user] = credential
            contents.defaults[space] = user
        }
    }

    /// Stores a credential for the engine, which must not wait for the disk: the file is written soon, at the
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
            // Read inside this lock, so that an older state is never written over a newer one.
            let entries = contents.withLock { Self.permanent($0) }
            guard entries != written else { return }
            // A full disk must not fail the current authentication; only the next run lacks the credential.
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
    /// Writes what the file queue has not written yet: it does not run while the process exits.
    func handleExit() { writeOut() }
}

/// An option of ``URLCredentialStorage/remove(_:for:options:)``, of Apple's.
public let NSURLCredentialStorageRemoveSynchronizableCredentials =
    "NSURLCredentialStorageRemoveSynchronizableCredentials"
