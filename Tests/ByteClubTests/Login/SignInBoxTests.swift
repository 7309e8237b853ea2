import ClubStore
import Foundation
import TerminalUI
import TestSupport
import Testing

@testable import ByteClub
@testable import ClubAccess

/// The boxes of a sign-in: what a stray key must not do, and what ends late.
@MainActor @Suite struct SignInBoxTests {
    private let application: Application
    private let root = ViewController()
    private let scheduler = ManualScheduler()

    init() throws {
        application = Application(screen: TestScreen(), scheduler: scheduler)
        try application.start(root: root)
    }

    // MARK: - An untrusted server

    private func showTrustAlert(isChanged: Bool, _ accept: @escaping @MainActor () -> Void) throws {
        let key = try #require(ServerKey("sha256//" + String(repeating: "a", count: 42) + "A="))
        let server = UntrustedServer(
            host: "nas.local", reason: "self-signed certificate", key: key)
        let alert = LoginFlow.trustAlert(server, isChanged: isChanged, accept: accept)
        #expect(alert.message.text.contains(key.description))
        root.present(alert)
    }

    @Test(arguments: [false, true])
    func noSingleKeyAcceptsAServersKey(isChanged: Bool) throws {
        let keys = (0x20..<0x7F).map { String(UnicodeScalar(UInt8($0))) } + ["\n"]
        for key in keys {
            var isAccepted = false
            try showTrustAlert(isChanged: isChanged) { isAccepted = true }
            application.type(key)
            #expect(!isAccepted, "\(key)")
            // The key may have opened a list of keys or the line for commands above it.
            for _ in 0..<2 where application.topViewController !== root {
                application.press("Esc")
                scheduler.advance(by: .milliseconds(50))
            }
            #expect(application.topViewController === root, "\(key)")
            #expect(!isAccepted)
        }
    }

    @Test func whoGoesToTheButtonAccepts() throws {
        var isAccepted = false
        try showTrustAlert(isChanged: false) { isAccepted = true }
        application.press("Right")
        application.press("Enter")
        #expect(isAccepted)
        #expect(application.topViewController === root)
    }

    // MARK: - Waiting

    /// Work that ends when the test says so.
    @MainActor private final class Work {
        private var continuation: CheckedContinuation<Void, Never>?
        private(set) var wasCancelled = false
        private(set) var endings: [Bool] = []

        func run() async -> WaitingViewController.Ending {
            await withCheckedContinuation { continuation = $0 }
            wasCancelled = Task.isCancelled
            return { [weak self] in self?.endings.append($0) }
        }

        var isBegun: Bool { continuation != nil }
        func end() { continuation?.resume() }
    }

    @Test func theBoxIsGoneBeforeWhatComesOfTheWork() async throws {
        let work = Work()
        root.present(WaitingViewController(title: "Sign in", sentence: "…", work: work.run))
        try await eventually("the next state") { work.isBegun }
        #expect(application.topViewController is WaitingViewController)
        work.end()
        try await eventually("the next state") { !work.endings.isEmpty }
        #expect(work.endings == [false])
        #expect(!work.wasCancelled)
        #expect(application.topViewController === root)
    }

    @Test func givenUpItIsCancelledAndEndsWithoutTheBox() async throws {
        let work = Work()
        var wasGivenUp = false
        root.present(
            WaitingViewController(
                title: "Sign in", sentence: "…", didGiveUp: { wasGivenUp = true }, work: work.run))
        try await eventually("the next state") { work.isBegun }
        application.press("Esc")
        #expect(wasGivenUp)
        #expect(application.topViewController === root)
        // The person has begun something else.
        let other = ViewController()
        root.present(other)
        work.end()
        try await eventually("the next state") { !work.endings.isEmpty }
        #expect(work.endings == [true])
        #expect(work.wasCancelled)
        #expect(application.topViewController === other)
    }
}
