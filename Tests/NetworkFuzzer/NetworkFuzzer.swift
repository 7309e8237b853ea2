import CurlNetworkingFuzzing
import FuzzerEntry

private let entry = FuzzerEntry("NetworkFuzzer", FuzzingDoors.all)

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    entry.run(start, count)
}
