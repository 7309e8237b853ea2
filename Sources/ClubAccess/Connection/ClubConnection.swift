package import ClubStore
internal import FoundationEssentials
internal import Synchronization

/// Opens every club's store: screen, commands and listings all use it.
///
/// A remote club is opened once per process: all users share its connections and its current
/// tokens.
package enum ClubConnection {
    /// Opens a club, or returns the open store.
    ///
    /// - Parameter refused: A store of this club whose sign-in the server has rejected. It is replaced if the
    ///   user has signed in since, perhaps in another program.
    /// - Parameter avoidsMeteredNetworks: For a process of transfers: requests fail as offline on a metered
    ///   network. Only the first opening sets it.
    /// - Parameter uploadsAtOnce: For a process of transfers: how many uploads may each have a connection. Only the
    ///   first opening sets it.
    /// - Throws: A `StoreError` during `connect`: `.unauthorized` when signed out.
    package static func open(
        _ club: ClubSettings, registry: ClubRegistry, inPlaceOf refused: (any RemoteStore)? = nil,
        avoidsMeteredNetworks: Bool = false, uploadsAtOnce: Int = 1
    ) async throws(StoreError) -> any RemoteStore {
        switch club.place {
        case .embedded:
            try await EmbeddedClub.open(paths: registry.paths, uploadsAtOnce: uploadsAtOnce)
        // It looks for newer tokens automatically.
        case .dropbox(let dropbox):
            try line(to: club, dropbox, registry: registry, avoidsMeteredNetworks, uploadsAtOnce)
                .store
        case .webdav(let webdav):
            try await store(
                of: club, webdav, registry: registry, inPlaceOf: refused as? WebDAVStore,
                avoidsMeteredNetworks, uploadsAtOnce)
        }
    }

    /// The password or token is read when the club is opened, and again after the server has rejected
    /// it.
    private static func store(
        of club: ClubSettings, _ webdav: ClubSettings.WebDAV, registry: ClubRegistry,
        inPlaceOf refused: WebDAVStore?,
        _ avoidsMeteredNetworks: Bool, _ uploadsAtOnce: Int
    ) async throws(StoreError) -> WebDAVStore {
        let key = Key(paths: registry.paths, club: club)
        let old = stores.withLock { $0[key] }
        if let old, old.store !== refused { return old.store }
        let secret = try await PasswordVault.read(club, registry: registry)
        if let old, old.secret == secret { return old.store }
        let store = try makeStore(
            to: webdav, secret: secret,
            capabilitiesFile: registry.capabilitiesFile(of: club),
            unconfirmedWrites: registry.unconfirmedWrites(of: club),
            avoidsMeteredNetworks: avoidsMeteredNetworks, uploadsAtOnce: uploadsAtOnce)
        return stores.withLock { stores in
            // Another caller may have opened it first.
            if let now = stores[key], now.store !== old?.store { return now.store }
            stores[key] = SignedIn(store: store, secret: secret)
            return store
        }
    }

    static func makeStore(
        to webdav: ClubSettings.WebDAV, secret: String, capabilitiesFile: URL? = nil,
        unconfirmedWrites: URL? = nil, avoidsMeteredNetworks: Bool = false, uploadsAtOnce: Int = 1
    ) throws(StoreError) -> WebDAVStore {
        let credentials: WebDAVCredentials =
            switch webdav.signIn {
            case .password(let user): .password(user: user, password: secret)
            case .token: .bearer(token: secret)
            }
        var configuration = WebDAVStore.Configuration(
            baseURL: webdav.url, credentials: credentials)
        configuration.trust.authoritiesFile = webdav.authoritiesFile.map { URL(filePath: $0) }
        configuration.trust.pinnedKey = webdav.pin
        configuration.capabilitiesFile = capabilitiesFile
        configuration.unconfirmedWritesFolder = unconfirmedWrites
        configuration.thumbnailer = PictureThumbnailer()
        configuration.avoidsMeteredNetworks = avoidsMeteredNetworks
        configuration.uploadConnectionLimit = uploadsAtOnce
        return try WebDAVStore(configuration)
    }

    /// Continues with new tokens wherever the club is already open.
    static func adopt(_ tokens: DropboxTokens, for club: ClubSettings, registry: ClubRegistry) async
    {
        let key = Key(paths: registry.paths, club: club)
        await lines.withLock { $0[key] }?.access.adopt(tokens)
    }

    /// Closes a club after the user has signed out.
    package static func close(_ club: ClubSettings, registry: ClubRegistry) {
        let key = Key(paths: registry.paths, club: club)
        _ = lines.withLock { $0.removeValue(forKey: key) }
        _ = stores.withLock { $0.removeValue(forKey: key) }
    }

    private struct Key: Hashable {
        var paths: Paths
        var club: ClubSettings
    }

    /// A store with the tokens it uses.
    struct Line: Sendable {
        let store: DropboxStore
        let access: DropboxAccess
    }

    /// A store with the password or token that it was opened with.
    private struct SignedIn: Sendable {
        let store: WebDAVStore
        let secret: String
    }

    private static let lines = Mutex<[Key: Line]>([:])
    private static let stores = Mutex<[Key: SignedIn]>([:])

    private static func line(
        to club: ClubSettings, _ dropbox: ClubSettings.Dropbox, registry: ClubRegistry,
        _ avoidsMeteredNetworks: Bool, _ uploadsAtOnce: Int
    ) throws(StoreError) -> Line {
        let key = Key(paths: registry.paths, club: club)
        if let line = lines.withLock({ $0[key] }) { return line }
        let vault = SecretVault(club: club, registry: registry, secrets: ClubSecrets(registry))
        let line = try makeLine(
            to: dropbox, vault: vault,
            unconfirmedWrites: registry.unconfirmedWrites(of: club),
            avoidsMeteredNetworks: avoidsMeteredNetworks, uploadsAtOnce: uploadsAtOnce)
        return lines.withLock { lines in
            if let line = lines[key] { return line }
            lines[key] = line
            return line
        }
    }

    static func makeLine(
        to dropbox: ClubSettings.Dropbox, vault: any TokenVault, unconfirmedWrites: URL? = nil,
        avoidsMeteredNetworks: Bool = false, uploadsAtOnce: Int = 1
    ) throws(StoreError) -> Line {
        let app = dropbox.app
        let access = DropboxAccess(app: app, vault: vault)
        var configuration = DropboxStore.Configuration(hosts: app.hosts)
        configuration.unconfirmedWritesFolder = unconfirmedWrites
        configuration.avoidsMeteredNetworks = avoidsMeteredNetworks
        configuration.uploadConnectionLimit = uploadsAtOnce
        if let folder = dropbox.folder { configuration.folder = try ClubSettings.root(of: folder) }
        return Line(store: DropboxStore(configuration, access: access), access: access)
    }
}

extension ClubSettings.Dropbox {
    package var app: DropboxApp { DropboxApp(key: appKey, gateway: apiURL) }
}
