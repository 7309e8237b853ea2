package import ClubStore
internal import ByteClubFiles
internal import FoundationEssentials
internal import ByteClubMessages

/// Signs in to a club on a WebDAV server; no screen, no terminal.
///
/// Nothing is written before the server has accepted the credentials and listed the folder.
package struct WebDAVSignIn: Sendable {
    package let settings: ClubSettings.WebDAV
    private let keeping: ClubRegistration

    /// - Throws: `.badInput` when the address, the name or the file is not valid.
    package init(_ settings: ClubSettings.WebDAV, registry: ClubRegistry) throws(SignInError) {
        // Before the password is requested.
        ProcessSecrecy.begin()
        if let refusal = ClubSettings.refusal(of: settings) { throw .badInput(refusal) }
        self.settings = settings
        keeping = ClubRegistration(registry)
    }

    /// The club to be saved; see ``ClubRegistration/club(named:at:usually:)``.
    package func club(named name: String?) throws(SignInError) -> ClubSettings {
        try keeping.club(named: name, at: .webdav(settings), usually: "webdav")
    }

    /// All steps at once, for callers without a terminal.
    @concurrent package func join(
        named name: String?, secret: String
    ) async throws(SignInError) -> ClubSettings {
        let club = try club(named: name)
        _ = try await finish(secret: secret, as: club)
        return club
    }

    /// Checks that the certificate file is usable.
    ///
    /// - Throws: `.badInput` with the problem.
    package func checkAuthorities() throws(SignInError) {
        guard let path = settings.authoritiesFile else { return }
        let data: Data?
        do throws(AtomicFile.Failure) {
            data = try AtomicFile(url: URL(filePath: path)).read()
        } catch {
            throw .badInput(
                localized("The file of certificates, \(path), cannot be read: \(error.reason)."))
        }
        guard let data else {
            throw .badInput(localized("There is no file of certificates at \(path)."))
        }
        let mark = "-----BEGIN CERTIFICATE-----"
        guard data.firstRange(of: Data(mark.utf8)) != nil else {
            throw .badInput(
                localized("There is no certificate in \(path): it must have one in PEM, \(mark)"))
        }
    }

    /// Tests the password or token, creates the folder if it is missing, and stores both; the club becomes
    /// the current one.
    @concurrent package func finish(
        secret: String, as club: ClubSettings
    ) async throws(SignInError) -> Account {
        try checkAuthorities()
        if let refusal = ClubSettings.refusal(ofSecret: secret, for: settings) {
            throw .badInput(refusal)
        }
        let store: WebDAVStore
        let account: Account
        do throws(StoreError) {
            store = try ClubConnection.makeStore(to: settings, secret: secret)
        } catch {
            throw .store(error)
        }
        do throws(StoreError) {
            try await enter(store)
            account = try await store.account()
        } catch {
            if let server = store.untrustedServer { throw .untrusted(server) }
            if settings.signIn != .token, let challenges = error.authenticationChallenges {
                let schemes = AuthenticationSchemes.read(challenges)
                if !schemes.isEmpty, !AuthenticationSchemes.takePasswords(schemes) {
                    throw .passwordsUnsupported(schemes: schemes)
                }
            }
            throw .webdav(error, settings)
        }
        if Task.isCancelled { throw .cancelled }
        try await keeping.keep(PasswordVault.encode(secret), for: club)
        ClubConnection.close(club, registry: keeping.registry)
        return account
    }
}

extension WebDAVSignIn {
    /// The club's folder may not exist yet.
    private func enter(_ store: WebDAVStore) async throws(StoreError) {
        do throws(StoreError) {
            _ = try await store.list(.root, recursive: false)
        } catch {
            guard error.code == .notFound else { throw error }
            try await store.makeRoot()
        }
    }
}

/// Stores a club's password or token among the secrets.
enum PasswordVault {
    private struct Secret: Codable {
        var password: String
    }

    static func encode(_ secret: String) -> Data {
        guard let data = try? JSONEncoder().encode(Secret(password: secret)) else {
            preconditionFailure("a password is a text")
        }
        return data
    }

    /// - Throws: `.unauthorized` if it is missing or cannot be read.
    static func read(
        _ club: ClubSettings, registry: ClubRegistry
    ) async throws(StoreError) -> String {
        do throws(SecretError) {
            let data = try await ClubSecrets(registry).read(club)
            if let data, let secret = try? JSONDecoder().decode(Secret.self, from: data) {
                return secret.password
            }
        } catch {
            throw StoreError(.unauthorized, during: .connect, underlying: error)
        }
        throw .notSignedIn
    }
}
