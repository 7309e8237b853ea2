import Glibc
import Synchronization

/// Reports other programs' changes in the club's folder, through inotify.
///
/// No polling: an idle server does not wake up. Events within a short time are reported together, so
/// that an editor's "rename away, write, rename back" is one change.
final class FolderWatcher: Sendable {
    struct Event: Sendable {
        let watch: Int32
        let mask: UInt32
        /// The name in the watched folder; nil when the event is about the folder itself.
        let name: DiskName?

        func has(_ flag: some BinaryInteger) -> Bool {
            mask & UInt32(truncatingIfNeeded: flag) != 0
        }

        var isFolder: Bool { has(IN_ISDIR) }
    }

    /// How long to wait for further events after the first.
    static let settling = Duration.milliseconds(40)

    /// One element for each batch that ``takeEvents()`` can return.
    let batches: AsyncStream<Void>

    private let inotify: Descriptor
    private let loop: EventLoop
    private let continuation: AsyncStream<Void>.Continuation
    private let state = Mutex(State())

    private struct State {
        /// Read from the kernel, waiting for more of the same batch.
        var arriving: [Event] = []
        /// Complete batches.
        var delivered: [Event] = []
        /// Those who wait for the batch that is arriving.
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// Of the watches for some names only.
        var names: [Int32: Set<DiskName>] = [:]
        var isStopped = false
    }

    /// - Parameter loop: Its thread calls when there are events to read.
    init(loop: EventLoop) throws(SystemError) {
        self.loop = loop
        inotify = try .opened("inotify", inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)))
        (batches, continuation) = AsyncStream.makeStream()
    }

    /// Starts reporting. Watches may be added before.
    func start() throws(SystemError) {
        try loop.watch(inotify.number) { [weak self] in self?.collect() }
    }

    /// Ends ``batches``.
    func stop() {
        continuation.finish()
        resumeWaiting { $0.isStopped = true }
    }

    /// Watches an open folder, not its subfolders.
    ///
    /// - Returns: The number in its events; the same for the same folder as long as it is watched.
    func watch(folder: borrowing Descriptor) throws(SystemError) -> Int32 {
        let interest =
            IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ATTRIB
            | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
        return try watch("\(folder.number)", for: interest)
    }

    /// Watches the names in the parent of an open folder: while another process has the folder open, its removal is
    /// reported only there, and so is another folder in its place.
    ///
    /// - Parameter names: Those that count: the parent may be a busy folder.
    func watchParent(
        of folder: borrowing Descriptor, for names: Set<DiskName>
    ) throws(SystemError) -> Int32 {
        let number = try watch(
            "\(folder.number)/..", for: IN_DELETE | IN_CREATE | IN_MOVED_TO | IN_ONLYDIR)
        state.withLock { $0.names[number, default: []].formUnion(names) }
        return number
    }

    private func watch(
        _ place: String, for interest: some BinaryInteger
    ) throws(SystemError) -> Int32 {
        // By its descriptor: its path may have changed.
        let watch = inotify_add_watch(
            inotify.number, "/proc/self/fd/\(place)", UInt32(truncatingIfNeeded: interest))
        guard watch >= 0 else { throw SystemError("inotify") }
        return watch
    }

    func forget(_ watch: Int32) {
        inotify_rm_watch(inotify.number, watch)
    }

    /// Returns the events of all complete batches, oldest first. They are pending until then.
    func takeEvents() -> [Event] {
        state.withLock { state in
            defer { state.delivered = [] }
            return state.delivered
        }
    }

    /// The events of a watch that nobody has taken yet, also those that have only just happened.
    func pendingEvents(of watch: Int32) -> [Event] {
        collect()
        return state.withLock { $0.delivered + $0.arriving }.filter { $0.watch == watch }
    }

    /// Returns when all that has happened in the folder so far is in a complete batch.
    func settle() async {
        collect()
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                guard !state.arriving.isEmpty, !state.isStopped else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isSettled { continuation.resume() }
        }
    }

    private func resumeWaiting(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private func collect() {
        // Two threads may read: what one reads first must be stored first.
        let isFirst = state.withLock { state in
            let names = state.names
            let events = read().filter { event in
                guard let name = event.name, let wanted = names[event.watch] else { return true }
                return wanted.contains(name)
            }
            defer { state.arriving += events }
            return state.arriving.isEmpty && !events.isEmpty
        }
        if isFirst { loop.after(Self.settling) { [weak self] in self?.deliver() } }
    }

    private func read() -> [Event] {
        var events: [Event] = []
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
            while true {
                let count = Glibc.read(inotify.number, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                Self.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &events)
            }
        }
        return events
    }

    private func deliver() {
        resumeWaiting { state in
            state.delivered += state.arriving
            state.arriving = []
        }
        continuation.yield()
    }

    /// Parses the kernel's events: each has a header of 16 bytes and a name padded with NULs.
    static func parse(_ buffer: UnsafeRawBufferPointer, into events: inout [Event]) {
        let headerByteCount = MemoryLayout<inotify_event>.size
        var offset = 0
        while offset + headerByteCount <= buffer.count {
            let header = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let start = offset + headerByteCount
            let end = min(start + Int(header.len), buffer.count)
            let name = buffer[start..<end].prefix { $0 != 0 }
            events.append(
                Event(
                    watch: header.wd, mask: header.mask,
                    name: name.isEmpty ? nil : DiskName(bytes: Array(name))))
            offset = end
        }
    }
}
