import ClubServerFuzzing
import FuzzerEntry

private let entry = FuzzerEntry("ServerFuzzer", ServerFuzzing.all)

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    entry.run(start, count)
}
