internal import CByteClubMainLoop
import Dispatch

/// Reports when a descriptor is readable: through the main loop if it runs, else through Dispatch.
@MainActor
final class ReadWatch {
    private let descriptor: Int32
    private var handler: (@MainActor () -> Void)?
    private var source: (any DispatchSourceRead)?
    private var isSuspended = false

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// - Parameter handler: Called on the main actor as long as bytes are available.
    func start(_ handler: @escaping @MainActor () -> Void) {
        self.handler = handler
        if byteclub_is_in_main_loop() { return attach() }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
        source.setEventHandler { @Sendable [weak self] in
            MainActor.assumeIsolated { self?.handler?() }
        }
        source.activate()
        self.source = source
    }

    func suspend() {
        guard !isSuspended else { return }
        isSuspended = true
        if let source { source.suspend() } else { detach() }
    }

    func resume() {
        guard isSuspended else { return }
        isSuspended = false
        if let source { source.resume() } else if handler != nil { attach() }
    }

    /// Permanent. Call it before this object is released.
    func cancel() {
        if source == nil, handler != nil { detach() }
        handler = nil
        // A suspended source must not be released.
        if isSuspended { source?.resume() }
        isSuspended = false
        source?.cancel()
    }

    private func attach() {
        byteclub_watch_in_main_loop(
            descriptor,
            { context in
                guard let context else { return }
                // `cancel()` has taken it out before this object ends.
                let watch = Unmanaged<ReadWatch>.fromOpaque(context).takeUnretainedValue()
                MainActor.assumeIsolated { watch.handler?() }
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func detach() { byteclub_watch_in_main_loop(-1, nil, nil) }
}
