import Glibc

/// What libFuzzer runs: the door that FUZZ_DOOR names. scripts/fuzz sets it, door after door.
package struct FuzzerEntry: Sendable {
    private let door: @Sendable (UnsafeRawBufferPointer) -> Void

    /// Ends the program when it names none.
    package init(
        _ program: String, _ doors: [String: @Sendable (UnsafeRawBufferPointer) -> Void]
    ) {
        let name = getenv("FUZZ_DOOR").map { String(cString: $0) } ?? ""
        guard let door = doors[name] else {
            print("\(program): FUZZ_DOOR names none of \(doors.keys.sorted())")
            exit(2)
        }
        self.door = door
    }

    package func run(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
        door(UnsafeRawBufferPointer(start: start, count: count))
        return 0
    }
}
