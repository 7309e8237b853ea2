import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// A network that a test switches.
private final class SwitchedNetwork: NetworkStatus {
    private let state:
        Mutex<(path: NetworkPath, watchers: [ObjectIdentifier: @Sendable () -> Void])>

    init(_ path: NetworkPath) {
        state = Mutex((path, [:]))
    }

    func change(to path: NetworkPath) {
        let watchers = state.withLock { state in
            state.path = path
            defer { state.watchers = [:] }
            return Array(state.watchers.values)
        }
        for tell in watchers { tell() }
    }

    var watcherCount: Int { state.withLock { $0.watchers.count } }
    let looks = Signal()
    let hosts = Mutex<[String]>([])

    func path(to host: String, knowsCost: Bool) -> NetworkPath {
        hosts.withLock { $0.append(host) }
        looks.add()
        return state.withLock { $0.path }
    }

    func watch(for watcher: ObjectIdentifier, _ changed: @escaping @Sendable () -> Void) {
        state.withLock { $0.watchers[watcher] = changed }
    }

    func unwatch(_ watcher: ObjectIdentifier) {
        _ = state.withLock { $0.watchers.removeValue(forKey: watcher) }
    }
}

/// Says when a task waits.
private final class WaitingDelegate: URLSessionDataDelegate {
    let waits = Signal()
    let completion = Signal()
    let error = Mutex<CurlNetworking.URLError?>(nil)

    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        waits.add()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        self.error.withLock { $0 = error as? CurlNetworking.URLError }
        completion.add()
    }
}

