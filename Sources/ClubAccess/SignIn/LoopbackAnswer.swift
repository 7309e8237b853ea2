internal import CByteClubLinux
internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import ByteClubMessages

/// Waits on 127.0.0.1 for the redirect from an authorization page (RFC 8252, section 7.3).
///
/// Accepts a few connections at a time, each limited in size and time: no local program can fill memory
/// or block the redirect. Each gets one small page and is closed.
final class LoopbackAnswer: Sendable {
    let port: UInt16
    private let listener: CInt
    private let stopReadEnd: CInt
    private let stopWriteEnd: CInt
    private let queue = DispatchQueue(label: "byteclub.login.loopback")
    /// Known only to the program that was given the URL: a web page cannot guess it.
    private let entrancePath =
        "/open/" + String(UInt64.random(in: .min ... .max), radix: 36)
    /// Accepts the next connection; -1 and `errno` on failure.
    private let accept: @Sendable (_ listener: CInt) -> CInt

    static let connectionLimit = 8
    static let headLimit = 16 << 10
    /// A browser opens connections in advance and may be slow to use them.
    static let connectionTimeout: Duration = .seconds(10)

    /// How long to stop accepting after a failure for lack of resources, such as free descriptors:
    /// pending connections would make the event loop spin.
    static let pause: Duration = .milliseconds(500)

    /// - Parameter port: 0 for any free port.
    init(
        port: UInt16 = 0, accept: @escaping @Sendable (_ listener: CInt) -> CInt = byteclub_accept
    ) throws(LoopbackError) {
        self.accept = accept
        let flags = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_INET, flags, 0)
        func failure() -> LoopbackError {
            errno == EADDRINUSE
                ? .portTaken(port)
                : .cannotListen(port: port, reason: String(cString: strerror(errno)))
        }
        guard descriptor >= 0 else { throw failure() }
        var on: CInt = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        var (readEnd, writeEnd): (CInt, CInt) = (-1, -1)
        guard isListening, byteclub_pipe(&readEnd, &writeEnd) == 0 else {
            let error = failure()
            close(descriptor)
            throw error
        }
        listener = descriptor
        self.port = UInt16(bigEndian: address.sin_port)
        (stopReadEnd, stopWriteEnd) = (readEnd, writeEnd)
    }

    deinit {
        close(listener)
        close(stopReadEnd)
        close(stopWriteEnd)
    }

    /// The redirect URI.
    var redirect: URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)/") else {
            preconditionFailure("an address and a port are a URL")
        }
        return url
    }

    /// The URL that redirects to the page.
    var entrance: URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(entrancePath)") else {
            preconditionFailure("letters and digits are a path")
        }
        return url
    }

    /// Waits for the browser.
    ///
    /// - Parameters:
    ///   - page: The page that ``entrance`` redirects to, once.
    ///   - isAnswer: Whether a query belongs to this sign-in. Any page can send the browser here; a query
    ///     without our secret does not end the wait.
    /// - Returns: The first query that belongs to this sign-in.
    /// - Throws: `.timedOut`; `.cancelled` if the task is cancelled.
    @concurrent func wait(
        leadingTo page: URL? = nil, atMost timeout: Duration = .seconds(600),
        where isAnswer: @escaping @Sendable (String) -> Bool = { _ in true }
    ) async throws(LoopbackError) -> String {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { @Sendable [self] in
                    continuation.resume(
                        returning: serve(page, until: .now + timeout, where: isAnswer))
                }
            }
        } onCancel: {
            var byte: UInt8 = 0
            _ = write(stopWriteEnd, &byte, 1)
        }
        return try result.get()
    }
}

extension LoopbackAnswer {
    private struct Connection {
        let descriptor: CInt
        let deadline: ContinuousClock.Instant
        var head: [UInt8] = []
    }

