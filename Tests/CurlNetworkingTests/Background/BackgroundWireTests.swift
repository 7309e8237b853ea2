import CByteClubCurl
import Dispatch
import CurlNetworkingFuzzing
import Foundation
import Glibc
import Testing

@testable import CurlNetworking

/// What a program and the helper say to each other, as bytes.
@Suite struct BackgroundWireTests {
    private let requests: [BackgroundRequest] = [
        .hello(version: 3), .attach(session: "a/../ü"), .suspend(1), .resume(2),
        .prioritize(3, 0.75), .describe(4, nil), .describe(4, "a\nphoto"), .cancel(5),
        .delivered(7),
    ]

    @Test func messagesComeThroughHoweverTheBytesAreCut() throws {
        let bytes = try requests.reduce(into: Data()) { $0 += try BackgroundFrame.encode($1) }
        for size in [1, 3, 7, 1000] {
            var decoder = BackgroundDecoder<BackgroundRequest>()
            var heard: [BackgroundRequest] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                decoder.append(bytes.dropFirst(start).prefix(size))
                while let message = try decoder.next() { heard.append(message) }
            }
            #expect(heard == requests)
        }
    }

    @Test func aRecordComesThroughWhole() throws {
        var record = BackgroundTaskRecord(
            number: 3, session: "s", kind: .upload(file: "/a b"),
            request: .init(
                url: "https://a.test/", method: "PUT", fields: [.init(name: "A", value: "ü")],
                timeout: 3, body: Data([0, 255])),
            created: 1_800_000_000, key: .max, description: "d", priority: 0.25)
        record.suspend(at: 1_800_000_100)
        var decoder = BackgroundDecoder<BackgroundRequest>()
        decoder.append(try BackgroundFrame.encode(BackgroundRequest.add(record)))
        #expect(try decoder.next() == .add(record))
        record.resume(at: 1_800_000_160)
        #expect(record.created == 1_800_000_060)
    }

    @Test(arguments: [("\u{0}\u{0}\u{0}\u{3}{}}", false), ("\u{7F}\u{0}\u{0}\u{0}", true)])
    func nonsenseIsRefused(text: String, isTooLarge: Bool) {
        var decoder = BackgroundDecoder<BackgroundRequest>()
        decoder.append(Data(text.utf8))
        var damage: BackgroundDecoder<BackgroundRequest>.CorruptionError?
        do throws(BackgroundDecoder<BackgroundRequest>.CorruptionError) {
            _ = try decoder.next()
        } catch {
            damage = error
        }
        #expect(damage == (isTooLarge ? .tooLarge : .malformed))
    }

    @Test func theFuzzDoorsTakeAnything() {
        for seed in 0..<200 {
            var bytes = makeBytes(4096).dropFirst(seed * 16).prefix(seed)
            if seed % 3 == 0 { bytes = Data([0, 0, 0, UInt8(seed)]) + bytes }
            Data(bytes).withUnsafeBytes { BackgroundFuzzing.messages($0) }
        }
        for request in requests {
            let frame = (try? BackgroundFrame.encode(request)) ?? Data()
            frame.withUnsafeBytes { BackgroundFuzzing.messages($0) }
        }
    }

    @Test func whoHangsUpIsSeenToBeGoneAtOnce() throws {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        let queue = DispatchQueue(label: "wire")
        // While it stands still no descriptor is closed.
        queue.suspend()
        defer { queue.resume() }
        let program = HelperClient.Channel(ends[0], on: queue) {}
        let other = BackgroundClient.Channel(ends[1], on: queue) {}
        #expect(!program.isDeserted)
        other.send(.delivered(1))
        other.close()
        #expect(program.isDeserted)
        #expect(program.turn() == [.delivered(1)], "its last words are there still")
        #expect(program.isClosed)
    }

    // MARK: - Places

    @Test func placesFollowTheEnvironment() {
        let places = BackgroundPaths(environment: [
            "HOME": "/home/ada", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/run/user/7",
        ])
        #expect(places.state == "/s/CurlNetworking/Background")
        #expect(places.results == "/home/ada/.cache/CurlNetworking/Background")
        #expect(places.socket.hasPrefix("/run/user/7/CurlNetworking/background-"))
        let bare = BackgroundPaths(environment: [
            "HOME": "/home/ada", "XDG_STATE_HOME": "relative",
            "XDG_RUNTIME_DIR": "/" + String(repeating: "x", count: 100),
        ])
        #expect(bare.state == "/home/ada/.local/state/CurlNetworking/Background")
        #expect(bare.socket.hasPrefix("/tmp/CurlNetworking-\(geteuid())/background-"))
        #expect(bare.socket.utf8.count <= BackgroundSocket.longestPath)
    }

    @Test func theEnvironmentLeavesSecretsBehind() {
        let fitting = BackgroundEnvironment.fitting([
            "HOME": "/h", "XDG_STATE_HOME": "/s", "CLUB_TOKEN": "hush", "AWS_SECRET": "hush",
            "LC_ALL": "C",
        ])
        #expect(fitting == ["HOME": "/h", "XDG_STATE_HOME": "/s", "LC_ALL": "C"])
    }

    @Test func waitsLongerAfterEachFailureAndNotAfterProgress() {
        let transfer = HelperTransfer(.init(session: "s", number: 1))
        let delays = (0..<12).map { _ in transfer.nextDelay() / 100_000_000 }
        #expect(delays == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600])
        transfer.attempt.movedByteCount = 1 << 20
        #expect(transfer.nextDelay() == 100_000_000)
    }
}
