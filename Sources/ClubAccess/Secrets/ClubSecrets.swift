internal import ClubStore
internal import FoundationEssentials

/// The credentials of each club, bound to their server and account.
///
/// `config.yml` can be edited by anyone with access, or copied from another computer. A password must
/// not go to whatever host it names now, so each stored secret says which server and account it is for.
struct ClubSecrets: Sendable {
    let registry: ClubRegistry
    let secrets: Secrets

    init(_ registry: ClubRegistry, secrets: Secrets? = nil) {
        self.registry = registry
        self.secrets = secrets ?? Secrets(paths: registry.paths)
    }

    /// A secret as it is stored.
    private struct Bound: Codable {
        var purpose: String
        var secret: String

        enum CodingKeys: String, CodingKey {
            case purpose = "for"
            case secret
        }
    }

    /// - Parameter bindsOld: Binds a secret that an older version has stored without server and account;
    ///   not for holders of the ``SignInLock``.
    /// - Returns: Nil when signed out.
    /// - Throws: `.forAnother` when it was stored for another server or account.
    func read(
        _ club: ClubSettings, bindsOld: Bool = true
    ) async throws(SecretError) -> Data? {
        guard let place = registry.secretPlace(of: club),
            let data = try await secrets.read(club.name, from: place)
        else { return nil }
        guard let bound = try? JSONDecoder().decode(Bound.self, from: data) else {
            if bindsOld { await bind(data, for: club) }
            return data
        }
        guard bound.purpose == club.place.purpose else { throw .forAnother(club: club.name) }
        return Data(bound.secret.utf8)
    }

    /// Replaces a secret; see ``Secrets/write(_:account:label:to:)``.
    func write(
        _ secret: Data, for club: ClubSettings, to place: SecretPlace?
    ) async throws(SecretError) -> SecretPlace {
        let bound = Bound(
            purpose: club.place.purpose, secret: String(decoding: secret, as: UTF8.self))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(bound) else { preconditionFailure("these are texts") }
        return try await writeAsItIs(data, for: club, to: place)
    }

    /// The secret in data from ``readUnverified(_:from:)``, without its binding.
    ///
    /// - Returns: Nil if it was stored for another server or account than the club has now.
    func secret(in data: Data, for club: ClubSettings) -> Data? {
        guard let bound = try? JSONDecoder().decode(Bound.self, from: data),
            bound.purpose == club.place.purpose
        else { return nil }
        return Data(bound.secret.utf8)
    }

    /// The stored data with its binding, to be restored unchanged.
    func readUnverified(_ club: ClubSettings, from place: SecretPlace) async -> Data? {
        try? await secrets.read(club.name, from: place)
    }

    func writeAsItIs(
        _ data: Data, for club: ClubSettings, to place: SecretPlace?
    ) async throws(SecretError) -> SecretPlace {
        try await secrets.write(
            data, account: club.name, label: "Byte Club: \(club.name)", to: place)
    }

    func remove(_ club: ClubSettings, from place: SecretPlace) async throws(SecretError) {
        try await secrets.remove(club.name, from: place)
    }

    /// Best effort: it is tried again next time.
    private func bind(_ data: Data, for club: ClubSettings) async {
        guard let lock = try? await SignInLock.acquire(registry.paths) else { return }
        defer { lock.release() }
        guard let place = registry.secretPlace(of: club),
            await readUnverified(club, from: place) == data
        else { return }
        _ = try? await write(data, for: club, to: place)
    }
}

extension ClubSettings.Place {
    /// Where a secret may be sent: the server, the account, and the server's expected identity. The folder
    /// does not matter.
    fileprivate var purpose: String {
        switch self {
        case .embedded: "embedded"
        case .dropbox(let dropbox):
            (["dropbox", dropbox.appKey] + (dropbox.apiURL.map { [$0.origin] } ?? []))
                .joined(separator: "\n")
        case .webdav(let webdav):
            [
                "webdav", webdav.url.origin, webdav.signIn.user ?? "",
                webdav.pin?.description ?? "", webdav.authoritiesFile ?? "",
            ].joined(separator: "\n")
        }
    }
}
