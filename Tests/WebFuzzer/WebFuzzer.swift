import FuzzerEntry
import WebTextFuzzing

private let entry = FuzzerEntry("WebFuzzer", WebFuzzing.all)

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    entry.run(start, count)
}
