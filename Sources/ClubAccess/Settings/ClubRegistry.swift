internal import ByteClubFiles
package import FoundationEssentials
internal import ByteClubMessages

/// The clubs in the settings, and this computer's state for them.
///
/// The clubs are defined in `config.yml`, which belongs to the user. Which club was opened last, and where
/// its secrets are stored, is the program's state: `clubs.json` in the state folder.
package struct ClubRegistry: Sendable {
    package let paths: Paths

    package init(paths: Paths = Paths()) {
        self.paths = paths
    }

    package var settingsFile: SettingsFile { SettingsFile(paths: paths) }
    private var memoryFile: AtomicFile {
        AtomicFile(url: paths.stateFolder.appending(path: "clubs.json"))
    }

    /// The user's settings, as currently in `config.yml`.
    package func settings() -> Settings { settingsFile.read() }

    /// All clubs, the embedded one first, with the problems in the settings.
    package func read() -> (clubs: [ClubSettings], problems: [Settings.Problem]) {
        let settings = settings()
        return ([.embedded] + settings.clubs, settings.problems)
    }

    /// The list that the screen shows.
    package func list() -> ClubList {
        let secrets = (try? memory())?.secrets ?? [:]
        return ClubList(
            clubs: read().clubs,
            signedIn: Set(secrets.filter { SecretPlace(rawValue: $0.value) != nil }.keys),
            refusalToChange: refusalToChange())
    }

    /// Why no club could be saved now; nil when that is possible.
    package func refusalToChange() -> SettingsError? {
        if let error = settingsFile.refusalToChange() { return error }
        do throws(AtomicFile.Failure) {
            try AtomicFile.checkFolder(paths.stateFolder)
            return nil
        } catch {
            return SettingsError(notWriting: memoryFile.url, error)
        }
    }

    /// The club with this name; without a name, the one opened last.
    package func club(named name: String?) throws(ClubChoiceError) -> ClubSettings {
        let settings = settings()
        let clubs = [.embedded] + settings.clubs
        guard let name else {
            let memory: Memory
            do throws(SettingsError) {
                memory = try self.memory()
            } catch {
                throw .forgotten(error.description)
            }
            guard let current = memory.current else { return .embedded }
            if let club = Self.find(current, in: clubs) { return club }
            guard let problem = settings.problem(hiding: current) else { throw .gone(current) }
            throw .unreadable(
                current, problem: "\(settingsFile.url.path), \(problem.description)")
        }
        guard let club = Self.find(name, in: clubs) else {
            throw .unknown(name, known: clubs.map(\.name))
        }
        return club
    }

    private static func find(_ name: String, in clubs: [ClubSettings]) -> ClubSettings? {
        if ClubSettings.embeddedNames.contains(name.lowercased()) { return .embedded }
        return clubs.first { $0.name == name }
            ?? clubs.first { $0.name.lowercased() == name.lowercased() }
    }

    /// The working folder for copying one club into another, so that it can be resumed.
    package func copyFolder(from source: ClubSettings, to destination: ClubSettings) -> URL {
        paths.stateFolder.appending(
            path: "copies/\(identity(of: source)) to \(identity(of: destination))")
    }

    package enum CopyStart {
        case begun
        /// Another program is copying now.
        case busy
    }

    /// Locks the copying between two clubs until this process ends.
    package func beginCopy(
        from source: ClubSettings, to destination: ClubSettings
    ) throws(SettingsError) -> CopyStart {
        let lock = copyFolder(from: source, to: destination).appending(path: "lock")
        do throws(AtomicFile.Failure) {
            let held = try FileLock(lock)
            // Without file locks, avoiding two copies at once is up to the user.
            if held.attempt() != .busy { return .begun }
            held.release()
            return .busy
        } catch {
            throw SettingsError(notWriting: lock, error)
        }
    }

    // MARK: - Memory

    /// The program's state between runs.
    private struct Memory: Codable, Hashable {
        /// The name of the club opened last; nil for the embedded one.
        var current: String?
        /// Where each club's secrets are; a newer program may use places unknown to this one.
        var secrets: [String: String] = [:]
        /// Dropbox's account identifier of the sign-in to each club.
        var accounts: [String: String] = [:]

        init() {}

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            current = try values.decodeIfPresent(String.self, forKey: .current)
            secrets = try values.decodeIfPresent([String: String].self, forKey: .secrets) ?? [:]
            accounts = try values.decodeIfPresent([String: String].self, forKey: .accounts) ?? [:]
        }
    }

    /// - Throws: `.unreadable`. An unreadable file must not be treated as empty and overwritten.
    private func memory() throws(SettingsError) -> Memory {
        let file = memoryFile
        let data: Data?
        do throws(AtomicFile.Failure) {
            data = try file.read()
        } catch {
            throw .unreadable(path: file.url.path, reason: error.reason)
        }
        guard let data else { return Memory() }
        guard let memory = try? JSONDecoder().decode(Memory.self, from: data) else {
            throw .unreadable(
                path: file.url.path,
                reason: localized("it is damaged. Move it away, and sign in to your clubs again"))
        }
        return memory
    }

    /// Why the state cannot be read; nil when it can.
    package var memoryProblem: String? {
        do throws(SettingsError) {
            _ = try memory()
            return nil
        } catch {
            return error.description
        }
    }

    /// Where a club's secrets are; nil when signed out, and while that is unknown.
    package func secretPlace(of club: ClubSettings) -> SecretPlace? {
        (try? memory())?.secrets[club.name].flatMap(SecretPlace.init)
    }

    /// Makes a club the one to open next time.
    package func makeCurrent(_ club: ClubSettings) throws(SettingsError) {
        try change { $0.current = club.place == .embedded ? nil : club.name }
    }

    package func remember(
        secretsOf club: ClubSettings, in place: SecretPlace?
    ) throws(SettingsError) {
        try change { $0.secrets[club.name] = place?.rawValue }
    }

    /// Stores which account is signed in to a club; its drafts are that account's from now on. Nil for
    /// none that is known.
    package func remember(account: String?, of club: ClubSettings) throws(SettingsError) {
        try change { $0.accounts[club.name] = account }
    }

    func account(of club: ClubSettings) -> String? {
        (try? memory())?.accounts[club.name]
    }

    /// After signing out, the embedded club is next, unless another was chosen in the meantime.
    package func forget(_ club: ClubSettings) throws(SettingsError) {
        try change { memory in
            memory.secrets[club.name] = nil
            if memory.current == club.name { memory.current = nil }
        }
    }

    /// Locked: two programs that sign in at once must not undo each other's change.
    private func change(_ body: (inout Memory) -> Void) throws(SettingsError) {
        let file = memoryFile
        let lock: FileLock
        do throws(AtomicFile.Failure) {
            lock = try FileLock.hold(URL(filePath: file.url.path + ".lock"))
        } catch {
            throw SettingsError(notWriting: file.url, error)
        }
        defer { lock.release() }
        let old = try memory()
        var new = old
        body(&new)
        guard new != old else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let data = try? encoder.encode(new) else { return }
        do throws(AtomicFile.Failure) {
            try file.write(data)
        } catch {
            throw SettingsError(notWriting: file.url, error)
        }
    }
}

/// Why no club could be chosen.
package enum ClubChoiceError: Error, Hashable, CustomStringConvertible {
    case unknown(String, known: [String])
    /// The club opened last is no longer in the settings.
    case gone(String)
    /// The club opened last may be in a part of the settings that cannot be read.
    case unreadable(String, problem: String)
    /// Which club was opened last is unknown; with the reason.
    case forgotten(String)

    package var description: String {
        switch self {
        case .unknown(let name, let known):
            localized(
                "There is no club “\(name)”. The clubs are: \(known.joined(separator: ", ")).")
        case .gone(let name):
            localized(
                "The club “\(name)”, which was opened last, is not in config.yml any more. Choose another "
                    + "one with --club NAME, or go back to the one on this computer: byteclub login club."
            )
        case .unreadable(let name, let problem):
            localized(
                "The club “\(name)”, which was opened last, cannot be found in the settings as they are: "
                    + "\(problem) Fix that line, choose another club with --club NAME, or go back to the one on "
                    + "this computer: byteclub login club.")
        case .forgotten(let reason):
            localized(
                "The club opened last is unknown. \(reason) Choose one with --club NAME.")
        }
    }
}
