import CByteClubPictureWorker
import FoundationEssentials
import Glibc

/// A worker's process and socket, from the program's side. Used by one thread, with which it ends.
struct WorkerProcess: ~Copyable {
    let identifier: pid_t
    let protections: PictureProtections
    private let socket: Int32
    private let ownByteCount: Int

    /// Starts a process and waits until it is ready.
    ///
    /// - Throws: `.noWorker`.
    init(_ kind: byteclub_picture_kind, to operation: String) throws(PictureError) {
        var process: pid_t = 0
        var socket: Int32 = -1
        let code = withEnvironment { byteclub_picture_worker_start($0, kind, &process, &socket) }
        guard code == 0 else {
            throw PictureError(
                .noWorker, operation: operation, detail: String(cString: strerror(code)))
        }
        var reply = byteclub_picture_reply()
        // A long time, because the machine may be busy.
        guard case .message = Self.receive(&reply, from: socket, until: .now + .seconds(30)),
            reply.answer == BYTECLUB_PICTURE_READY.rawValue
        else {
            kill(process, SIGKILL)
            close(socket)
            _ = Self.wait(for: process)
            throw PictureError(.noWorker, operation: operation, detail: "it did not come up")
        }
        identifier = process
        self.socket = socket
        ownByteCount = Int(clamping: reply.byte_count)
        protections = PictureProtections(rawValue: reply.code)
    }

    /// Sets the limits for the next picture.
    func allow(_ budget: PictureBudget) {
        // If a limit cannot be set, the wall-clock limit remains.
        _ = byteclub_picture_set_limit(
            identifier, BYTECLUB_PICTURE_MEMORY, UInt64(ownByteCount + budget.byteCount))
        let used = max(0, byteclub_picture_processor_time(identifier))
        _ = byteclub_picture_set_limit(
            identifier, BYTECLUB_PICTURE_PROCESSOR_TIME,
            UInt64((used + budget.processorSeconds).rounded(.up)))
        _ = byteclub_picture_set_limit(
            identifier, BYTECLUB_PICTURE_FILE_SIZE, UInt64(budget.fileByteCount))
    }

    enum SendResult {
        case sent
        /// It has ended meanwhile.
        case gone
    }

    func send(_ request: byteclub_picture_request, _ descriptors: [Int32]) -> SendResult {
        var request = request
        let code = byteclub_picture_send(
            socket, &request, MemoryLayout.size(ofValue: request), descriptors,
            Int32(descriptors.count))
        return code == 0 ? .sent : .gone
    }

    enum Event {
        case message
        /// It has ended.
        case end
        case deadline
    }

    func receive(
        _ reply: inout byteclub_picture_reply, until deadline: ContinuousClock.Instant
    ) -> Event {
        Self.receive(&reply, from: socket, until: deadline)
    }

    /// Kills it, however busy it is.
    ///
    /// - Returns: The signal that ended it, or 0.
    @discardableResult consuming func end() -> Int32 {
        // If it has already ended, its reason is kept.
        kill(identifier, SIGKILL)
        close(socket)
        return Self.wait(for: identifier)
    }

    private static func receive(
        _ reply: inout byteclub_picture_reply, from socket: Int32,
        until deadline: ContinuousClock.Instant
    ) -> Event {
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            let milliseconds =
                left.components.seconds * 1000
                + left.components.attoseconds / 1_000_000_000_000_000
            guard milliseconds > 0 else { return .deadline }
            var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let count = poll(&entry, 1, Int32(clamping: milliseconds + 1))
            if count < 0, errno != EINTR { return .end }
            guard count > 0 else { continue }
            let byteCount = byteclub_picture_receive(
                socket, &reply, MemoryLayout.size(ofValue: reply), nil, nil)
            return byteCount == MemoryLayout.size(ofValue: reply) ? .message : .end
        }
    }

    private static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return 0 }
        }
        return status & 0x7F
    }
}

/// The environment of a worker: variables for the loader and the sanitizers, nothing of the user's.
private func withEnvironment<Result>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    let names = ["LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"]
    let words = names.compactMap { name in
        getenv(name).flatMap { strdup(name + "=" + String(cString: $0)) }
    }
    defer { for word in words { free(word) } }
    return (words.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { list in
        guard let start = list.baseAddress else { preconditionFailure("it holds the end") }
        return body(start)
    }
}
