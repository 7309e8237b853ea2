import ByteClub
import ClubAccess
import ClubStore
import FoundationEssentials
import Glibc
import Messages

/// A note's text from standard input.
enum TextInput {
    /// A note has no more: what the screen can open.
    static let byteLimit = Int(RemoteFile.fetchLimit)
    static let limitSentence = localized("A note may have \(byteLimit >> 20) MiB at most.")

    /// Whether something is piped or redirected into the program: a terminal is not, nor is `/dev/null`.
    static var isPiped: Bool {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFCHR
    }

    /// What `-` is for: only that, or nothing.
    static func check(_ source: String?, command: String) -> String? {
        guard let source, source != "-" else { return nil }
        return localized(
            "The text of a note comes from standard input: byteclub notes \(command) NAME -")
    }

    /// Everything on standard input.
    ///
    /// - Throws: `CommandFailure` when it cannot be read or is more than a note may have.
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
