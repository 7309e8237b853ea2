import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// Writes to the real embedded club whose responses are lost or replaced by a proxy: the contents
/// of the club's folder decide.
@Suite struct LostClubAnswerTests {
    struct Write: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let route: String
        /// - Parameter old: The file at `/old`: `the old text`.
        let make: @Sendable (_ store: DropboxStore, _ old: RemoteFile) async throws -> Void
        /// The expected folder contents: texts by name, nil for removed files.
        let effect: [String: String?]
        var madeFolder: String?

        func isDone(in folder: URL) -> Bool {
            if let madeFolder {
                var isFolder = false
                let path = folder.appending(path: madeFolder).path
                guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
                    return false
                }
                return isFolder
            }
            return effect.allSatisfy { name, text in
                let data = FileManager.default.contents(
                    atPath: folder.appending(path: name).path)
                return data.map { String(decoding: $0, as: UTF8.self) } == text
            }
        }
    }

    private static let text = "the new text"

    static let writes = [
        Write(
            testDescription: "a note that must be new", route: "/files/upload",
            make: { store, _ in
                _ = try await store.put(data(text), at: path("/new"), mode: .create)
            }, effect: ["new": text]),
        Write(
            testDescription: "a new note", route: "/files/upload",
            make: { store, _ in
                _ = try await store.put(data(text), at: path("/new"), mode: .add)
            }, effect: ["new": text]),
        Write(
            testDescription: "an edit", route: "/files/upload",
            make: { store, old in
                _ = try await store.put(data(text), at: old.path, mode: .update(old.revision))
            }, effect: ["old": text]),
        Write(
            testDescription: "an overwrite", route: "/files/upload",
            make: { store, old in
                _ = try await store.put(data(text), at: old.path, mode: .overwrite)
            }, effect: ["old": text]),
        Write(
            testDescription: "an upload that must be new", route: "/files/upload",
            make: { store, _ in
                let folder = try TemporaryFolder()
                let file = try folder.write(data(text), to: "f")
                _ = try await Recorder.upload(file, to: path("/new"), mode: .create, in: store)
            }, effect: ["new": text]),
        Write(
            testDescription: "a rename", route: "/files/move_v2",
            make: { store, old in _ = try await store.move(old.path, to: path("/new")) },
            effect: ["new": "the old text", "old": nil]),
        Write(
            testDescription: "a deletion", route: "/files/delete_v2",
            make: { store, old in try await store.delete(old.path, ifRevision: old.revision) },
            effect: ["old": nil]),
        Write(
            testDescription: "a new folder", route: "/files/create_folder_v2",
            make: { store, _ in try await store.createFolder(path("/new")) }, effect: [:],
            madeFolder: "new"),
    ]

    enum Fault: String, CaseIterable, Sendable {
        case cut, serverError, gateway, unavailable
    }

    /// A club with `/old` in it, behind a proxy that is faulty from now on.
    private func withFaultyClub(
        _ behavior: ClubProxy.Behavior, for routes: [String], times: Int = .max,
        _ body: @Sendable (DropboxStore, RemoteFile, URL, _ repair: () -> Void) async throws -> Void
    ) async throws {
        let isFaulty = FaultSwitch(times)
        try await withEmbeddedServer { request in
            let isMeant = routes.contains { request.path.hasSuffix($0) }
            return isMeant && isFaulty.takeOne() ? behavior : .forward
        } _: { store, folder in
            let old = try await store.put(data("the old text"), at: path("/old"), mode: .add)
            isFaulty.isOn = true
            try await body(store, old, folder) { isFaulty.isOn = false }
        }
    }

    @Test(arguments: writes, Fault.allCases)
    func whatTheClubHoldsWasDone(_ write: Write, _ fault: Fault) async throws {
        let answer: Data? =
            switch fault {
            case .cut: nil
            case .serverError:
                Data("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
            case .unavailable:
                Data(
                    "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
            case .gateway:
                Data("HTTP/1.1 502 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
            }
        try await withFaultyClub(.tellInstead(answer), for: [write.route]) {
            store, old, folder, _ in
            try await write.make(store, old)
            #expect(write.isDone(in: folder))
        }
    }

    /// A gateway's 503, after the server behind it has done the work: the call is made once more, and must not take
    /// its own work for somebody's.
    @Test(arguments: writes)
    func whatA503HidesIsRecognizedAtTheNextAttempt(_ write: Write) async throws {
        let answer = Data(
            "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        try await withFaultyClub(.tellInstead(answer), for: [write.route], times: 1) {
            store, old, folder, _ in
            try await write.make(store, old)
            #expect(write.isDone(in: folder))
        }
    }

    /// Nobody has seen anything there: that it is not there after a failure says nothing.
    @Test func whatWasNeverThereIsNotRemovedByAFailure() async throws {
        let answer = Data(
            "HTTP/1.1 502 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        try await withFaultyClub(.answer(answer), for: ["/files/delete_v2"]) { store, _, _, _ in
            await expectFailure(.notFound) {
                try await store.delete(path("/never"), ifRevision: .ofNothing)
            }
        }
    }

    /// Checking is impossible at first; once the connection is back, the same write does not conflict with
    /// itself.
    @Test(arguments: writes)
    func theSameAgainIsNoConflictWithItself(_ write: Write) async throws {
        try await withFaultyClub(
            .tellInstead(nil), for: [write.route, "/files/get_metadata"]
        ) { store, old, folder, repair in
            _ = await failure { try await write.make(store, old) }
            #expect(write.isDone(in: folder))
            repair()
            try await write.make(store, old)
            #expect(write.isDone(in: folder))
        }
    }

    @Test(arguments: writes)
    func aPageThatSaysYesIsNoSuccess(_ write: Write) async throws {
        let page = "<html>Please sign in</html>"
        let answer = Data(
            ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\n\r\n"
                + page).utf8)
        try await withFaultyClub(.answer(answer), for: [write.route]) {
            store, old, folder, repair in
            await expectFailure(.badAnswer) { try await write.make(store, old) }
            #expect(!write.isDone(in: folder))
            repair()
            try await write.make(store, old)
            #expect(write.isDone(in: folder))
        }
    }
}

/// Set by the test, read by the proxy's threads.
private final class FaultSwitch: Sendable {
    private let state = Mutex((isOn: false, left: 0))

    init(_ times: Int) { state.withLock { $0.left = times } }

    var isOn: Bool {
        get { state.withLock { $0.isOn } }
        set { state.withLock { $0.isOn = newValue } }
    }

    /// Whether the next request fails.
    func takeOne() -> Bool {
        state.withLock { state in
            guard state.isOn, state.left > 0 else { return false }
            state.left -= 1
            return true
        }
    }
}
