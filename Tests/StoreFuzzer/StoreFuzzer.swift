import ClubStoreFuzzing
import FuzzerEntry

private let entry = FuzzerEntry("StoreFuzzer", StoreFuzzing.all)

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    entry.run(start, count)
}
