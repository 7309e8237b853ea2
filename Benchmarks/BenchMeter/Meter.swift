import Dispatch
import Glibc
import Synchronization

/// Measures what a piece of work costs this process: time, processor, memory, threads.
package final class Meter: Sendable {
    private let startTime = DispatchTime.now().uptimeNanoseconds
    private let startProcessor = Meter.processorSeconds
    private let startMemory: Int
    private let mostThreads = Mutex(0)

    package init() {
        // Makes the kernel forget the highest memory use so far, then reads the present one.
        if let file = fopen("/proc/self/clear_refs", "w") {
            fputs("5", file)
            fclose(file)
        }
        startMemory = Meter.status("VmRSS")
    }

    /// To be called now and then while the work goes on.
    package func countThreads() {
        let count = Meter.status("Threads")
        mostThreads.withLock { $0 = max($0, count) }
    }

    /// `seconds processor-seconds memory-growth-KiB threads`, memory and threads at their most; another
    /// time where given.
    package func report(seconds: Double? = nil) -> String {
        countThreads()
        return report(seconds, Meter.status("VmHWM"), mostThreads.withLock { $0 })
    }

    /// The same of what is left at the end: memory that was not given back and, in place of threads,
    /// descriptors that are open.
    package func reportWhatIsLeft(descriptors count: Int) -> String {
        report(nil, Meter.status("VmRSS"), count)
    }

    private func report(_ seconds: Double?, _ memory: Int, _ count: Int) -> String {
        let wall = Double(DispatchTime.now().uptimeNanoseconds - startTime) / 1e9
        let processor = Meter.processorSeconds - startProcessor
        return "\(rounded(seconds ?? wall)) \(rounded(processor)) "
            + "\(max(0, memory - startMemory)) \(count)"
    }

    /// How many descriptors are open.
    package static var descriptors: Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }

    private func rounded(_ seconds: Double) -> Double { (seconds * 10_000).rounded() / 10_000 }

    private static var processorSeconds: Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        let parts = [usage.ru_utime, usage.ru_stime]
        return parts.map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }.reduce(0, +)
    }

    /// A number from /proc/self/status.
    private static func status(_ name: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(
                decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard text.hasPrefix(name + ":") else { continue }
            return Int(text.filter(\.isNumber)) ?? 0
        }
        return 0
    }
}
