import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import TestSupport
import Testing

@testable import ByteClub
@testable import ClubAccess

/// The queue of a whole day, with what a day brings, on a simulated clock.
@MainActor @Suite(.serialized) struct TransferDayTests {
    @Test(arguments: [UInt64(1), 2]) func everythingOfADayArrives(seed: UInt64) async throws {
        let day = try SimulatedDay(seed: seed)
        defer { day.end() }
        try await day.run()

        let items = day.journal.items(at: day.clock.date)
        #expect(items.count == SimulatedDay.transferCount)
        for item in items {
            let reported = "\(item.order.direction) of \(item.order.name): \(item.status)"
            #expect(
                item.state == (day.cancelled.contains(item.id) ? .cancelled : .done), "\(reported)")
            #expect(day.arrived(item) == (item.state == .done), "\(reported)")
        }
        #expect(day.storedCopyCount == 0, "something was uploaded twice")
        #expect(day.problems.isEmpty, "\(day.problems.joined(separator: "\n"))")
        // What a day of two outages and a refusing server costs: far from a request a second.
        #expect(day.requestCount > SimulatedDay.transferCount)
        #expect(day.requestCount < SimulatedDay.transferCount * 60)
    }
}
