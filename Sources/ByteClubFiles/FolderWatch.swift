package import Dispatch
internal import Glibc

/// Calls back with the names of files created, replaced or removed in a folder. Idle otherwise.
///
/// Source: inotify(7).
package final class FolderWatch {
    private let source: any DispatchSourceRead

    /// - Parameters:
    ///   - folder: Must exist. Subfolders are not watched.
    ///   - queue: Where `didChange` is called; with an empty list if some changes were missed.
    /// - Returns: Nil if the system has no further watches: poll the folder instead.
    package init?(
        _ folder: String, on queue: DispatchQueue,
        didChange: @escaping @Sendable (_ names: [String]) -> Void
    ) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let events = UInt32(IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE)
        guard inotify_add_watch(descriptor, folder, events) >= 0 else {
            close(descriptor)
            return nil
        }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { @Sendable in didChange(Self.names(from: descriptor)) }
        source.setCancelHandler { @Sendable in close(descriptor) }
        source.activate()
    }

    deinit { source.cancel() }

    /// - Returns: An empty list if some were missed.
    private static func names(from descriptor: CInt) -> [String] {
        var names: [String]? = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return names ?? [] }
            let read = buffer.withUnsafeBytes {
                Self.names(in: UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            names = names.flatMap { names in read.map { names + $0 } }
        }
    }

    /// The names in the kernel's events; nil if some were dropped.
    package static func names(in bytes: UnsafeRawBufferPointer) -> [String]? {
        var names: [String] = []
        let headCount = MemoryLayout<inotify_event>.size
        var place = 0
        while place + headCount <= bytes.count {
            let event = bytes.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return nil }
            let start = place + headCount
            let end = min(bytes.count, start + Int(event.len))
            let name = bytes[start..<end].prefix { $0 != 0 }
            if !name.isEmpty { names.append(String(decoding: name, as: UTF8.self)) }
            place = end
        }
        return names
    }
}
