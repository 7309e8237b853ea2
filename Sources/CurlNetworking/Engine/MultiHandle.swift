import CCurl
import Dispatch

/// libcurl's multi handle and the sockets it wants to hear of.
///
/// The sockets are mirrored into one private epoll descriptor, which Dispatch watches as a whole:
/// libcurl may then open and close sockets whenever it likes. Owned by the engine, used on its queue
/// alone.
final class MultiHandle {
    /// Becomes readable when a socket can move.
    let epollDescriptor: Int32
    /// When libcurl wants `timeOut()` to be called; nanoseconds of the monotonic clock.
    fileprivate(set) var deadline: UInt64?

    private let handle: OpaquePointer
    private let share: OpaquePointer

    private static let isReady: Bool = byteclub_curl_initialize() == CURLE_OK

    init() {
        precondition(Self.isReady, "libcurl cannot be initialised")
        epollDescriptor = byteclub_epoll_create()
        guard epollDescriptor >= 0, let handle = curl_multi_init(), let share = curl_share_init()
        else { preconditionFailure("no descriptor or no memory for libcurl's multi handle") }
        self.handle = OpaquePointer(handle)
        self.share = OpaquePointer(share)
        // TLS sessions are resumed across easy handles; one thread uses them, so nothing is locked.
        _ = byteclub_share(share, CURL_LOCK_DATA_SSL_SESSION)
        let me = Unmanaged.passUnretained(self).toOpaque()
        _ = byteclub_multi_set_socket_callback(handle, watchSocket)
        _ = byteclub_multi_set_pointer(handle, CURLMOPT_SOCKETDATA, me)
        _ = byteclub_multi_set_timer_callback(handle, setTimer)
        _ = byteclub_multi_set_pointer(handle, CURLMOPT_TIMERDATA, me)
        _ = byteclub_multi_set_long(handle, CURLMOPT_MAXCONNECTS, 256)
    }

    private var multi: UnsafeMutableRawPointer { UnsafeMutableRawPointer(handle) }

    func add(_ easy: EasyHandle) -> Bool {
        easy.useShare(UnsafeMutableRawPointer(share))
        return curl_multi_add_handle(multi, easy.raw) == CURLM_OK
    }

    func remove(_ easy: EasyHandle) {
        curl_multi_remove_handle(multi, easy.raw)
    }

    /// Lets libcurl act on the sockets that can move now. Returns how many those were.
    func moveReadySockets() -> Int {
        withUnsafeTemporaryAllocation(of: byteclub_ready_socket.self, capacity: 64) { ready in
            let count = Int(byteclub_epoll_collect(epollDescriptor, ready.baseAddress, 64))
            for socket in ready.prefix(count) {
                var running: Int32 = 0
                curl_multi_socket_action(multi, socket.descriptor, socket.ready, &running)
            }
            return count
        }
    }

    /// Lets libcurl act on its timer.
    func timeOut() {
        deadline = nil
        var running: Int32 = 0
        curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
    }

    /// The next transfer that has ended, with libcurl's verdict.
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

// The engine's multi handle lives as long as the process, so the context is always there.

private func watchSocket(
    easy: UnsafeMutableRawPointer?, socket: curl_socket_t, wanted: Int32,
    context: UnsafeMutableRawPointer?, socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    let multi = Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
    if wanted == CURL_POLL_REMOVE {
        byteclub_epoll_forget(multi.epollDescriptor, socket)
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
        milliseconds < 0
        ? nil : DispatchTime.now().uptimeNanoseconds + UInt64(milliseconds) * 1_000_000
    return 0
}
