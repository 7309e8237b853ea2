import Testing

@testable import CurlNetworking

@Suite struct ConnectionSharingTests {
    private typealias Sharing = ConnectionSharing<String, String, Int>

    private let place = "a.test"

    @Test func oneOpensAndTheOthersRideOnIt() {
        var sharing = Sharing()
        #expect(sharing.join("a", place, limit: 6) == .opener)
        #expect(sharing.join("b", place, limit: 6) == .waiting)
        #expect(sharing.join("c", place, limit: 6) == .waiting)
        #expect(!sharing.isMultiplexed(place))
        #expect(sharing.connected("a", on: 1, at: place) == ["b", "c"])
        #expect(sharing.isMultiplexed(place))
        for ticket in ["b", "c", "d"] { #expect(sharing.join(ticket, place, limit: 6) == .rider) }
        #expect(sharing.connected("b", on: 1, at: place).isEmpty)
    }

    @Test func nobodyWaitsWhereConnectionsCarryOneRequestEach() {
        var sharing = Sharing()
        _ = sharing.join("a", place, limit: 6)
        _ = sharing.join("b", place, limit: 6)
        #expect(sharing.connectedAlone(at: place) == ["b"])
        #expect(!sharing.isMultiplexed(place))
    }

    @Test func aRequestThatGoesOnUnderAnotherTicketGivesItsConnectionBack() {
        var sharing = Sharing()
        _ = sharing.join("a", place, limit: 1)
        sharing.rename("a", to: "b", at: place)
        #expect(sharing.join("b", place, limit: 1) == .opener)
        _ = sharing.connected("b", on: 1, at: place)
        sharing.rename("b", to: "c", at: place)
        _ = sharing.leave("b", place)
        #expect(sharing.isMultiplexed(place))
        _ = sharing.leave("c", place)
        #expect(!sharing.isMultiplexed(place))
    }

    @Test func theNextOneOpensWhenTheFirstGivesUp() {
        var sharing = Sharing()
        for ticket in ["a", "b", "c"] { _ = sharing.join(ticket, place, limit: 6) }
        #expect(sharing.leave("a", place) == ["b", "c"])
        #expect(sharing.join("b", place, limit: 6) == .opener)
        #expect(sharing.join("c", place, limit: 6) == .waiting)
    }

    /// Each of them would try for as long as the first has.
    @Test func allOpenOnceOneCouldNot() {
        var sharing = Sharing()
        for ticket in ["a", "b", "c", "d"] { _ = sharing.join(ticket, place, limit: 2) }
        #expect(sharing.leave("a", place, hasFailed: true) == ["b", "c", "d"])
        #expect(sharing.join("b", place, limit: 2) == .opener)
        #expect(sharing.join("c", place, limit: 2) == .opener)
        #expect(sharing.join("d", place, limit: 2) == .waiting)
        #expect(sharing.connected("b", on: 1, at: place) == ["d"])
        #expect(sharing.join("d", place, limit: 2) == .rider)
    }

    @Test func aRiderWithoutRoomOpensTheNextConnection() {
        var sharing = Sharing()
        _ = sharing.join("a", place, limit: 6)
        _ = sharing.connected("a", on: 1, at: place)
        _ = sharing.join("b", place, limit: 6)
        _ = sharing.join("c", place, limit: 6)
        sharing.foundNoRoom(at: place)
        #expect(sharing.join("b", place, limit: 6) == .opener)
        sharing.foundNoRoom(at: place)
        #expect(sharing.join("c", place, limit: 6) == .waiting)
        #expect(sharing.connected("b", on: 2, at: place) == ["c"])
        #expect(sharing.join("c", place, limit: 6) == .rider)
    }

    @Test func noMoreConnectionsThanTheLimitAndOne() {
        var sharing = Sharing()
        for (index, ticket) in ["a", "b"].enumerated() {
            sharing.foundNoRoom(at: place)
            #expect(sharing.join(ticket, place, limit: 1) == .opener)
            _ = sharing.connected(ticket, on: index, at: place)
        }
        sharing.foundNoRoom(at: place)
        #expect(sharing.join("c", place, limit: 1) == .waiting)
        // A stream that ends leaves room for another.
        #expect(sharing.leave("a", place) == ["c"])
        #expect(sharing.join("c", place, limit: 1) == .rider)
    }

    @Test func whoeverJoinsAgainKeepsItsPart() {
        var sharing = Sharing()
        #expect(sharing.join("a", place, limit: 1) == .opener)
        #expect(sharing.join("a", place, limit: 1) == .opener)
        #expect(sharing.join("b", place, limit: 1) == .waiting)
        #expect(sharing.join("b", place, limit: 1) == .waiting)
        #expect(sharing.leave("a", place) == ["b"])
        #expect(sharing.leave("b", place).isEmpty)
        #expect(sharing.leave("b", place).isEmpty)
    }

    @Test func placesAreApart() {
        var sharing = Sharing()
        #expect(sharing.join("a", place, limit: 1) == .opener)
        #expect(sharing.join("a", "b.test", limit: 1) == .opener)
    }
}
