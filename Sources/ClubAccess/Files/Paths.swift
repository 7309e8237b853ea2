public import FoundationEssentials
import Glibc

/// The paths of Byte Club's files: a folder `byteclub` in each XDG base directory.
///
/// Source: XDG Base Directory Specification 0.8. Relative paths in its variables count as unset, as
/// it requires. Nothing is created here.
public struct Paths: Hashable, Sendable {
    /// Settings: `$XDG_CONFIG_HOME/byteclub`, else `~/.config/byteclub`.
    public let configurationFolder: URL

    /// The user's data: `$XDG_DATA_HOME/byteclub`, else `~/.local/share/byteclub`.
    public let dataFolder: URL

    /// State that survives a restart, such as drafts and logs: `$XDG_STATE_HOME/byteclub`, else
    /// `~/.local/state/byteclub`.
    public let stateFolder: URL

    /// What can be regenerated: `$XDG_CACHE_HOME/byteclub`, else `~/.cache/byteclub`.
    public let cacheFolder: URL

    /// The embedded club's folder.
    public var clubFolder: URL { dataFolder.appending(path: "club") }

    /// Texts that were not sent yet.
    public var drafts: URL { stateFolder.appending(path: "drafts") }

    /// Unconfirmed writes to the embedded club.
    var embeddedUnconfirmedWrites: URL { stateFolder.appending(path: "clubs/embedded/unsettled") }

    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let home =
            Self.absolute(environment["HOME"]) ?? Self.homeInPasswordFile ?? "/"
        func folder(_ variable: String, _ standard: String) -> URL {
            let base = Self.absolute(environment[variable]) ?? "\(home)/\(standard)"
            return URL(filePath: base, directoryHint: .isDirectory).appending(path: "byteclub")
        }
        configurationFolder = folder("XDG_CONFIG_HOME", ".config")
        dataFolder = folder("XDG_DATA_HOME", ".local/share")
        stateFolder = folder("XDG_STATE_HOME", ".local/state")
        cacheFolder = folder("XDG_CACHE_HOME", ".cache")
    }

    private static func absolute(_ path: String?) -> String? {
        guard let path, path.hasPrefix("/") else { return nil }
        return path
    }

    private static var homeInPasswordFile: String? {
        guard let entry = getpwuid(getuid()), let folder = entry.pointee.pw_dir else { return nil }
        return absolute(String(cString: folder))
    }
}
