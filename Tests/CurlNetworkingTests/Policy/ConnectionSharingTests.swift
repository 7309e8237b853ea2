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
        for ticket in ["a", "b", "c"] { _ = sharing.join(ticket, place, limit: 6) }
        #expect(sharing.connectedAlone("a", at: place) == ["b", "c"])
        #expect(!sharing.isMultiplexed(place))
        #expect(sharing.join("b", place, limit: 6) == .opener)
        #expect(sharing.join("c", place, limit: 6) == .opener)
    }

    /// Many may have come while the place was taken for one of HTTP/2.
    @Test func connectionsThatCarryOneRequestEachKeepTheLimit() {
        var sharing = Sharing()
        for ticket in ["a", "b", "c", "d", "e"] { _ = sharing.join(ticket, place, limit: 2) }
        #expect(sharing.connectedAlone("a", at: place) == ["b", "c", "d", "e"])
        #expect(sharing.join("b", place, limit: 2) == .opener)
        for ticket in ["c", "d", "e"] {
            #expect(sharing.join(ticket, place, limit: 2) == .waiting)
        }
        #expect(sharing.connectedAlone("b", at: place).isEmpty)
        #expect(sharing.leave("a", place) == ["c"])
        #expect(sharing.join("c", place, limit: 2) == .opener)
        #expect(sharing.leave("c", place) == ["d"])
    }

    @Test func streamsOutliveAnAnswerOfHTTP1() {
        var sharing = Sharing()
        _ = sharing.join("a", place, limit: 2)
        _ = sharing.connected("a", on: 1, at: place)
        sharing.foundNoRoom(at: place)
        #expect(sharing.join("b", place, limit: 2) == .opener)
        #expect(sharing.join("c", place, limit: 2) == .waiting)
        #expect(sharing.connectedAlone("b", at: place) == ["c"])
        #expect(sharing.isMultiplexed(place))
        // One more than the limit, as the one with streams may be closing.
        #expect(sharing.join("c", place, limit: 2) == .opener)
        #expect(sharing.join("d", place, limit: 2) == .waiting)
        #expect(sharing.join("e", place, limit: 2) == .waiting)
        #expect(sharing.connectedAlone("c", at: place).isEmpty)
        // A stream that ends leaves room on a connection that is there.
        #expect(sharing.leave("a", place) == ["d"])
        #expect(sharing.join("d", place, limit: 2) == .rider)
    }

    @Test func whoWaitsRidesWhereThereIsRoomAfterAll() {
        var sharing = Sharing()
        for ticket in ["a", "b", "c"] { _ = sharing.join(ticket, place, limit: 6) }
        #expect(sharing.connectedAlone("a", at: place) == ["b", "c"])
        #expect(sharing.join("b", place, limit: 6) == .opener)
        #expect(sharing.connected("b", on: 1, at: place).isEmpty)
        #expect(sharing.join("c", place, limit: 6) == .rider)
        #expect(sharing.connected("c", on: 1, at: place).isEmpty)
        #expect(sharing.leave("b", place).isEmpty)
        #expect(sharing.isMultiplexed(place))
    }

    /// Else one that stays for long would keep the room for another that was there.
    @Test func twoStreamsThatEndAtOnceCallTwo() {
        var sharing = Sharing()
        for ticket in ["a", "b"] {
            _ = sharing.join(ticket, place, limit: 1)
            _ = sharing.connected(ticket, on: 1, at: place)
        }
        _ = sharing.join("x", place, limit: 1)
        sharing.foundNoRoom(at: place)
        _ = sharing.connected("x", on: 2, at: place)
        sharing.foundNoRoom(at: place)
        for ticket in ["c", "d", "e"] {
            #expect(sharing.join(ticket, place, limit: 1) == .waiting)
        }
        #expect(sharing.leave("a", place) == ["c"])
        #expect(sharing.leave("b", place) == ["d"])
        // It does not come: its call is another's.
        #expect(sharing.leave("c", place) == ["e"])
    }

    @Test func roomIsKeptForThoseYetToCome() {
        var sharing = Sharing()
        for (index, ticket) in ["a", "b"].enumerated() {
            sharing.foundNoRoom(at: place)
            _ = sharing.join(ticket, place, limit: 1)
            _ = sharing.connected(ticket, on: index, at: place)
        }
        _ = sharing.connected("c", on: 1, at: place)
        sharing.foundNoRoom(at: place)
        _ = sharing.leave("c", place)
        #expect(sharing.join("d", place, limit: 1) == .rider)
    }

    @Test func whatNeedsANewConnectionPassesRoomOn() {
        var sharing = Sharing()
        for (index, ticket) in ["a", "b"].enumerated() {
            sharing.foundNoRoom(at: place)
            _ = sharing.join(ticket, place, limit: 1)
            _ = sharing.connected(ticket, on: index, at: place)
        }
        _ = sharing.connected("c", on: 0, at: place)
        #expect(sharing.join("x", place, limit: 1, needsNew: true) == .waiting)
        #expect(sharing.join("y", place, limit: 1, needsNew: true) == .waiting)
        sharing.foundNoRoom(at: place)
        #expect(sharing.join("z", place, limit: 1) == .waiting)
        #expect(sharing.leave("c", place) == ["x"])
        #expect(sharing.join("x", place, limit: 1, needsNew: true) == .waiting)
        #expect(sharing.passOn("x", at: place) == ["y"])
        #expect(sharing.join("y", place, limit: 1, needsNew: true) == .waiting)
        #expect(sharing.passOn("y", at: place) == ["z"])
        #expect(sharing.join("z", place, limit: 1) == .rider)
        #expect(sharing.passOn("y", at: place).isEmpty)
        // The last stream of a connection leaves a place for another.
        #expect(sharing.leave("b", place) == ["x"])
        #expect(sharing.join("x", place, limit: 1, needsNew: true) == .opener)
    }

    /// Requests that come, ride, fail, end and give up in every order, of which some never end: each that can go on is
    /// called.
    @Test(arguments: UInt64(0)..<40) func nobodyIsForgotten(seed: UInt64) {
        var simulation = SharingSimulation(seed: seed)
        simulation.run()
        #expect(simulation.forgotten.isEmpty)
        #expect(simulation.mostConnections <= simulation.limit + 1)
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
        #expect(sharing.leave("a", place) == ["b"])
        #expect(sharing.join("b", place, limit: 6) == .opener)
        #expect(sharing.leave("b", place) == ["c"])
    }

    /// Each of them would try for as long as the first has.
    @Test func allOpenOnceOneCouldNot() {
        var sharing = Sharing()
        for ticket in ["a", "b", "c", "d"] { _ = sharing.join(ticket, place, limit: 2) }
        #expect(sharing.leave("a", place, hasFailed: true) == ["b", "c"])
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
