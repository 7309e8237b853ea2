import Foundation
import Synchronization
import TestSupport

/// Looks for secrets, in all the forms in which they travel, wherever they have no business to be.
final class SecretHunt: Sendable {
    private let home: ClubHome
    /// Below the home: the one file that may have it.
    private let keptIn: String
    private let forms: [String]
    private let found = Mutex<Set<String>>([])

    /// - Parameter secrets: In their plain form.
    init(_ secrets: [String], in home: ClubHome, keptIn file: String) {
        self.home = home
        keptIn = file
        forms = secrets.flatMap(Self.forms)
    }

    /// A password, as the ways of signing in write it.
    ///
    /// - Parameter digest: What Digest makes of it, where the server has it so (HA1 of RFC 7616).
    static func password(_ password: String, of user: String, digest: String? = nil) -> [String] {
        [password, "\(user):\(password)"] + (digest.map { [$0] } ?? [])
    }

    private static func forms(of secret: String) -> [String] {
        let escaped = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret
        let base64 = Data(secret.utf8).base64EncodedString()
        return [
            secret, escaped, secret.replacing(" ", with: "%20"), secret.replacing(" ", with: "+"),
            // Without the end, which depends on what follows.
            String(base64.prefix(secret.utf8.count / 3 * 4)),
            Data(secret.utf8).map { String(format: "%02x", $0) }.joined(),
        ]
    }

    /// Looks at a text: what was said, or shown, or asked for.
    func look(at text: String, of place: String) {
        for form in forms where text.range(of: form, options: .caseInsensitive) != nil {
            found.withLock { _ = $0.insert("\(place): \(form)") }
        }
    }

    func look(at output: Command.Output, of place: String) {
        look(at: output.text + output.errorText, of: place)
    }

    /// Looks at the command lines and the environments of all that runs in the home.
    func lookAtProcesses() {
        for process in home.processes {
            look(at: ProcessTable.arguments(of: process).joined(separator: " "), of: "arguments")
            let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ")
            look(at: String(decoding: environment ?? Data(), as: UTF8.self), of: "environment")
        }
    }

    /// Runs a command to its end and looks at its command line all the while.
    func run(_ arguments: [String], input: String = "") async throws -> Command.Output {
        let watching = Task {
            while !Task.isCancelled {
                lookAtProcesses()
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
        defer { watching.cancel() }
        let output = try await Command(
            ClubHome.program, arguments, environment: home.environment(),
            directory: home.work.path, input: Data(input.utf8)
        ).run()
        look(at: output, of: "output")
        return output
    }

    /// Looks at every file of the home: settings, logs, journals, drafts, caches.
    ///
    /// - Returns: Their paths.
    @discardableResult
    func lookAtFiles() -> [String] {
        let all = FileManager.default.enumerator(atPath: home.folder.path)?
            .compactMap { $0 as? String }
        let files = (all ?? []).filter { !$0.hasSuffix(keptIn) }
        for file in files {
            look(at: file, of: "a file's name")
            let path = home.folder.appending(path: file).path
            // A socket or a pipe must not be waited for.
            guard let type = try? FileManager.default.attributesOfItem(atPath: path)[.type],
                type as? FileAttributeType == .typeRegular,
                let data = FileManager.default.contents(atPath: path)
            else { continue }
            look(at: String(decoding: data, as: UTF8.self), of: file)
        }
        return files
    }

    /// Where something was found; empty when all is well.
    var result: Set<String> { found.withLock { $0 } }
}
