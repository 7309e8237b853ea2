import Testing

@testable import ByteClub

@MainActor @Suite struct EndedTransfersTests {
    private func upload(_ count: Int, left: Int = 0, failed: Int = 0) -> String {
        EndedTransfers.sentence(forUploadOf: "a.jpg", count: count, left: left, failed: failed)
    }

    @Test func oneIsToldByItsName() {
        #expect(upload(1) == "“a.jpg” is in the club.")
        let words = EndedTransfers.sentence(forDownloadOf: "a.jpg", in: "~/Pictures", count: 1)
        #expect(words == "“a.jpg” is in ~/Pictures.")
    }

    @Test func severalAreCounted() {
        #expect(upload(1, left: 2) == "In the club: “a.jpg”; 2 to go.")
        #expect(upload(2, left: 1) == "In the club: 2 photos; 1 to go.")
        #expect(upload(3) == "In the club: 3 photos.")
        let words = EndedTransfers.sentence(forDownloadOf: "a.jpg", in: "~", count: 2)
        #expect(words == "2 photos are in ~.")
    }

    @Test func whatHasFailedIsToldWithTheRest() {
        #expect(upload(1, failed: 1) == "In the club: “a.jpg”; 1 failed: w shows why.")
    }

    @Test func downloadsToSeveralFoldersAreToldOneByOne() {
        let words = EndedTransfers.sentence(
            forDownloadOf: "a.jpg", in: "~/Other", count: 2, isOneFolder: false)
        #expect(words == "“a.jpg” is in ~/Other.")
    }
}
