public import FoundationEssentials
import Glibc

/// Where Byte Club keeps its files: a folder `byteclub` in each of the folders that XDG names.
///
/// Source: XDG Base Directory Specification 0.8. Relative paths in its variables count as
/// not set, as it demands. Nothing is created here.
public struct Paths: Hashable, Sendable {
    /// Settings: `$XDG_CONFIG_HOME/byteclub`, else `~/.config/byteclub`.
    public let configurationFolder: URL

    /// What is the person's own: `$XDG_DATA_HOME/byteclub`, else `~/.local/share/byteclub`.
    public let dataFolder: URL

    /// What should outlive a restart, drafts and logs: `$XDG_STATE_HOME/byteclub`, else
    /// `~/.local/state/byteclub`.
    public let stateFolder: URL

    /// What can be made again: `$XDG_CACHE_HOME/byteclub`, else `~/.cache/byteclub`.
    public let cacheFolder: URL

    /// The folder that the embedded club is made of.
    public var clubFolder: URL { dataFolder.appending(path: "club") }

    /// What was written and not yet sent.
    public var drafts: URL { stateFolder.appending(path: "drafts") }

    /// What was sent to the embedded club and is not known to have arrived.
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
