import FuzzerEntry
import ByteClubPicturesFuzzing

private let entry = FuzzerEntry("PictureFuzzer", PictureFuzzing.all)

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    entry.run(start, count)
}