@Suite(.timeLimit(.minutes(1))) struct ConnectivityTests {
    private let none = NetworkPath(isThere: false)
    private let mobile = NetworkPath(isMobile: true)
    private let metered = NetworkPath(isMetered: true)

    private func makeSession(
        on network: SwitchedNetwork, _ delegate: WaitingDelegate? = nil,
        _ change: (URLSessionConfiguration) -> Void
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.settings.withLock { $0.access.network = network }
        change(configuration)
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    @Test func aTaskWaitsForANetworkReportsItOnceAndGoesOnWhenOneComes() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "there")] }
        let network = SwitchedNetwork(none)
        let delegate = WaitingDelegate()
        let session = makeSession(on: network, delegate) { $0.waitsForConnectivity = true }
        let task = session.dataTask(with: server.url())
        task.resume()
        await delegate.waits.wait(for: 1)
        network.change(to: none)
        await network.looks.wait(for: 2)
        let other = try LoopbackServer { _ in [.answer()] }
        for _ in 0..<5 { _ = try await CurlNetworkingTests.makeSession().data(from: other.url()) }
        #expect(server.connectionCount == 0)
        network.change(to: NetworkPath())
        await delegate.completion.wait(for: 1)
        #expect(delegate.error.withLock { $0 } == nil)
        #expect(delegate.waits.count == 1)
        #expect(server.requests.count == 1)
        #expect(network.watcherCount == 0)
    }

    @Test func theResourceTimerAndCancellingEndTheWait() async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        let network = SwitchedNetwork(none)
        let session = makeSession(on: network) {
            $0.waitsForConnectivity = true
            $0.timeoutIntervalForResource = 0.2
        }
        #expect(await errorCode { try await session.data(from: server.url()) } == .timedOut)
        let delegate = WaitingDelegate()
        let patient = makeSession(on: network, delegate) { $0.waitsForConnectivity = true }
        let task = patient.dataTask(with: server.url())
        task.resume()
        await delegate.waits.wait(for: 1)
        task.cancel()
        await delegate.completion.wait(for: 1)
        #expect(delegate.error.withLock { $0?.code } == .cancelled)
        #expect(network.watcherCount == 0)
    }

    @Test func aTaskSuspendedWhileItWaitsGoesOnWhenItIsResumed() async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        let network = SwitchedNetwork(none)
        let delegate = WaitingDelegate()
        let session = makeSession(on: network, delegate) { $0.waitsForConnectivity = true }
        let task = session.dataTask(with: server.url())
        task.resume()
        await delegate.waits.wait(for: 1)
        task.suspend()
        network.change(to: NetworkPath())
        task.resume()
        await delegate.completion.wait(for: 1)
        #expect(delegate.error.withLock { $0 } == nil)
    }

    @Test func aNameThatCannotBeFoundIsWaitedForWithoutANetworkAndFailsWithOne() async throws {
        let network = SwitchedNetwork(NetworkPath())
        let session = makeSession(on: network) { $0.waitsForConnectivity = true }
        let url = try #require(URL(string: "http://nowhere.invalid/"))
        #expect(await errorCode { try await session.data(from: url) } == .cannotFindHost)
    }

    @Test func aServerThatRefusesIsNotWaitedFor() async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        let url = server.url()
        server.stop()
        let session = makeSession(on: SwitchedNetwork(NetworkPath())) {
            $0.waitsForConnectivity = true
        }
        #expect(await errorCode { try await session.data(from: url) } == .cannotConnectToHost)
    }

    @Test(arguments: 0..<6)
    func whatSessionOrRequestDoNotAllowFailsAndNothingIsSent(way: Int) async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        let session = makeSession(on: SwitchedNetwork(way % 3 == 0 ? mobile : metered)) {
            if way == 0 { $0.allowsCellularAccess = false }
            if way == 1 { $0.allowsExpensiveNetworkAccess = false }
            if way == 2 { $0.allowsConstrainedNetworkAccess = false }
        }
        var request = URLRequest(url: server.url())
        if way == 3 { request.allowsCellularAccess = false }
        if way == 4 { request.allowsExpensiveNetworkAccess = false }
        if way == 5 { request.allowsConstrainedNetworkAccess = false }
        await #expect {
            try await session.data(for: request)
        } throws: { error in
            guard let error = error as? CurlNetworking.URLError else { return false }
            #expect(error.networkUnavailableReason?.rawValue == way % 3)
            #expect(error.failingURL == server.url())
            return error.code == .dataNotAllowed
        }
        #expect(server.connectionCount == 0)
    }

    @Test func whatIsAllowedGoesAndAWaitingTaskWaitsForANetworkItMayUse() async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        let network = SwitchedNetwork(metered)
        let cellular = makeSession(on: network) { $0.allowsCellularAccess = false }
        _ = try await cellular.data(from: server.url())
        let delegate = WaitingDelegate()
        let patient = makeSession(on: network, delegate) {
            $0.waitsForConnectivity = true
            $0.allowsExpensiveNetworkAccess = false
        }
        patient.dataTask(with: server.url()).resume()
        await delegate.waits.wait(for: 1)
        network.change(to: NetworkPath())
        await delegate.completion.wait(for: 1)
        #expect(delegate.error.withLock { $0 } == nil)
    }

    @Test func whatIsInTheCacheNeedsNoNetwork() async throws {
        let server = try LoopbackServer { _ in
            [.answer("200 OK", ["Cache-Control: max-age=1000"], body: "kept")]
        }
        let network = SwitchedNetwork(NetworkPath())
        let session = makeSession(on: network) { $0.allowsCellularAccess = false }
        _ = try await session.data(from: server.url())
        network.change(to: mobile)
        #expect(try await session.data(from: server.url()).0 == Data("kept".utf8))
    }

    @Test(arguments: [
        "127.0.0.1", "127.4.3.2", "[::1]", "::1", "localhost", "LocalHost", "a.localhost",
    ])
    func theSystemAlwaysHasAWayToThisMachineOverNoModem(host: String) {
        let path = SystemNetwork.shared.path(to: host, knowsCost: true, anywhere: [])
        #expect(path == NetworkPath())
    }

    @Test func aNameIsLookedUpWithoutADefaultRoute() {
        #expect(
            !Set(["127.0.0.1", "::1"]).isDisjoint(with: SystemNetwork.addresses(of: "localhost")))
        for name in ["no-such-host.invalid", "127.no-such-host.invalid"] {
            #expect(!SystemNetwork.shared.path(to: name, knowsCost: false, anywhere: []).isThere)
        }
    }

    @Test func theWayToTheProxyCounts() async throws {
        let proxy = try LoopbackServer { _ in [.answer(body: "proxied")] }
        let network = SwitchedNetwork(NetworkPath())
        let session = makeSession(on: network) {
            $0.waitsForConnectivity = true
            $0.connectionProxyDictionary = [
                kCFNetworkProxiesHTTPProxy: "127.0.0.1",
                kCFNetworkProxiesHTTPPort: Int(proxy.port),
            ]
        }
        let url = try #require(URL(string: "http://a.test/b"))
        #expect(try await session.data(from: url).0 == Data("proxied".utf8))
        #expect(network.hosts.withLock { $0 } == ["127.0.0.1"])
    }

    @Test func aModemIsKnownByItsNameOrByWhatTheKernelCallsIt() throws {
        let folder = try ScratchFolder()
        for (device, type) in [("eth0", "DEVTYPE=vlan"), ("usb0", "INTERFACE=usb0\nDEVTYPE=wwan")] {
            let home = folder.url(of: device)
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            try Data((type + "\n").utf8).write(to: home.appending(path: "uevent"))
        }
        let path = folder.path
        #expect(!SystemNetwork.isModem("eth0", folder: path))
        #expect(SystemNetwork.isModem("usb0", folder: path))
        #expect(SystemNetwork.isModem("wwan0", folder: path))
        #expect(!SystemNetwork.isModem("../eth0", folder: path))
    }

    @Test func theKernelIsWatchedUntilTheLastWatcherGoes() {
        let network = SystemNetwork()
        let watcher = Signal()
        network.watch(for: ObjectIdentifier(watcher)) {}
        network.unwatch(ObjectIdentifier(watcher))
        network.unwatch(ObjectIdentifier(watcher))
    }
}

