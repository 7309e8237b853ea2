import ClubAccessFuzzing
import FuzzerEntry

private let entry = FuzzerEntry("AccessFuzzer", AccessFuzzing.all)

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    entry.run(start, count)
}
