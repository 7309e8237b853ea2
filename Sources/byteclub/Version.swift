import CByteClubVersion
import ClubLibrary
import ClubStore
import ByteClubPictures
import TerminalUI

/// What `--version` says.
enum Version {
    /// The program and its commit, in one line.
    static var line: String {
        let commit = String(cString: byteclub_commit())
        return "byteclub \(BYTECLUB_VERSION)" + (commit.isEmpty ? "" : " (commit \(commit))")
    }

    /// The libraries it runs on, a line each: asked only when a person asks, never at a start.
    static var libraries: [String] {
        // Of libcurl's parts only its TLS library concerns a person.
        let network = NetworkLibrary.version.split(separator: " ").prefix(2)
        return network.map { String($0.map { $0 == "/" ? " " : $0 }) }
            + [TerminalFacts.libraryVersion, DatabaseEngine.version, JPEGLibrary.version]
    }
}
