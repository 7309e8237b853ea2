import CCurl
import FoundationEssentials
import Glibc

// A WebSocket is a transfer whose body never ends on either side. What differs from other transfers:

extension Transfer {
    /// Whether it may become a WebSocket.
    var webSocket: URLSessionWebSocketTask? { task as? URLSessionWebSocketTask }

    /// Whether it has become one: nothing it does is timed from then on.
    var isWebSocket: Bool {
        webSocket != nil && attempt.response != nil && attempt.nextRequest == nil
    }

    /// Whether the server has closed the connection without a byte of an answer. Newer libcurls fail then, 7.88
    /// waits for more to send.
    var isHandshakeUnanswered: Bool {
        webSocket != nil && attempt.noted.isConnected && attempt.result == CURLE_GOT_NOTHING
    }

    /// How many connections to a host there may be where it stands; WebSockets stand apart.
    var connectionLimit: Int { webSocket == nil ? settings.connectionsPerHost : .max }

    /// Why an answer that is to be delivered does not make it one.
    func refusal(of response: HTTPURLResponse) -> URLError? {
        guard webSocket != nil else { return nil }
        let key = request.value(forHTTPHeaderField: "Sec-WebSocket-Key") ?? ""
        guard !WebSocketHandshake.accepts(response, key: key) else { return nil }
        return URLError(
            .badServerResponse, failingURL: request.url,
            underlyingText: "the server does not agree to a WebSocket (\(response.statusCode))")
    }
}

extension Attempt {
    /// Notes whether libcurl wants to read from a WebSocket's socket.
    ///
    /// When a server ends its side, libcurl stops reading, but says nothing as long as there may be more
    /// to send.
    static func note(
        _ wanted: Int32, on socket: curl_socket_t, _ easy: UnsafeMutableRawPointer?
    ) {
        guard let easy, let attempt = Attempt.of(easy), attempt.isWebSocket else { return }
        attempt.noted.silentSocket = wanted & CURL_POLL_IN == 0 ? socket : nil
        attempt.transfer?.setNeedsProcessing()
    }
}

extension Transfer {

    /// Whether the server has ended its side of a WebSocket, or of what was to become one, and
    /// everything it had sent was read.
    var hasLostServer: Bool {
        guard webSocket != nil, attempt.nextRequest == nil, pauses.isEmpty, attempt.result == nil,
            let silentSocket = attempt.noted.silentSocket
        else { return false }
        var byte: UInt8 = 0
        let count = recv(silentSocket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
    }
}

extension Engine {
    func failLostWebSocket(_ transfer: Transfer) {
        guard transfer.attempt.response == nil else {
            return fail(
                transfer, with: URLError(.networkConnectionLost, failingURL: transfer.request.url))
        }
        fail(
            transfer,
            with: URLError(
                .badServerResponse, failingURL: transfer.request.url,
                underlyingText: "the server closed the connection instead of answering"))
    }

    /// Both sides have said goodbye.
    func endWebSocket(of task: URLSessionWebSocketTask) {
        guard let transfer = transfers[ObjectIdentifier(task)] else { return }
        close(transfer)
        task.post(.completed(TaskResult()))
    }
}
