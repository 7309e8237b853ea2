import CByteClubCurl
import Dispatch
import CurlNetworkingPlatform
import Synchronization

/// Reports changes of the kernel's networks. It listens only while there are watchers.
final class NetworkChanges: Sendable {
    private struct State {
        var watchers: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var source: (any DispatchSourceRead)?
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "CurlNetworking.network", qos: .utility)

    /// Calls a closure once, at the next change.
    func watch(for watcher: ObjectIdentifier, _ changed: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.watchers[watcher] = changed
            if state.source == nil { state.source = makeSource() }
        }
    }

    func unwatch(_ watcher: ObjectIdentifier) {
        state.withLock { state in
            state.watchers[watcher] = nil
            stopIfUnwatched(&state)
        }
    }

    private func stopIfUnwatched(_ state: inout State) {
        guard state.watchers.isEmpty else { return }
        state.source?.cancel()
        state.source = nil
    }

    /// Returns nil if the kernel refuses: waiting tasks then only time out.
    private func makeSource() -> (any DispatchSourceRead)? {
        let descriptor = byteclub_watch_network()
        guard descriptor >= 0 else { return nil }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { @Sendable [self] in
            Self.drain(descriptor)
            notifyAll()
        }
        source.setCancelHandler { @Sendable in close(descriptor) }
        source.activate()
        return source
    }

    /// The kind of change is irrelevant, because the route is looked up again. Reading does not block.
    private static func drain(_ descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }

    private func notifyAll() {
        let watchers = state.withLock { state in
            defer {
                state.watchers = [:]
                stopIfUnwatched(&state)
            }
            return Array(state.watchers.values)
        }
        for tell in watchers { tell() }
    }
}
