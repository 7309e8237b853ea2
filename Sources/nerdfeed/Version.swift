import CByteClubVersion
import CurlNetworking
import TerminalUI
import WebText

/// The output of `--version`.
enum Version {
    static var line: String {
        let commit = String(cString: byteclub_commit())
        return "nerdfeed \(BYTECLUB_VERSION)" + (commit.isEmpty ? "" : " (commit \(commit))")
    }

    /// The libraries it uses, one per line.
    static var libraries: [String] {
        let network = TransferLibrary.version.split(separator: " ").prefix(2)
        return network.map { String($0.map { $0 == "/" ? " " : $0 }) }
            + [TerminalFacts.libraryVersion, HTMLLibrary.version]
    }
}
