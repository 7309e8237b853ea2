import Foundation
import TestSupport

/// From a key to its character on the screen, in a note of forty lines at 160×50.
struct KeyLatency {
    let name: String
    var times = Sample()
    var bytes = Sample()

    /// Types a letter and takes it back, again and again, with pauses like a person's.
    ///
    /// - Returns: nil when the program did not show what was typed.
    init?(of contestant: Contestant, count: Int) throws {
        name = contestant.name
        let session = try BenchSession(contestant.program)
        defer { session.close() }
        contestant.open(session)
        session.settle()
        let place = session.emulator.cursor
        let letters = Array("etaoinshrdlu")
        for number in 0..<count + 10 {
            session.settle(quiet: .milliseconds(12 + number % 7), atMost: .milliseconds(300))
            let before = session.receivedByteCount
            let letter = letters[number % letters.count]
            guard let time = session.timeToShow(letter, at: place) else { return nil }
            session.settle(quiet: .milliseconds(8), atMost: .milliseconds(100))
            // The first keys find caches cold everywhere.
            if number >= 10 {
                times.add(time)
                bytes.values.append(Double(session.receivedByteCount - before))
            }
            session.send(TerminalKey.backspace.bytes())
            let isBack = session.wait { emulator in
                emulator.cell(row: place.row, column: place.column).text == " "
                    && emulator.cursor == place
            }
            guard isBack != nil else { return nil }
        }
    }

    static func table(_ title: String, _ results: [KeyLatency]) -> Table {
        var table = Table(
            title, ["program", "p50 ms", "p99 ms", "largest ms", "bytes a key", "p50 to ours"])
        let ours = results.first?.times.median ?? .nan
        for result in results {
            table.add(
                result.name, result.times.median.short, result.times.quantile(0.99).short,
                result.times.largest.short, result.bytes.median.short,
                result.times.median.ratio(to: ours))
        }
        return table
    }
}

/// A gigabyte on its way into the same club, again and again, sent by curl.
final class GigabyteUpload {
    private let curl = Process()
    private let file: URL

    init(into home: ClubHome) throws {
        file = home.work.appending(path: "gigabyte")
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 1 << 30)
        try handle.close()
        guard let socket = home.socket,
            let token = home.names(in: home.runtime).first(where: { $0.hasSuffix(".token") }),
            let bearer = try? String(
                contentsOf: home.runtime.appending(path: token), encoding: .utf8)
        else { throw CocoaError(.fileNoSuchFile) }
        // The way of large files in the API: a session, its bytes, and no end: nothing is kept.
        let script = """
            call() { curl --silent --unix-socket "$SOCKET" --header "Authorization: Bearer $TOKEN" \
                --header "Content-Type: application/octet-stream" "$@"; }
            while :; do
                id=$(call --header 'Dropbox-API-Arg: {"close":false}' --data-binary '' \
                    http://localhost/2/files/upload_session/start |
                    sed 's/.*"session_id" *: *"\\([^"]*\\)".*/\\1/')
                call --output /dev/null --header \
                    "Dropbox-API-Arg: {\\"cursor\\":{\\"session_id\\":\\"$id\\",\\"offset\\":0},\\"close\\":false}" \
                    --request POST --upload-file "$FILE" http://localhost/2/files/upload_session/append_v2
                echo >> "$FILE.count"
            done
            """
        curl.executableURL = URL(filePath: "/bin/sh")
        curl.arguments = ["-c", script]
        curl.environment = home.environment(more: [
            "SOCKET": socket, "TOKEN": bearer.trimmingCharacters(in: .whitespacesAndNewlines),
            "FILE": file.path,
        ])
        curl.standardOutput = FileHandle.nullDevice
        curl.standardError = FileHandle.nullDevice
        try curl.run()
    }

    /// How many gigabytes have arrived whole.
    var count: Int {
        (try? Data(contentsOf: file.appendingPathExtension("count")).count) ?? 0
    }

    func stop(in home: ClubHome) {
        curl.terminate()
        for process in home.processes
        where ProcessTable.arguments(of: process).first?.hasSuffix("curl") == true {
            kill(process, SIGKILL)
        }
        curl.waitUntilExit()
    }
}
