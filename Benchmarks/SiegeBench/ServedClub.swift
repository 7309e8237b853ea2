import Foundation

/// `byteclub serve` on a port, in a home of its own.
final class ServedClub {
    let port: UInt16
    let token: String
    private let process = Process()
    private let home: URL

    struct NotStarted: Error {}

    init(program: String) throws {
        home = FileManager.default.temporaryDirectory
            .appending(path: "byteclub-siege-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(
            at: home.appending(path: "run"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = ["serve", "--listen", "127.0.0.1:0"]
        process.environment = [
            "HOME": home.path, "XDG_RUNTIME_DIR": home.appending(path: "run").path,
            "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
        ]
        process.standardOutput = output
        try process.run()
        var text = ""
        while text.components(separatedBy: "\n").count < 3 {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw NotStarted() }
            text += String(decoding: data, as: UTF8.self)
        }
        guard let port = text.firstMatch(of: /127\.0\.0\.1:([0-9]+)/).flatMap({ UInt16($0.1) }),
            let path = text.firstMatch(of: /token is in (.+\.token)/)?.1
        else { throw NotStarted() }
        self.port = port
        token = try String(contentsOfFile: String(path), encoding: .utf8)
            .trimmingCharacters(in: .newlines)
    }

    /// A line of /proc/PID/status in MB.
    func megabytes(_ name: String) -> Double {
        let status = try? String(
            contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return (line?.split(separator: " ").compactMap { Double($0) }.first ?? .nan) / 1024
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: home)
    }
}
