import Foundation
import Testing

@testable import CurlNetworking

@Suite struct ConnectionSlotsTests {
    private typealias Slots = ConnectionSlots<String>

    @Test func admitsUpToTheLimitAndThenInOrder() throws {
        var slots = Slots()
        let place = try place()
        #expect(slots.enter("a", at: place, limit: 2) == true)
        #expect(slots.enter("b", at: place, limit: 2) == true)
        #expect(slots.enter("c", at: place, limit: 2) == false)
        #expect(slots.enter("d", at: place, limit: 2) == false)
        #expect(slots.leave(place) { _ in 0.5 } == "c")
        #expect(slots.leave(place) { _ in 0.5 } == "d")
        #expect(slots.leave(place) { _ in 0.5 } == nil)
        #expect(slots.leave(place) { _ in 0.5 } == nil)
        #expect(slots.enter("e", at: place, limit: 1) == true)
    }

    @Test func prefersTheHigherPriority() throws {
        var slots = Slots()
        let place = try place()
        #expect(slots.enter("a", at: place, limit: 1) == true)
        for ticket in ["low", "high", "alsoHigh"] { _ = slots.enter(ticket, at: place, limit: 1) }
        let priority = { (ticket: String) -> Float in ticket == "low" ? 0.1 : 0.9 }
        #expect(slots.leave(place, priority: priority) == "high")
        #expect(slots.leave(place, priority: priority) == "alsoHigh")
        #expect(slots.leave(place, priority: priority) == "low")
    }

    @Test func separatesSessionsAndOrigins() throws {
        var slots = Slots()
        let places = [
            try place(), try place(session: 2), try place("https://a.test"),
            try place("http://a.test:81"),
        ]
        for place in places {
            #expect(slots.enter("a", at: place, limit: 1) == true)
        }
        let same = try place("http://A.test:80/x")
        #expect(slots.enter("b", at: same, limit: 1) == false)
    }

    @Test func whoeverWithdrawsIsNotCalled() throws {
        var slots = Slots()
        let place = try place()
        #expect(slots.enter("a", at: place, limit: 1) == true)
        _ = slots.enter("b", at: place, limit: 1)
        _ = slots.enter("c", at: place, limit: 1)
        slots.withdraw("b", from: place)
        #expect(slots.leave(place) { _ in 0.5 } == "c")
    }

    private func place(_ url: String = "http://a.test", session: Int = 1) throws -> Slots.Place {
        let url = try #require(URL(string: url))
        return Slots.Place(session: session, origin: try #require(Origin(of: url)))
    }
}
