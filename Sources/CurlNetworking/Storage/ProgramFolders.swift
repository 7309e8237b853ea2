import FoundationEssentials
import CurlNetworkingPlatform

/// The folders of a program, according to the XDG Base Directory Specification.
enum ProgramFolders {
    /// `~/.local/share/<program>`; nil without a home folder.
    static var data: String? { dataHome.map { $0 + "/" + programName } }

    /// `~/.cache/<program>`.
    static var cache: String? {
        home("XDG_CACHE_HOME", else: "/.cache").map { $0 + "/" + programName }
    }

    static var dataHome: String? { home("XDG_DATA_HOME", else: "/.local/share") }

    /// Relative paths in the variables are ignored, as the specification requires.
    private static func home(_ variable: String, else folder: String) -> String? {
        if let path = value(of: variable), path.hasPrefix("/") { return path }
        guard let path = value(of: "HOME"), path.hasPrefix("/") else { return nil }
        return path + folder
    }

    private static func value(of variable: String) -> String? {
        getenv(variable).map { String(cString: $0) }
    }

    private static var programName: String {
        let path = CommandLine.arguments.first ?? ""
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return name.isEmpty || name == "." || name == ".." ? "CurlNetworking" : name
    }
}
