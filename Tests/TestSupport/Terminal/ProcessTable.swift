import CVTerm
import Foundation

/// The kernel's process table, read from `/proc`.
public enum ProcessTable {
    /// All current processes.
    public static var all: [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }
    }

    /// The living processes with this text in their environment.
    ///
    /// A test's folder is in the environment of everything that the test started, even of processes
    /// that have left its session.
    public static func processes(withEnvironmentContaining text: String) -> [Int32] {
        let wanted = Data(text.utf8)
        return all.filter { process in
            guard process != getpid(), let environment = contents(of: "/proc/\(process)/environ")
            else { return false }
            return environment.range(of: wanted) != nil && !isDead(process)
        }
    }

    /// The command line's arguments.
    public static func arguments(of process: Int32) -> [String] {
        let data = contents(of: "/proc/\(process)/cmdline") ?? Data()
        return data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    public static func isDead(_ process: Int32) -> Bool {
        guard let fields = statistics(of: process) else { return true }
        return fields.first == "Z" || fields.first == "X"
    }

    /// The process that started it, or took it over.
    public static func parent(of process: Int32) -> Int32? {
        statistics(of: process).flatMap { $0.count > 1 ? Int32($0[1]) : nil }
    }

    /// Resident memory in bytes.
    public static func residentByteCount(of process: Int32) -> Int? {
        field("VmRSS", ofStatus: "/proc/\(process)/status").map { $0 * 1024 }
    }

    public static func threadCount(of process: Int32) -> Int? {
        field("Threads", ofStatus: "/proc/\(process)/status")
    }

    /// How often each thread of a process went to sleep voluntarily, which equals its wake-ups.
    public static func wakeUpCounts(of process: Int32) -> [Int32: Int] {
        let folder = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var counts: [Int32: Int] = [:]
        for name in threads {
            guard let thread = Int32(name),
                let count = field("voluntary_ctxt_switches", ofStatus: "\(folder)/\(name)/status")
            else { continue }
            counts[thread] = count
        }
        return counts
    }

    /// The signals that each thread of a process blocks, as bits: signal 1 is the lowest.
    public static func blockedSignals(of process: Int32) -> [UInt64] {
        let folder = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.compactMap { text("SigBlk", ofStatus: "\(folder)/\($0)/status") }
            .compactMap { UInt64($0, radix: 16) }
    }

    /// The signals that a process ignores, as bits: signal 1 is the lowest.
    public static func ignoredSignals(of process: Int32) -> UInt64? {
        text("SigIgn", ofStatus: "/proc/\(process)/status").flatMap { UInt64($0, radix: 16) }
    }

    /// How often threads woke up between two counts; a thread that ended woke up for that.
    public static func wakeUps(from before: [Int32: Int], to after: [Int32: Int]) -> Int {
        let ended = before.keys.filter { after[$0] == nil }.count
        return after.reduce(ended) { $0 + $1.value - before[$1.key, default: 0] }
    }

    /// Kills every process of a session. Checked by session, not by the leader's number, which may be
    /// reused once it has ended.
    public static func kill(session: Int32) {
        for process in all where statistics(of: process)?.dropFirst(3).first == "\(session)" {
            _ = Glibc.kill(process, SIGKILL)
        }
    }

    /// The fields of `/proc/PID/stat` from the state on: state, parent, group, session…
    private static func statistics(of process: Int32) -> [Substring]? {
        guard let data = contents(of: "/proc/\(process)/stat") else { return nil }
        let line = String(decoding: data, as: UTF8.self)
        guard let end = line.lastIndex(of: ")") else { return nil }
        return line[line.index(after: end)...].split(separator: " ")
    }

    private static func field(_ name: String, ofStatus file: String) -> Int? {
        text(name, ofStatus: file).flatMap { Int($0) }
    }

    /// The first word of a field.
    private static func text(_ name: String, ofStatus file: String) -> Substring? {
        guard let data = contents(of: file) else { return nil }
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n")
        where line.hasPrefix(name + ":") {
            return line.dropFirst(name.count + 1).split(whereSeparator: \.isWhitespace).first
        }
        return nil
    }

    private static func contents(of file: String) -> Data? {
        FileManager.default.contents(atPath: file)
    }
}
