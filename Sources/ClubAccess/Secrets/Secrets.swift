internal import ByteClubFiles
package import FoundationEssentials
internal import ByteClubMessages

/// Where a secret is stored.
package enum SecretPlace: String, Codable, Hashable, Sendable {
    /// The desktop's keyring.
    case keyring
    /// A private file.
    case file
}

/// Stores tokens and passwords: in the desktop's keyring if one runs, else each in its own file with mode
/// 0600.
package struct Secrets: Sendable {
    private let folder: URL
    private let keyring: ProfileKeyring?

    package init(paths: Paths, environment: [String: String] = ProcessInfo.processInfo.environment)
    {
        self.init(paths: paths, keyring: Keyring.isReachable(environment) ? Keyring.shared : nil)
    }

    init(paths: Paths, keyring: (any SecretKeeper)?) {
        folder = paths.stateFolder.appending(path: "secrets")
        self.keyring = keyring.map { ProfileKeyring(keyring: $0, profile: paths.stateFolder.path) }
    }

    private func file(of account: String) -> AtomicFile {
        AtomicFile(url: folder.appending(path: account + ".json"))
    }

    /// All files with secrets, of any club.
    package func files() -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { folder.appending(path: $0) }
    }

    /// - Returns: Nil when there is none.
    @concurrent package func read(
        _ account: String, from place: SecretPlace
    ) async throws(SecretError) -> Data? {
        ProcessSecrecy.begin()
        switch place {
        case .keyring:
            guard let keyring else { throw .noKeyring }
            return try await keyring.read(account)
        case .file:
            do throws(AtomicFile.Failure) {
                return try file(of: account).read()
            } catch {
                throw .file(path: file(of: account).url.path, reason: error.reason)
            }
        }
    }

    /// Replaces a secret.
    ///
    /// - Parameters:
    ///   - label: How the keyring's own program lists it.
    ///   - place: Where it was stored until now; nil to choose the best place.
    /// - Returns: Where it is stored.
    @concurrent package func write(
        _ secret: Data, account: String, label: String, to place: SecretPlace?
    ) async throws(SecretError) -> SecretPlace {
        ProcessSecrecy.begin()
        if place != .file, let keyring {
            do throws(SecretError) {
                try await keyring.write(secret, account: account, label: label)
                return .keyring
            } catch {
                // A locked keyring is unsuitable for a new secret: use the file.
                if place == .keyring { throw error }
            }
        }
        do throws(AtomicFile.Failure) {
            try file(of: account).write(secret)
        } catch {
            throw .file(path: file(of: account).url.path, reason: error.reason)
        }
        return .file
    }

    @concurrent package func remove(
        _ account: String, from place: SecretPlace
    ) async throws(SecretError) {
        switch place {
        case .keyring:
            guard let keyring else { throw .noKeyring }
            try await keyring.remove(account)
        case .file:
            do throws(AtomicFile.Failure) {
                try file(of: account).remove()
            } catch {
                throw .file(path: file(of: account).url.path, reason: error.reason)
            }
        }
    }
}

/// Why a secret could not be read or stored, as a sentence.
package enum SecretError: Error, Hashable, CustomStringConvertible {
    /// The keyring that stores it does not run.
    case noKeyring
    /// It is locked and was not unlocked.
    case keyringLocked
    case file(path: String, reason: String)
    /// It was stored for another server or account than the settings name now.
    case forAnother(club: String)

    package var description: String {
        switch self {
        case .noKeyring:
            localized(
                "Your sign-in is in the desktop's keyring, which cannot be reached from here. Start the "
                    + "keyring, or sign in again.")
        case .keyringLocked:
            localized(
                "Your desktop's keyring is locked, or does not answer. Unlock it and try again, or sign in again."
            )
        case .file(let path, let reason):
            localized("Your sign-in cannot be read from or stored in \(path): \(reason).")
        case .forAnother(let club):
            localized(
                "The settings name another server, account or key for “\(club)” than the one you signed in to. "
                    + "Nothing was sent there. If that is right, sign in again.")
        }
    }
}
