package import FoundationEssentials
internal import Glibc

/// The clubs a person can open, and what this computer remembers of them.
///
/// What a club is stands in `config.yml`, which is the person's. Which one was opened last, and where
/// its secrets are kept, is the program's to remember: `clubs.json` in the folder for state.
package struct ClubBook: Sendable {
    package let paths: Paths

    package init(paths: Paths = Paths()) {
        self.paths = paths
    }

    package var settingsFile: SettingsFile { SettingsFile(paths: paths) }
    private var memoryFile: WholeFile {
        WholeFile(url: paths.stateFolder.appending(path: "clubs.json"))
    }

    /// What the person has chosen, as it stands in `config.yml` now.
    package func settings() -> Settings { settingsFile.read() }

    /// All clubs, the embedded one first, with what is wrong in the settings.
    package func read() -> (clubs: [ClubSettings], problems: [Settings.Problem]) {
        let settings = settings()
        return ([.embedded] + settings.clubs, settings.problems)
    }

    /// The club that a name means; without a name, the one opened last.
    package func club(named name: String?) throws(ClubChoiceError) -> ClubSettings {
        let clubs = read().clubs
        guard let name else {
            guard let current = memory().current else { return .embedded }
            guard let club = Self.find(current, in: clubs) else { throw .gone(current) }
            return club
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

    /// Where a club's drafts are kept. Each has its own: a text must not end up in another club.
    package func drafts(of club: ClubSettings) -> URL {
        club.place == .embedded
            ? paths.drafts : paths.stateFolder.appending(path: "clubs/\(club.name)/drafts")
    }

    /// Where the copying of one club into another keeps what is under way, so that it can go on.
    package func copyFolder(from source: ClubSettings, to destination: ClubSettings) -> URL {
        // Neither name has a blank in it, so no two pairs share a folder.
        paths.stateFolder.appending(path: "copies/\(source.name) to \(destination.name)")
    }

    // MARK: - Memory

    /// What the program remembers between runs.
    private struct Memory: Codable, Hashable {
        /// The name of the club opened last; nil for the embedded one.
        var current: String?
        /// Where the secrets of each club are.
        var secrets: [String: SecretPlace] = [:]
    }

    private func memory() -> Memory {
        guard let data = try? memoryFile.read(),
            let memory = try? JSONDecoder().decode(Memory.self, from: data)
        else { return Memory() }
        return memory
    }

    /// Where a club's secrets are; nil when nobody is signed in there.
    package func secretPlace(of club: ClubSettings) -> SecretPlace? { memory().secrets[club.name] }

    /// Remembers that a club is the one to open next time.
    package func makeCurrent(_ club: ClubSettings) throws(SettingsError) {
        try change { $0.current = club.place == .embedded ? nil : club.name }
    }

    package func remember(
        secretsOf club: ClubSettings, in place: SecretPlace?
    ) throws(SettingsError) {
        try change { $0.secrets[club.name] = place }
    }

    /// Signed out: the embedded club comes next, unless another was chosen meanwhile.
    package func forget(_ club: ClubSettings) throws(SettingsError) {
        try change { memory in
            memory.secrets[club.name] = nil
            if memory.current == club.name { memory.current = nil }
        }
    }

    /// One program at a time: two that sign in at once must not undo each other.
    private func change(_ body: (inout Memory) -> Void) throws(SettingsError) {
        let file = memoryFile
        do throws(WholeFile.Failure) {
            try FileLock.hold(beside: file.url) { () throws(WholeFile.Failure) in
                let old = memory()
                var new = old
                body(&new)
                guard new != old else { return }
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
                guard let data = try? encoder.encode(new) else { return }
                try file.write(data)
            }
        } catch {
            throw .unwritable(path: file.url.path, reason: error.reason)
        }
    }
}

/// Why no club could be chosen.
package enum ClubChoiceError: Error, Hashable, CustomStringConvertible {
    case unknown(String, known: [String])
    /// The club opened last is in the settings no more.
    case gone(String)

    package var description: String {
        switch self {
        case .unknown(let name, let known):
            "There is no club “\(name)”. There is: \(known.joined(separator: ", "))."
        case .gone(let name):
            "The club “\(name)”, which was opened last, is not in config.yml any more. Choose another "
                + "one with --club NAME, or go back to the one on this computer: byteclub login club."
        }
    }
}

/// A lock that the kernel lets go with the process.
private enum FileLock {
    static func hold(
        beside file: URL, _ body: () throws(WholeFile.Failure) -> Void
    ) throws(WholeFile.Failure) {
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(file.path + ".lock", flags, 0o600)
        guard descriptor >= 0 else { throw WholeFile.Failure(errno) }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        try body()
    }
}
