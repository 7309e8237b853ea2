import CByteClubCurl
import CurlNetworkingPlatform
import Dispatch

/// libcurl's multi handle and the sockets it watches.
///
/// The sockets are mirrored into a private epoll descriptor. Owned by the engine, used on its thread only.
final class MultiHandle {
    let epollDescriptor: Int32
    private let wakeupDescriptor: Int32
    /// When libcurl wants `timeOut()` to be called; nanoseconds of the monotonic clock.
    fileprivate(set) var deadline: UInt64?

    /// The handshakes whose sockets must not be watched.
    var handshakes = HandshakeSockets()
    private let handle: OpaquePointer
    private let share: OpaquePointer

    private static let isReady: Bool = byteclub_curl_initialize() == CURLE_OK

    /// Creates the multi handle.
    ///
    /// - Parameter wakeupDescriptor: A descriptor that ends a wait each time it is signaled.
    init(wakeupDescriptor: Int32) {
        precondition(Self.isReady, "libcurl cannot be initialized")
        epollDescriptor = byteclub_epoll_create()
        guard epollDescriptor >= 0,
            byteclub_epoll_watch_wakeup(epollDescriptor, wakeupDescriptor) == 0,
            let handle = curl_multi_init(), let share = curl_share_init()
        else { preconditionFailure("no descriptor or no memory for libcurl's multi handle") }
        self.wakeupDescriptor = wakeupDescriptor
        self.handle = OpaquePointer(handle)
        self.share = OpaquePointer(share)
        // Easy handles share TLS sessions. Only one thread uses them, so no lock is needed.
        _ = byteclub_share(share, CURL_LOCK_DATA_SSL_SESSION)
        let me = Unmanaged.passUnretained(self).toOpaque()
        _ = byteclub_multi_set_socket_callback(handle, watchSocket)
        _ = byteclub_multi_set_pointer(handle, CURLMOPT_SOCKETDATA, me)
        _ = byteclub_multi_set_timer_callback(handle, setTimer)
        _ = byteclub_multi_set_pointer(handle, CURLMOPT_TIMERDATA, me)
        _ = byteclub_multi_set_long(handle, CURLMOPT_MAXCONNECTS, connectionLimit)
    }

    /// libcurl also counts connections in use: if there are as many, it keeps no idle ones.
    private var connectionLimit = MultiHandle.idleConnectionLimit
    private var transferCount = 0

    /// A quarter of the descriptors that the process may open; libcurl closes the oldest above it.
    private static let idleConnectionLimit: Int = {
        let descriptors = sysconf(Int32(_SC_OPEN_MAX))  // negative without a limit
        return descriptors < 0 ? 4096 : min(max(descriptors / 4, 64), 4096)
    }()

    private var multi: UnsafeMutableRawPointer { UnsafeMutableRawPointer(handle) }

    /// Creates an easy handle; nil without memory. It keeps the share when it is reset.
    func makeEasyHandle() -> EasyHandle? {
        EasyHandle(share: UnsafeMutableRawPointer(share))
    }

    func add(_ easy: EasyHandle) throws(URLError) {
        guard curl_multi_add_handle(multi, easy.raw) == CURLM_OK else {
            throw URLError(.unknown, underlyingText: "libcurl refused the transfer")
        }
        transferCount += 1
        guard transferCount + Self.idleConnectionLimit > connectionLimit else { return }
        connectionLimit = 2 * transferCount + Self.idleConnectionLimit
        _ = byteclub_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connectionLimit)
    }

    func remove(_ easy: EasyHandle) {
        curl_multi_remove_handle(multi, easy.raw)
        transferCount -= 1
    }

    /// Waits until a socket is ready, the descriptor is signaled or the time is over (-1: indefinitely), and
    /// lets libcurl handle the sockets.
    func moveReadySockets(waiting milliseconds: Int32) {
        withUnsafeTemporaryAllocation(of: byteclub_ready_socket.self, capacity: 64) { ready in
            let count = Int(
                byteclub_epoll_collect(epollDescriptor, ready.baseAddress, 64, milliseconds))
            for socket in ready.prefix(count) where socket.descriptor != wakeupDescriptor {
                var running: Int32 = 0
                curl_multi_socket_action(multi, socket.descriptor, socket.ready, &running)
            }
        }
    }

    /// Lets libcurl handle its timer.
    func timeOut() {
        deadline = nil
        var running: Int32 = 0
        curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
    }

    /// Returns the next finished transfer with libcurl's result.
    func nextFinished() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            if message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle {
                return (easy, byteclub_message_result(message))
            }
        }
        return nil
    }
}

// The engine's multi handle lives as long as the process, so the context is valid.

private func watchSocket(
    easy: UnsafeMutableRawPointer?, socket: curl_socket_t, wanted: Int32,
    context: UnsafeMutableRawPointer?, socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    let multi = Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
    guard multi.handshakes.note(easy, socket, wanted) == .allowed else { return 0 }
    Attempt.note(wanted, on: socket, easy)
    if wanted == CURL_POLL_REMOVE {
        byteclub_epoll_forget(multi.epollDescriptor, socket)
    } else if LibraryDefects.current.leavesWakeupUnread, byteclub_is_wakeup(socket) != 0 {
        // Edge-triggered: each signal ends one wait, even if it is never read.
        _ = byteclub_epoll_watch_wakeup(multi.epollDescriptor, socket)
    } else {
        _ = byteclub_epoll_watch(multi.epollDescriptor, socket, wanted)
    }
    return 0
}

private func setTimer(
    multi: UnsafeMutableRawPointer?, milliseconds: Int, context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    let multi = Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
    multi.deadline =
        switch milliseconds {
        case ..<0: nil
        case 0: 0  // in this turn
        default: DispatchTime.now().uptimeNanoseconds + UInt64(milliseconds) * 1_000_000
        }
    return 0
}
