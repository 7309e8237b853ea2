import Foundation
import Synchronization
import TestSupport

/// How long a note takes to be put and listed while the same club's server has heavy photos to show.
///
/// The program is the one beside this one; without it nothing is said.
func measureNotesBesidePhotos(_ scene: Scene) throws {
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "byteclub")
    guard FileManager.default.isExecutableFile(atPath: program.path) else { return }
    let club = scene.folder.appending(path: "club")
    let photos = club.appending(path: "photos")
    try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: scene.sphere, to: photos.appending(path: "sphere.jpg"))
    try Photos.wide(isProgressive: true).write(to: photos.appending(path: "passes.jpg"))
    try Photos.claiming(width: 65_500, height: 3400, in: Photos.noise(width: 640, height: 480))
        .write(to: photos.appending(path: "huge.jpg"))
    let server = try BenchServer(program, club: club, home: scene.folder.appending(path: "home"))
    defer { server.stop() }

    let alone = try server.notes(count: 50)
    report("note put and listed, nothing else", alone.median, maximum(alone))
    let isOver = Mutex(false)
    let asked = Mutex(0)
    for name in ["sphere.jpg", "passes.jpg", "huge.jpg"] {
        Thread.detachNewThread {
            // Another size each time: one that is kept costs nothing.
            for size in ["w64h64", "w128h128", "w256h256", "w480h320", "w640h480", "w960h640"]
            where !isOver.withLock(\.self) {
                asked.withLock { $0 += 1 }
                _ = try? server.thumbnail(of: name, size: size)
            }
        }
    }
    while asked.withLock(\.self) < 3 { Thread.sleep(forTimeInterval: 0.001) }
    let beside = try server.notes(count: 50)
    isOver.withLock { $0 = true }
    report("  beside photos that take seconds", beside.median, maximum(beside) + "; limit +100")
}

private func maximum(_ times: [Double]) -> String {
    String(format: "at most %.1f", times.max() ?? 0)
}

extension [Double] {
    fileprivate var median: Double { sorted()[count / 2] }
}

/// `byteclub serve` on a port of this computer.
private final class BenchServer: Sendable {
    private let identifier: Int32
    private let port: UInt16
    private let token: String

    init(_ program: URL, club: URL, home: URL) throws {
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        port = UInt16.random(in: 20_000..<60_000)
        let process = Process()
        process.executableURL = program
        process.arguments = ["serve", "--listen", "127.0.0.1:\(port)", "--folder", club.path]
        process.environment = ["HOME": home.path, "PATH": "/usr/bin:/bin"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        identifier = process.processIdentifier
        var text = ""
        // "Its token is in PATH. ^C stops it."
        while !text.contains("^C"), case let data = output.fileHandleForReading.availableData,
            !data.isEmpty
        {
            text += String(decoding: data, as: UTF8.self)
        }
        guard let start = text.firstRange(of: "token is in "),
            let end = text.firstRange(of: ". ^C")
        else { throw POSIXError(.ECONNREFUSED) }
        let path = String(text[start.upperBound..<end.lowerBound])
        token = try String(contentsOfFile: path, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func stop() {
        kill(identifier, SIGTERM)
        // Foundation waits for it.
        for _ in 0..<1000 where kill(identifier, 0) == 0 { Thread.sleep(forTimeInterval: 0.002) }
    }

    /// Puts a note and lists the club, so many times: how long each took, in milliseconds.
    func notes(count: Int) throws -> [Double] {
        let clock = ContinuousClock()
        return try (0..<count).map { _ in
            milliseconds(
                try clock.measure {
                    try ask(
                        "/2/files/upload", #"{"path":"/note.txt","mode":"overwrite"}"#, "a word")
                    try ask("/2/files/list_folder", nil, #"{"path":""}"#)
                })
        }
    }

    func thumbnail(of name: String, size: String) throws {
        try ask(
            "/2/files/get_thumbnail_v2",
            #"{"resource":{".tag":"path","path":"/photos/\#(name)"},"size":"\#(size)"}"#, "")
    }

    private func ask(_ path: String, _ argument: String?, _ body: String) throws {
        var text = "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        text += "Authorization: Bearer \(token)\r\nContent-Length: \(body.utf8.count)\r\n"
        text += argument.map { "Dropbox-API-Arg: \($0)\r\n" } ?? ""
        let isData = argument != nil
        text += "Content-Type: application/\(isData ? "octet-stream" : "json")\r\n\r\n\(body)"
        let answer = try LoopbackClient.exchange(Array(text.utf8), toPort: port)
        guard answer.starts(with: "HTTP/1.1 200".utf8) || path.contains("thumbnail") else {
            throw POSIXError(.EPROTO)
        }
    }
}
