internal import FoundationEssentials

/// The part of a keyring that is one profile's: a person has one keyring, and may have several homes for
/// Byte Club's state (`XDG_STATE_HOME`), each with a club of the same name.
///
/// Older versions kept a secret under the club's name alone. It is found there still, and moves with the
/// first write.
struct ProfileKeyring: Sendable {
    let keyring: any SecretKeeper
    /// What tells the profile from others: the folder of its state.
    let profile: String

    /// A club's name has no blank in it.
    private func account(of club: String) -> String { "\(club) \(profile)" }

    func read(_ club: String) async throws(SecretError) -> Data? {
        if let secret = try await keyring.read(account(of: club)) { return secret }
        return try await keyring.read(club)
    }

    func write(_ secret: Data, account club: String, label: String) async throws(SecretError) {
        let isFirst = try await keyring.read(account(of: club)) == nil
        try await keyring.write(secret, account: account(of: club), label: label)
        // What is not used any more must not stay.
        if isFirst { try? await keyring.remove(club) }
    }

    func remove(_ club: String) async throws(SecretError) {
        let isHere = try await keyring.read(account(of: club)) != nil
        try await keyring.remove(isHere ? account(of: club) : club)
    }
}
