import Foundation
import Testing

@testable import CurlNetworking

@Suite struct ConnectionSlotsTests {
    private typealias Slots = ConnectionSlots<String>

    @Test func admitsUpToTheLimitAndThenInOrder() throws {
        var slots = Slots()
        let place = try place()
        #expect(slots.enter("a", at: place, limit: 2) == .connection)
        #expect(slots.enter("b", at: place, limit: 2) == .connection)
        #expect(slots.enter("c", at: place, limit: 2) == .queue)
        #expect(slots.enter("d", at: place, limit: 2) == .queue)
        #expect(slots.release(place) == "c")
        #expect(slots.release(place) == "d")
        #expect(slots.release(place) == nil)
        #expect(slots.release(place) == nil)
        #expect(slots.enter("e", at: place, limit: 1) == .connection)
    }

    @Test func admitsMoreOrFewerWhenTheLimitChanges() throws {
        var slots = Slots()
        let place = try place()
        for ticket in ["a", "b", "c", "d", "e"] { _ = slots.enter(ticket, at: place, limit: 1) }
        #expect(slots.admit(at: place, limit: 1).isEmpty)
        #expect(slots.admit(at: place, limit: 3) == ["b", "c"])
        #expect(slots.release(place, limit: 2) == nil)
        #expect(slots.release(place, limit: 2) == "d")
        #expect(slots.admit(at: place, limit: 100) == ["e"])
    }

    @Test func prefersTheHigherPriority() throws {
        var slots = Slots()
        let place = try place()
        #expect(slots.enter("a", at: place, limit: 1) == .connection)
        for (ticket, priority) in [("low", 0.1), ("high", 0.9), ("alsoHigh", 0.9)]
            as [(String, Float)]
        {
            _ = slots.enter(ticket, at: place, limit: 1, priority: priority)
        }
        #expect(slots.release(place) == "high")
        #expect(slots.release(place) == "alsoHigh")
        #expect(slots.release(place) == "low")
        #expect(slots.release(place) == nil)
    }

    @Test func whoeverChangesItsPriorityStandsInOneLineOnly() throws {
        var slots = Slots()
        let place = try place()
        for ticket in ["a", "b", "c"] { _ = slots.enter(ticket, at: place, limit: 1) }
        slots.withdraw("b", from: place)
        #expect(slots.enter("b", at: place, limit: 1, priority: 0.2) == .queue)
        #expect(slots.release(place) == "c")
        #expect(slots.release(place) == "b")
        #expect(slots.release(place) == nil)
    }

    @Test func separatesSessionsAndOrigins() throws {
        var slots = Slots()
        let places = [
            try place(), try place(session: 2), try place("https://a.test"),
            try place("http://a.test:81"),
        ]
        for place in places {
            #expect(slots.enter("a", at: place, limit: 1) == .connection)
        }
        let same = try place("http://A.test:80/x")
        #expect(slots.enter("b", at: same, limit: 1) == .queue)
    }

    @Test func whoeverWithdrawsIsNotCalled() throws {
        var slots = Slots()
        let place = try place()
        #expect(slots.enter("a", at: place, limit: 1) == .connection)
        _ = slots.enter("b", at: place, limit: 1)
        _ = slots.enter("c", at: place, limit: 1)
        slots.withdraw("b", from: place)
        #expect(slots.release(place) == "c")
    }

    private func place(_ url: String = "http://a.test", session: Int = 1) throws -> Slots.Place {
        let url = try #require(URL(string: url))
        return Slots.Place(session: session, origin: try #require(Origin(of: url)))
    }
}
