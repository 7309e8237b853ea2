internal import ClubStore
internal import FoundationEssentials

/// What each club is signed in with, bound to the server and the account that it is for.
///
/// `config.yml` is anybody's to change, or to take over from another computer. A password must not go to
/// whatever host stands there now, so that what is kept says for whom it is.
struct ClubSecrets: Sendable {
    let registry: ClubRegistry
    let secrets: Secrets

    init(_ registry: ClubRegistry, secrets: Secrets? = nil) {
        self.registry = registry
        self.secrets = secrets ?? Secrets(paths: registry.paths)
    }

    /// A secret as it is kept.
    private struct Bound: Codable {
        var purpose: String
        var secret: String

        enum CodingKeys: String, CodingKey {
            case purpose = "for"
            case secret
        }
    }

    /// - Parameter bindsOld: Binds what an older version has kept without saying for whom; not for those who
    ///   hold the ``SignInLock``.
    /// - Returns: Nil when nobody is signed in.
    /// - Throws: `.forAnother` when it was kept for another server or account.
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

    /// Keeps a secret in place of an older one; see ``Secrets/write(_:account:label:to:)``.
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

    /// What ``readAsItIs(_:from:)`` has found, without its binding.
    ///
    /// - Returns: Nil where it was not kept for the server and the account that the club names now.
    func secret(in data: Data, for club: ClubSettings) -> Data? {
        guard let bound = try? JSONDecoder().decode(Bound.self, from: data),
            bound.purpose == club.place.purpose
        else { return nil }
        return Data(bound.secret.utf8)
    }

    /// What is kept, with its binding, to be put back as it was.
    func readAsItIs(_ club: ClubSettings, from place: SecretPlace) async -> Data? {
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

    /// Best effort: what is not bound now will be next time.
    private func bind(_ data: Data, for club: ClubSettings) async {
        guard let lock = try? await SignInLock.acquire(registry.paths) else { return }
        defer { lock.release() }
        guard let place = registry.secretPlace(of: club),
            await readAsItIs(club, from: place) == data
        else { return }
        _ = try? await write(data, for: club, to: place)
    }
}

extension ClubSettings.Place {
    /// Where a secret may go: the server, whose it is there, and what the server is known by. The folder does
    /// not matter.
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
