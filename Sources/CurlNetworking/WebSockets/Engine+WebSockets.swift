import CByteClubCurl
import FoundationEssentials
import CurlNetworkingPlatform

// WebSockets: transfers whose bodies have no end in either direction. This file contains the differences from
// other transfers.

extension Transfer {
    /// The task, if it is a WebSocket task.
    var webSocket: URLSessionWebSocketTask? { task as? URLSessionWebSocketTask }

    /// Whether the WebSocket is open: no timers run from then on.
    var isWebSocket: Bool {
        webSocket != nil && attempt.response != nil && attempt.nextRequest == nil
    }

    /// Whether the server has closed the connection without a byte of a response. Newer versions of libcurl
    /// fail then; 7.88 waits for more to send.
    var isHandshakeUnanswered: Bool {
        webSocket != nil && attempt.noted.isConnected && attempt.result == CURLE_GOT_NOTHING
    }

    /// The maximum number of connections to the host; unlimited for WebSockets.
    var connectionLimit: Int { webSocket == nil ? settings.connectionsPerHost : .max }

    /// Why a response does not open the WebSocket.
    func refusal(of response: HTTPURLResponse) -> URLError? {
        guard webSocket != nil,
            !WebSocketHandshake.accepts(response, to: requestWithFields)
        else { return nil }
        return URLError(
            .badServerResponse, failingURL: request.url,
            underlyingText: "the server has refused the WebSocket (\(response.statusCode))")
    }
}

extension Attempt {
    /// Records whether libcurl wants to read from a WebSocket's socket.
    ///
    /// When the server closes its side, libcurl stops reading, but reports nothing while there may be more to
    /// send.
    static func note(
        _ wanted: Int32, on socket: curl_socket_t, _ easy: UnsafeMutableRawPointer?
    ) {
        guard let easy, let attempt = Attempt.of(easy), attempt.isWebSocket else { return }
        attempt.noted.silentSocket = wanted & CURL_POLL_IN == 0 ? socket : nil
        attempt.transfer?.setNeedsProcessing()
    }
}

extension Transfer {

    /// Whether the server has closed its side, and everything it sent was read.
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
                underlyingText: "the server closed the connection without a response"))
    }

    /// Ends the transfer after the close handshake.
    func endWebSocket(of task: URLSessionWebSocketTask) {
        guard let transfer = transfers[ObjectIdentifier(task)] else { return }
        closeTransfer(transfer)
        task.post(.completed(TaskResult()))
    }
}
