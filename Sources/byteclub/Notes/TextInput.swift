import ClubAccess
import ClubStore
import FoundationEssentials
import Glibc
import ByteClubMessages

/// A note's text from standard input.
enum TextInput {
    /// What the screen can open.
    static let byteLimit = Int(RemoteFile.fetchLimit)
    static let limitSentence = localized("A note can be \(byteLimit >> 20) MiB at most.")

    /// Whether input is piped or redirected: not a terminal, nor `/dev/null`.
    static var isPiped: Bool {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFCHR
    }

    /// `-` is the only valid value.
    static func check(_ source: String?, command: String) -> String? {
        guard let source, source != "-" else { return nil }
        return localized(
            "The text of a note comes from standard input: byteclub notes \(command) NAME -")
    }

    /// Reads standard input to its end.
    ///
    /// - Throws: `CommandFailure` if it cannot be read or is too large for a note.
    static func read() throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if count == 0 { return data }
            if count < 0 {
                if errno == EINTR { continue }
                let reason = String(cString: strerror(errno))
                throw CommandFailure(
                    localized("Standard input could not be read: \(reason). Nothing was written."))
            }
            data.append(contentsOf: buffer[..<count])
            guard data.count <= byteLimit else {
                throw CommandFailure(Self.limitSentence + localized(" Nothing was written."))
            }
        }
    }
}
