import Foundation
import Glibc
import Synchronization

/// State shared by the threads of a ``LoopbackServer``.
final class LoopbackCore: Sendable {
    struct Record: Sendable {
        var received: [[UInt8]] = []
        var requests: [LoopbackRequest] = []
        /// How many of them have a decided response.
        var decided = 0
        /// Connections closed by either side.
        var ended: Set<Int> = []
        fileprivate var open: [Int: Int32] = [:]
        fileprivate var isStopped = false
        fileprivate var waiters: [Waiter] = []
    }

    fileprivate struct Waiter: Sendable {
        let isMet: @Sendable (Record) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    let record = Mutex(Record())
    private let listener: LoopbackListener

    init(_ listener: LoopbackListener) {
        self.listener = listener
    }

    func acceptConnections(_ serve: @escaping @Sendable (LoopbackConnection) -> Void) {
        while let descriptor = listener.accept() {
            let index: Int? = record.withLock { record in
                guard !record.isStopped else { return nil }
                let index = record.received.count
                record.received.append([])
                record.open[index] = descriptor
                return index
            }
            guard let index else {
                // A connection accepted just before the listener closed is closed too.
                Glibc.close(descriptor)
                continue
            }
            change { _ in }
            Thread.detachNewThread { [self] in
                let connection = LoopbackConnection(descriptor, index: index, core: self)
                serve(connection)
                connection.close()
            }
        }
    }

    func close(_ descriptor: Int32, index: Int) {
        change { record in
            record.open[index] = nil
            record.ended.insert(index)
            Glibc.close(descriptor)
        }
    }

    func stop() {
        record.withLock { record in
            guard !record.isStopped else { return }
            record.isStopped = true
            for descriptor in record.open.values { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
        listener.stop()
    }

    /// Changes the record and resumes waiting tasks.
    func change(_ change: (inout Record) -> Void) {
        let met = record.withLock { record in
            change(&record)
            let snapshot = record
            let met = record.waiters.filter { $0.isMet(snapshot) }
            if !met.isEmpty { record.waiters.removeAll { $0.isMet(snapshot) } }
            return met
        }
        for waiter in met { waiter.continuation.resume() }
    }

    func wait(until isMet: @escaping @Sendable (Record) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetAlready = record.withLock { record in
                if isMet(record) { return true }
                record.waiters.append(Waiter(isMet: isMet, continuation: continuation))
                return false
            }
            if isMetAlready { continuation.resume() }
        }
    }
}

/// The socket a ``LoopbackServer`` listens on.
final class LoopbackListener: Sendable {
    let port: UInt16
    let path: String?
    private let descriptor: Int32

    struct Failure: Error {
        let call: String
        let reason = String(cString: strerror(errno))
    }

    init(on door: LoopbackServer.Door) throws {
        let family = door == .tcp ? AF_INET : AF_UNIX
        let descriptor = socket(
            family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(call: "socket") }
        self.descriptor = descriptor
        switch door {
        case .tcp:
            path = nil
            // By its number: the system would give an automatically chosen port to the next caller as soon
            // as this server stops, and a test that expects no server there would meet another test's
            // server.
            let reserved = try ReservedPort()
            port = reserved.number
            try ReservedPort.bind(descriptor, to: port)
            withExtendedLifetime(reserved) {}
        case .unixSocket:
            port = 0
            let folder = FileManager.default.temporaryDirectory
                .appending(path: "loopback-\(UUID().uuidString.prefix(8))")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let path = folder.appending(path: "door").path
            self.path = path
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            try Self.bind(descriptor, &address)
        }
        guard listen(descriptor, 128) == 0 else { throw Failure(call: "listen") }
    }

    fileprivate static func bind<Address>(_ descriptor: Int32, _ address: inout Address) throws {
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard bound == 0 else { throw Failure(call: "bind") }
    }

    /// nil once stopped.
    func accept() -> Int32? {
        while true {
            let accepted = Self.acceptPrivately(descriptor)
            if accepted >= 0 { return accepted }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }

    /// Sets close-on-exec atomically: a program that a test starts in between would otherwise keep the
    /// connection open after it is closed here.
    static func acceptPrivately(_ descriptor: Int32) -> Int32 {
        typealias Call =
            @convention(c) (
                Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?, Int32
            ) -> Int32
        guard let accept4 = dlsym(nil, "accept4") else { return -1 }
        return unsafeBitCast(accept4, to: Call.self)(
            descriptor, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
    }

    func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        if let path {
            try? FileManager.default.removeItem(
                at: URL(filePath: path).deletingLastPathComponent())
        }
    }

    deinit {
        Glibc.close(descriptor)
    }
}

/// A port of 127.0.0.1 without a listener, reserved for the lifetime of this object.
///
/// A server that is given the number can listen there if it sets `SO_REUSEADDR` first.
public final class ReservedPort: Sendable {
    public let number: UInt16
    private let descriptor: Int32

    public init() throws {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw LoopbackListener.Failure(call: "socket") }
        self.descriptor = descriptor
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        do {
            try Self.bind(descriptor, to: 0)
        } catch {
            close(descriptor)
            throw error
        }
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        number = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        close(descriptor)
    }

    /// Binds a socket that shares its port with sockets that do not listen.
    fileprivate static func bind(_ descriptor: Int32, to port: UInt16) throws {
        var isShared: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        try LoopbackListener.bind(descriptor, &address)
    }
}
