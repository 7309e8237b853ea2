import Testing

@testable import ByteClub

@MainActor @Suite struct EndedTransfersTests {
    @Test func oneIsToldByItsName() {
        var ended = EndedTransfers()
        #expect(ended.noteUpload(of: "a.jpg", left: 0, failed: 0) == "“a.jpg” is in the club.")
        #expect(ended.noteUpload(of: "b.jpg", left: 0, failed: 0) == "“b.jpg” is in the club.")
        let words = ended.noteDownload(of: "a.jpg", in: "~/Pictures", left: 0)
        #expect(words == "“a.jpg” is in ~/Pictures.")
    }

    @Test func severalAreCountedUntilNoneIsLeft() {
        var ended = EndedTransfers()
        #expect(
            ended.noteUpload(of: "a.jpg", left: 2, failed: 0) == "In the club: “a.jpg”; 2 to go.")
        #expect(
            ended.noteUpload(of: "b.jpg", left: 1, failed: 0) == "In the club: 2 photos; 1 to go.")
        #expect(ended.noteUpload(of: "c.jpg", left: 0, failed: 0) == "In the club: 3 photos.")
        #expect(ended.uploadCount == 0)
        _ = ended.noteDownload(of: "a.jpg", in: "~", left: 1)
        #expect(ended.noteDownload(of: "b.jpg", in: "~", left: 0) == "2 photos are in ~.")
        #expect(ended.downloadCount == 0)
    }

    @Test func whatHasFailedIsToldWithTheRest() {
        var ended = EndedTransfers()
        let words = ended.noteUpload(of: "a.jpg", left: 0, failed: 1)
        #expect(words == "In the club: “a.jpg”; 1 failed: w shows why.")
        _ = ended.noteUpload(of: "b.jpg", left: 1, failed: 0)
        ended.forgetUploads()
        #expect(ended.uploadCount == 0)
    }
}
