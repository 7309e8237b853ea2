// Measures the first look at a club of ten thousand entries, on a server of this program's own that
// takes no request the API's documentation does not allow. Prints a line for each figure:
//
//     swift run -c release StoreBench
//
// Times are medians of five stores that are each asked for the first time, the connection included.
import ClubStore
import Foundation
import TestSupport

let entryCount = 10_000

try await measure("Dropbox: 10,000 entries in 5 pages", in: DropboxPages(entryCount: entryCount))
try await measure("WebDAV: 10,000 entries", in: WebDAVListing(entryCount: entryCount))

/// A server with a large club, and the stores that look at it.
protocol LargeClub {
    func makeStore() throws -> any RemoteStore
    var requestCount: Int { get }
}

struct Wrong: Error {
    let entryCount: Int
}

func measure(_ name: String, in club: some LargeClub) async throws {
    let clock = ContinuousClock()
    var times: [Duration] = []
    for _ in 0..<5 {
        let store = try club.makeStore()
        let start = clock.now
        let listing = try await store.list(.root)
        times.append(clock.now - start)
        guard listing.entries.count == entryCount else {
            throw Wrong(entryCount: listing.entries.count)
        }
    }
    let median = times.sorted()[times.count / 2] / .seconds(1)
    let requests = club.requestCount / times.count
    print(
        "\(name): \((median * 1000).rounded() / 1000) s, \(requests) requests, "
            + "\(residentMegabytes()) MB at most")
}

/// The most memory the program has had so far.
func residentMegabytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line?.split(separator: " ").compactMap { Int($0) }.first ?? 0) / 1000
}
