import ByteClubFiles
import Glibc
import Testing

@Suite struct FolderWatchTests {
    private func event(_ mask: some BinaryInteger, _ name: String = "") -> [UInt8] {
        var bytes = Array(name.utf8)
        if !name.isEmpty { bytes += [UInt8](repeating: 0, count: 16 - bytes.count % 16) }
        let head: [UInt32] = [1, UInt32(mask), 0, UInt32(bytes.count)]
        return head.withUnsafeBytes { Array($0) } + bytes
    }

    private func names(_ events: [UInt8]...) -> [String]? {
        Array(events.joined()).withUnsafeBytes { FolderWatch.names(in: $0) }
    }

    @Test func readsTheNamesInTheirOrder() {
        #expect(names() == [])
        #expect(
            names(event(IN_MOVED_TO, "a.order"), event(IN_DELETE, "b.status"))
                == ["a.order", "b.status"])
    }

    @Test func saysThatSomeWereMissed() {
        #expect(names(event(IN_MOVED_TO, "a.order"), event(IN_Q_OVERFLOW)) == nil)
    }

    @Test func survivesBytesThatEndTooEarly() {
        let whole = event(IN_MOVED_TO, "a.order")
        for count in 0..<whole.count { _ = names(Array(whole.prefix(count))) }
    }
}
