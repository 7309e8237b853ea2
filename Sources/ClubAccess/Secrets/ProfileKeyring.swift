internal import FoundationEssentials

/// One profile's part of a keyring: a user has one keyring, but may have several state folders for Byte Club
/// (`XDG_STATE_HOME`), each with a club of the same name.
///
/// Older versions stored a secret under the club's name alone. It is still found there, and moved by the
/// first write.
struct ProfileKeyring: Sendable {
    let keyring: any SecretKeeper
    /// Distinguishes the profile from others: the path of its state folder.
    let profile: String

    /// A club's name has no space in it.
    private func account(of club: String) -> String { "\(club) \(profile)" }

    func read(_ club: String) async throws(SecretError) -> Data? {
        if let secret = try await keyring.read(account(of: club)) { return secret }
        return try await keyring.read(club)
    }

    func write(_ secret: Data, account club: String, label: String) async throws(SecretError) {
        let isFirst = try await keyring.read(account(of: club)) == nil
        try await keyring.write(secret, account: account(of: club), label: label)
        // An unused secret must not stay.
        if isFirst { try? await keyring.remove(club) }
    }

    func remove(_ club: String) async throws(SecretError) {
        let isHere = try await keyring.read(account(of: club)) != nil
        try await keyring.remove(isHere ? account(of: club) : club)
    }
}
