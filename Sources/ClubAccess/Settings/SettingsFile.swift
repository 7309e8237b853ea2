internal import ByteClubFiles
package import FoundationEssentials
internal import ByteClubMessages

/// `config.yml`: read as the user wrote it, and changed line by line.
package struct SettingsFile: Sendable {
    package let url: URL
    /// Locked while the file is changed.
    private let lock: URL

    package init(paths: Paths) {
        url = paths.configurationFolder.appending(path: "config.yml")
        lock = paths.stateFolder.appending(path: "config.lock")
    }

    private var file: AtomicFile { AtomicFile(url: url, mode: 0o644) }

    /// Never fails: an unreadable file is a problem of its first line.
    package func read() -> Settings {
        do throws(SettingsError) {
            return Settings(reading: try text())
        } catch {
            var settings = Settings()
            settings.report(1, error.description)
            settings.hideClubs()
            return settings
        }
    }

    /// Why clubs cannot be changed now; nil when they can.
    package func refusalToChange() -> SettingsError? {
        do throws(SettingsError) {
            let text = try text()
            try check(Settings(reading: text))
            do throws(AtomicFile.Failure) {
                try file.checkWritable()
            } catch {
                throw SettingsError(notWriting: url, error)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Writes a club, in place of the one with its name. Everything else stays byte for byte.
    package func set(_ club: ClubSettings) throws(SettingsError) {
        try edit { old, settings throws(SettingsError) in
            // Regardless of notation.
            if settings.clubs.contains(club),
                settings.clubs.count(where: { $0.name == club.name }) == 1
            {
                return old
            }
            guard let new = ClubSection(old).setting(club) else {
                throw .notEditable(
                    path: url.path, lines: ["clubs:"] + ClubSection.lines(of: club, indent: 2))
            }
            return new
        }
    }

    /// Writes one value, without changing other lines.
    ///
    /// - Parameters:
    ///   - value: Nil for the default.
    ///   - path: A setting, or a section and its setting.
    package func set(_ value: String?, at path: [String]) throws(SettingsError) {
        try edit { old, _ throws(SettingsError) in
            guard let new = ValueEdit(old).setting(value, at: path) else {
                let name = path.joined(separator: ": ")
                throw .notEditable(path: url.path, lines: ["\(name): \(value ?? "")"])
            }
            return new
        }
    }

    /// Applies a change to the file's text.
    private func edit(
        _ change: (String, Settings) throws(SettingsError) -> String
    ) throws(SettingsError) {
        let held: FileLock
        do throws(AtomicFile.Failure) {
            held = try FileLock.hold(lock)
        } catch {
            throw SettingsError(notWriting: lock, error)
        }
        // Two clubs saved at the same moment must both be in the file.
        defer { held.release() }
        let old = try text()
        let settings = Settings(reading: old)
        try check(settings)
        let new = try change(old, settings)
        if new != old { try write(new) }
    }

    /// Creates the file's folder for an editor, which reports any failure.
    package func makeFolder() {
        try? FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    private func check(_ settings: Settings) throws(SettingsError) {
        if settings.isNewer { throw .newer(path: url.path) }
        if let problem = settings.unreadable {
            throw .broken(path: url.path, problem: problem.description)
        }
    }

    func text() throws(SettingsError) -> String {
        let data: Data?
        do throws(AtomicFile.Failure) {
            data = try file.read()
        } catch {
            throw .unreadable(path: url.path, reason: error.reason)
        }
        guard let data else { return "" }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw .unreadable(path: url.path, reason: localized("it is not a text in UTF-8"))
        }
        return text
    }

    private func write(_ text: String) throws(SettingsError) {
        do throws(AtomicFile.Failure) {
            try file.write(Data(text.utf8))
        } catch {
            throw SettingsError(notWriting: url, error)
        }
    }
}

/// Why the settings could not be changed, as a sentence. Nothing was changed.
package enum SettingsError: Error, Hashable, CustomStringConvertible {
    case unreadable(path: String, reason: String)
    case unwritable(path: String, reason: String)
    /// A folder of Byte Club is not writable.
    case closedFolder(path: String, reason: String)
    case broken(path: String, problem: String)
    case newer(path: String)
    /// The clubs, or a section, are written in a form that cannot be edited line by line.
    case notEditable(path: String, lines: [String])

    package var description: String {
        switch self {
        case .unreadable(let path, let reason):
            localized("The settings in \(path) cannot be read: \(reason).")
        case .unwritable(let path, let reason):
            localized("The settings in \(path) cannot be written: \(reason).")
        case .closedFolder(let path, let reason):
            localized(
                "Nothing can be written in the folder \(path): \(reason). Check whose it is and who may write "
                    + "there, or have XDG_CONFIG_HOME and XDG_STATE_HOME name other places.")
        case .broken(let path, let problem):
            localized("The settings in \(path) must be fixed first. In \(problem)")
        case .newer(let path):
            localized(
                "The settings in \(path) were written for a newer Byte Club. Update this one to change them."
            )
        case .notEditable(let path, let lines):
            lines.first?.hasPrefix("clubs") == true
                ? localized(
                    "The clubs in \(path) are written in a way that Byte Club cannot edit. Add this "
                        + "there by hand, and sign in again:\n"
                )
                    + lines.joined(separator: "\n")
                : localized(
                    "\(path) is written in a way that Byte Club cannot edit. Add this there by hand:\n"
                )
                    + lines.joined(separator: "\n")
        }
    }
}

extension SettingsError {
    /// Why a file could not be written, or its folder.
    init(notWriting file: URL, _ failure: AtomicFile.Failure) {
        self =
            failure.folder.map { .closedFolder(path: $0, reason: failure.reason) }
            ?? .unwritable(path: file.path, reason: failure.reason)
    }
}
