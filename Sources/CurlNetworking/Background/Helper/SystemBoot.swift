import FoundationEssentials
import CurlNetworkingPlatform

/// Identifies the current boot of the machine.
enum SystemBoot {
    static let current: String? = {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = bytes.withUnsafeMutableBytes { AtomicFile.read(descriptor, into: $0) }
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }()
}

extension BackgroundTaskRecord {
    /// Whether the part was written since the last boot, so that all writes are visible.
    var isPartOfThisBoot: Bool {
        guard let boot = SystemBoot.current else { return false }
        return part.boot == boot
    }
}
