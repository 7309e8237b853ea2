internal import FoundationEssentials

/// The default folder for downloads: the desktop's folder for pictures.
///
/// Source: xdg-user-dirs, `~/.config/user-dirs.dirs`.
enum DownloadFolder {
    /// - Parameters:
    ///   - home: The user's home folder.
    ///   - read: Returns the text of a file; nil if it cannot be read.
    static func standard(
        environment: [String: String], home: String, read: (String) -> String?
    ) -> String {
        let configuration =
            environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? home + "/.config"
        let named =
            environment["XDG_PICTURES_DIR"]
            ?? read(configuration + "/user-dirs.dirs").flatMap(folder(in:))
        guard let named else { return home + "/Pictures" }
        let path = named.hasPrefix("$HOME") ? home + named.dropFirst(5) : named
        return path.hasPrefix("/") ? path : home + "/Pictures"
    }

    /// `XDG_PICTURES_DIR="$HOME/Bilder"`.
    private static func folder(in text: String) -> String? {
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.drop { $0 == " " || $0 == "\t" }
            guard line.hasPrefix("XDG_PICTURES_DIR=") else { continue }
            let value = line.dropFirst("XDG_PICTURES_DIR=".count).filter { $0 != "\"" }
            return value.isEmpty ? nil : String(value)
        }
        return nil
    }

    @concurrent static func standard() async -> String {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"] ?? "/"
        return standard(environment: environment, home: home) {
            try? String(contentsOfFile: $0, encoding: .utf8)
        }
    }
}
