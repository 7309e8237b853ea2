import Foundation
import Synchronization
import TestSupport

@testable import ClubStore

/// A Dropbox in memory that accepts only what the API's documentation allows.
///
/// It shares no types with the program, so a misreading common to both ends would show here. It
/// responds to invalid requests as Dropbox does, and records them in ``violations``.
final class StrictDropbox: Sendable {
    let server: LoopbackServer
    let store: DropboxStore
    private let box: Mutex<StrictClub>

    var violations: [String] { box.withLock { $0.violations } }

    init(configure: (inout DropboxStore.Configuration) -> Void = { _ in }) throws {
        let box = Box()
        self.box = Mutex(StrictClub())
        server = try LoopbackServer(on: .unixSocket) { request in
            box.dropbox.withLock { $0.value }?.answer(request) ?? [.close]
        }
        var configuration = DropboxStore.Configuration(
            hosts: .local, unixSocketPath: server.socketPath)
        configure(&configuration)
        store = DropboxStore(configuration, access: FixedToken(StrictRoute.token))
        box.dropbox.withLock { $0 = Weak(value: self) }
    }

    deinit {
        box.withLock { $0.letGo() }
    }

    private final class Box: Sendable {
        let dropbox = Mutex(Weak(value: nil))
    }

    private struct Weak: Sendable {
        weak var value: StrictDropbox?
    }

    private func answer(_ request: LoopbackRequest) -> [LoopbackStep] {
        let name = String(request.target.dropFirst("/2/".count))
        return box.withLock { club in
            guard request.target.hasPrefix("/2/"), let route = StrictRoute.all[name] else {
                return club.violate("Unknown API function: \"\(name)\"")
            }
            switch route.read(request) {
            case .failure(let violation):
                return club.violate(
                    "Error in call to API function \"\(name)\": \(violation.words)")
            case .success(let argument):
                return club.answer(name, argument, request)
            }
        }
    }
}

extension StrictClub {
    mutating func violate(_ words: String) -> [LoopbackStep] {
        violations.append(words)
        return [.answer("400 Bad Request", ["Content-Type: text/plain"], body: words)]
    }
}
