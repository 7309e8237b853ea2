import Foundation
import Synchronization

/// What four decent clients saw: how long each request took, and what was not answered.
struct Experience {
    var milliseconds: [Double] = []
    /// Told to come again (503); it came again, and the time of both is counted.
    var busyCount = 0
    /// No answer, or a wrong one.
    var failureCount = 0

    mutating func add(_ other: Experience) {
        milliseconds += other.milliseconds
        busyCount += other.busyCount
        failureCount += other.failureCount
    }

    func percentile(_ part: Double) -> Double {
        let sorted = milliseconds.sorted()
        guard let last = sorted.indices.last else { return .nan }
        return sorted[Int((Double(last) * part).rounded())]
    }
}

enum HonestClients {
    /// Four clients: writes, reads and lists, half on a connection that is kept, half on a new one each.
    static func work(
        on port: UInt16, token: String, seconds: Double
    ) -> Experience {
        let all = Everything()
        let group = DispatchGroup()
        for client in 0..<4 {
            group.enter()
            // A thread each: Dispatch would run as many at a time as there are processors.
            Thread.detachNewThread {
                let experience = Self.work(on: port, token, client, seconds)
                all.experience.withLock { $0.add(experience) }
                group.leave()
            }
        }
        group.wait()
        return all.experience.withLock { $0 }
    }

    private final class Everything: Sendable {
        let experience = Mutex(Experience())
    }

    private static func work(
        on port: UInt16, _ token: String, _ client: Int, _ seconds: Double
    ) -> Experience {
        var experience = Experience()
        var kept: BenchConnection?
        let end = ContinuousClock.now + .seconds(seconds)
        var round = 0
        while .now < end {
            round += 1
            let request = Self.request(round, client, token)
            let begin = ContinuousClock.now
            var status = 0
            for attempt in 0..<20 {
                do {
                    let connection: BenchConnection
                    if client < 2, attempt == 0, let kept {
                        connection = kept
                    } else {
                        connection = try BenchConnection(port: port)
                    }
                    kept = client < 2 ? connection : nil
                    status = try connection.exchange(request)
                } catch {
                    kept = nil
                    status = 0
                }
                if status != 503 && status != 0 { break }
                if status == 503 { experience.busyCount += 1 }
                kept = nil
            }
            if status == 200 {
                experience.milliseconds.append((.now - begin) / .milliseconds(1))
            } else {
                experience.failureCount += 1
            }
            usleep(2_000)
        }
        return experience
    }

    private static func request(_ round: Int, _ client: Int, _ token: String) -> [UInt8] {
        let common = "HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
        let note = "{\"path\":\"/note-\(client).txt\""
        switch round % 3 {
        case 1:
            let text = String(repeating: "words ", count: 170)
            return Array(
                ("POST /2/files/upload \(common)Content-Type: application/octet-stream\r\n"
                    + "Dropbox-API-Arg: \(note),\"mode\":\"overwrite\"}\r\n"
                    + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)").utf8)
        case 2:
            return Array(
                "POST /2/files/download \(common)Dropbox-API-Arg: \(note)}\r\n\r\n".utf8)
        default:
            let body = "{\"path\":\"\"}"
            return Array(
                ("POST /2/files/list_folder \(common)Content-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8)
        }
    }
}
