import ClubStore
import Glibc

// What libFuzzer calls. The door is named by FUZZ_DOOR; scripts/fuzz sets it, door after door.

private let door: StoreFuzzing.Door = {
    let name = getenv("FUZZ_DOOR").map { String(cString: $0) } ?? ""
    guard let door = StoreFuzzing.all[name] else {
        print("StoreFuzzer: FUZZ_DOOR names none of \(StoreFuzzing.all.keys.sorted())")
        exit(2)
    }
    return door
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    door(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}