    private func serve(
        _ page: URL?, until deadline: ContinuousClock.Instant,
        where isAnswer: (String) -> Bool
    ) -> Result<String, LoopbackError> {
        var page = page
        var connections: [Connection] = []
        var doorOpens = ContinuousClock.now
        defer { for connection in connections { close(connection.descriptor) } }
        while true {
            let now = ContinuousClock.now
            guard now < deadline else { return .failure(.timedOut) }
            connections.removeAll { connection in
                guard connection.deadline <= now else { return false }
                close(connection.descriptor)
                return true
            }
            let isDoorOpen = doorOpens <= now && connections.count < Self.connectionLimit
            let instants = connections.map(\.deadline) + (doorOpens > now ? [doorOpens] : [])
            let next = min(instants.min() ?? deadline, deadline)
            var requests = [pollfd(fd: stopReadEnd, events: Int16(POLLIN), revents: 0)]
            requests += connections.map {
                pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
            }
            // Further connections wait in the kernel's backlog.
            if isDoorOpen {
                requests.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))
            }
            let milliseconds = max(1, (next - now) / .milliseconds(1)).rounded(.up)
            poll(&requests, nfds_t(requests.count), CInt(min(milliseconds, 1e6)))
            if requests[0].revents != 0 { return .failure(.cancelled) }
            for index in connections.indices.reversed() where requests[index + 1].revents != 0 {
                switch read(&connections[index], &page, where: isAnswer) {
                case .more: continue
                case .over: close(connections.remove(at: index).descriptor)
                case .answer(let query):
                    close(connections.remove(at: index).descriptor)
                    return .success(query)
                }
            }
            if isDoorOpen, requests.last?.revents != 0 {
                let descriptor = accept(listener)
                if descriptor < 0 {
                    if ![EAGAIN, EINTR, ECONNABORTED].contains(errno) {
                        doorOpens = .now + Self.pause
                    }
                } else {
                    connections.append(
                        Connection(
                            descriptor: descriptor,
                            deadline: ContinuousClock.now + Self.connectionTimeout))
                }
            }
        }
    }

    private enum Heard {
        case more
        case over
        case answer(String)
    }

    private func read(
        _ connection: inout Connection, _ page: inout URL?, where isAnswer: (String) -> Bool
    ) -> Heard {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(connection.descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return .more }
        guard count > 0 else { return .over }
        connection.head += buffer[..<count]
        guard connection.head.count <= Self.headLimit else {
            say(
                "431 Request Header Fields Too Large", localized("This is not a sign-in."),
                to: connection)
            return .over
        }
        guard connection.head.suffix(4).elementsEqual("\r\n\r\n".utf8) else { return .more }
        return answer(
            String(decoding: connection.head, as: UTF8.self), on: connection, &page, where: isAnswer
        )
    }

    /// Handles a request's head; other resources that browsers request (an icon) do not exist.
    private func answer(
        _ head: String, on connection: Connection, _ page: inout URL?,
        where isAnswer: (String) -> Bool
    ) -> Heard {
        guard LoopbackPeer.mayBeOurs(connection.descriptor) else {
            say("403 Forbidden", localized("This is another user's sign-in."), to: connection)
            return .over
        }
        let lines = head.split(separator: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        let hosts = lines.dropFirst().filter { $0.lowercased().hasPrefix("host:") }
            .map { $0.dropFirst(5).filter { $0 != " " } }
        // A foreign page whose name resolves to this address sends its own name as host.
        guard words.count == 3, words[0] == "GET", hosts == ["127.0.0.1:\(port)"] else {
            say("400 Bad Request", localized("This is not a sign-in."), to: connection)
            return .over
        }
        if words[1] == entrancePath {
            lead(connection, to: page)
            page = nil
            return .over
        }
        let parts = words[1].split(separator: "?", maxSplits: 1)
        guard parts.count == 2, parts[0] == "/" else {
            say("404 Not Found", localized("There is nothing here."), to: connection)
            return .over
        }
        guard isAnswer(String(parts[1])) else {
            say(
                "404 Not Found",
                localized(
                    "This belongs to another sign-in. Open the address that Byte Club shows now."),
                to: connection)
            return .over
        }
        say(
            "200 OK",
            localized(
                "Byte Club has the answer. You can close this page and go back to the terminal."),
            to: connection)
        return .answer(String(parts[1]))
    }

    private func lead(_ connection: Connection, to page: URL?) {
        guard let page else {
            return say(
                "410 Gone",
                localized("This page was opened before. Open the address that Byte Club shows."),
                to: connection)
        }
        say(
            "303 See Other", localized("Redirecting to the sign-in page…"), to: connection,
            "Location: \(page.absoluteString)")
    }

    private func say(
        _ status: String, _ words: String, to connection: Connection, _ fields: String...
    ) {
        let page = """
            <!doctype html><html lang="\(Localization.language.rawValue)"><meta charset="utf-8"><title>Byte Club</title>\
            <body style="font:1.2em sans-serif;margin:4em"><p>\(words)</p></body></html>
            """
        let head = [
            "HTTP/1.1 \(status)", "Content-Type: text/html; charset=utf-8",
            "Content-Length: \(page.utf8.count)", "Cache-Control: no-store",
            "Referrer-Policy: no-referrer",
            "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'",
            "Connection: close",
        ]
        let answer = (head + fields + ["", page]).joined(separator: "\r\n")
        let bytes = Array(answer.utf8)
        // It fits into the socket's buffer: no need to wait for a slow reader.
        _ = send(connection.descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
        shutdown(connection.descriptor, CInt(SHUT_WR))
    }
}