@Suite(.timeLimit(.minutes(1))) struct NetworkManagerBusTests {
    /// A `Properties.Get` reply as dbus-daemon sends it, with a signal before it.
    private func reply(_ number: UInt8, serial: UInt8 = 2, kind: UInt8 = 2) -> [UInt8] {
        let fields: [UInt8] =
            [6, 1, 0x73, 0, 4, 0, 0, 0] + Array(":1.5".utf8) + [0, 0, 0, 0]
            + [5, 1, 0x75, 0, serial, 0, 0, 0] + [8, 1, 0x67, 0, 1, 0x76, 0, 0]
        return [0x6C, kind, 1, 1, 8, 0, 0, 0, 9, 0, 0, 0, UInt8(fields.count), 0, 0, 0] + fields
            + [1, 0x75, 0, 0, number, 0, 0, 0]
    }

    @Test(arguments: [(0, nil), (1, true), (2, false), (3, true), (4, false)] as [(UInt8, Bool?)])
    func itsAnswerIsReadWhateverComesBeforeIt(number: UInt8, isMetered: Bool?) throws {
        let server = try LoopbackServer(
            on: .unixSocket,
            scripts: [
                [
                    .read(byteCount: 1), .send("OK 1234deadbeef\r\n"),
                    .send(reply(9, serial: 1)), .send(reply(9, serial: 7, kind: 4)),
                    .send(reply(number)), .stall,
                ]
            ])
        let path = try #require(server.socketPath)
        // The server's thread may get its turn late.
        #expect(NetworkManagerBus.isMetered(path: path, timeout: 30) == isMetered)
    }

    @Test(arguments: [
        "ERROR\r\n", "OK 1\r\nnonsense nonsense nonsense", "OK 1\r\nl", "OK 1\r\n", "",
    ])
    func nonsenseErrorsAndNothingAreNotAnAnswer(text: String) throws {
        let server = try LoopbackServer(
            on: .unixSocket, scripts: [[.read(byteCount: 1), .send(text), .close]])
        let path = try #require(server.socketPath)
        #expect(NetworkManagerBus.isMetered(path: path, timeout: 30) == nil)
        #expect(NetworkManagerBus.isMetered(path: "/nowhere/at/all") == nil)
    }

    @Test func silenceIsNotAnAnswer() throws {
        let server = try LoopbackServer(on: .unixSocket, scripts: [[.stall]])
        let path = try #require(server.socketPath)
        #expect(NetworkManagerBus.isMetered(path: path, timeout: 0.01) == nil)
    }

    @Test func theQuestionIsWellFormed() {
        let call = DBusMessage.call(
            "Get", of: "a.b", at: "/c", on: "d.e", serial: 2, arguments: ["x", "yz"])
        #expect(DBusMessage.byteCount(of: call) == call.count)
        // Two strings with their lengths, the second at a multiple of four.
        #expect(Array(call.suffix(15)) == [1, 0, 0, 0, 0x78, 0, 0, 0, 2, 0, 0, 0, 0x79, 0x7A, 0])
    }
}
