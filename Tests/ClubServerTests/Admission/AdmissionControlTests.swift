@testable import ClubServer
import Testing

/// Who is let in, who waits and who has to go, as a value; no socket, no clock.
@Suite struct AdmissionControlTests {
    private let door: Door
    private let start = ContinuousClock.now
    private let meter = TransferMeter()

    init() {
        var limits = ConnectionLimits()
        limits.anonymous = 4
        limits.anonymousPerPeer = 3
        limits.authenticated = 2
        limits.longPolls = 1
        limits.requests = 3
        limits.requestsPerPeer = 2
        limits.lingering = 2
        door = Door(limits)
    }

    /// The value, where expectations may change it.
    private final class Door {
        private var control: AdmissionControl
        init(_ limits: ConnectionLimits) { control = AdmissionControl(limits: limits) }

        func admit(
            _ peer: PeerIdentity, _ meter: TransferMeter, at now: ContinuousClock.Instant
        ) -> (id: AdmissionControl.ID, closings: [Closing]) {
            control.admit(peer, meter, at: now)
        }
        func authenticate(
            _ id: AdmissionControl.ID, at now: ContinuousClock.Instant
        ) -> [Closing]? { control.authenticate(id, at: now) }
        func beginRequest(_ id: AdmissionControl.ID) -> AdmissionControl.Admission {
            control.beginRequest(id)
        }
        func beginLongPoll(
            _ id: AdmissionControl.ID, at now: ContinuousClock.Instant
        ) -> AdmissionControl.Admission { control.beginLongPoll(id, at: now) }
        func enter(
            _ phase: ConnectionPhase, _ id: AdmissionControl.ID, at now: ContinuousClock.Instant
        ) -> [Closing] { control.enter(phase, id, at: now) }
        func sweep(at now: ContinuousClock.Instant) -> [Closing] { control.sweep(at: now) }
        func makeRoom(at now: ContinuousClock.Instant) -> [Closing] { control.makeRoom(at: now) }
        func stop(at now: ContinuousClock.Instant) -> [Closing] { control.stop(at: now) }
        func remove(_ id: AdmissionControl.ID) { control.remove(id) }
        var hasDeadlines: Bool { control.hasDeadlines }
        var requestCount: Int { control.requestCount }
    }

    private typealias Closing = AdmissionControl.Closing

    private func admit(
        _ peer: PeerIdentity = .address(1), after seconds: Int = 0
    ) -> (id: AdmissionControl.ID, closings: [Closing]) {
        door.admit(peer, meter, at: start + .seconds(seconds))
    }

    private func member(
        _ peer: PeerIdentity = .address(1), idle: Bool = true,
        meter: TransferMeter = TransferMeter()
    ) -> AdmissionControl.ID {
        let id = door.admit(peer, meter, at: start).id
        #expect(door.authenticate(id, at: start) != nil)
        if idle { _ = door.enter(.idle, id, at: start) }
        return id
    }

    @Test func aNewcomerAlwaysGetsItsTurn() {
        let first = admit(.address(1)).id
        for _ in 0..<3 { #expect(admit(.address(2)).closings.isEmpty) }
        // The house is full: of the peer with the most, the one that came first goes.
        #expect(admit(.address(3)).closings == [Closing(id: first + 1, reason: .crowded)])
        #expect(admit(.address(4)).closings == [Closing(id: first + 2, reason: .crowded)])
    }

    @Test func aPeerCrowdsOutItselfOnly() {
        let other = admit(.user(7)).id
        let mine = (0..<3).map { _ in admit(.user(8)).id }
        #expect(admit(.user(8)).closings == [Closing(id: mine[0], reason: .crowded)])
        #expect(admit(.user(8)).closings == [Closing(id: mine[1], reason: .crowded)])
        #expect(mine.allSatisfy { $0 != other })
    }

    @Test func sendingDropByDropKeepsNoPlace() {
        let slow = admit().id
        _ = (0..<2).map { _ in admit() }
        meter.note(1)
        _ = door.enter(.readingHead, slow, at: start + .seconds(1))
        #expect(admit(after: 2).closings == [Closing(id: slow, reason: .crowded)])
    }

    @Test func whoHasNoTokenTakesNoPlaceOfWhoHas() {
        let member = member()
        for second in 0..<100 {
            #expect(
                !admit(.address(UInt32(second)), after: second).closings.map(\.id).contains(member))
        }
        _ = self.member()
        #expect(door.beginRequest(member) == .admitted)
    }

    @Test func whoRestsMakesRoomForWhoComes() {
        let resting = member()
        let working = member(idle: false)
        #expect(door.beginRequest(working) == .admitted)
        let third = admit().id
        #expect(door.authenticate(third, at: start) == [Closing(id: resting, reason: .crowded)])
        #expect(door.beginRequest(third) == .admitted)
        // Now both work, and nobody is interrupted.
        #expect(door.authenticate(admit().id, at: start) == nil)
    }

    @Test func whoIsStuckMakesRoomForWhoComes() {
        let stuck = member(idle: false, meter: TransferMeter(at: start))
        _ = door.enter(.readingBody, stuck, at: start)
        let moving = TransferMeter(at: start)
        let busy = member(idle: false, meter: moving)
        _ = door.enter(.readingBody, busy, at: start)
        let later = start + .seconds(11)
        moving.note(1, at: later)
        #expect(
            door.authenticate(admit().id, at: later) == [Closing(id: stuck, reason: .crowded)])
    }

    @Test func requestsAreLimitedAndCounted() {
        let one = admit(.address(1)).id
        let two = admit(.address(1)).id
        let three = admit(.address(1)).id
        #expect(door.beginRequest(one) == .admitted)
        #expect(door.beginRequest(two) == .admitted)
        #expect(door.beginRequest(three) == .busy)
        // Another peer still has a place, then nobody has.
        let other = admit(.address(2)).id
        #expect(door.beginRequest(other) == .admitted)
        _ = door.enter(.idle, one, at: start)
        #expect(door.beginRequest(three) == .admitted)
        #expect(door.beginRequest(one) == .busy)
        door.remove(two)
        #expect(door.beginRequest(one) == .admitted)
        #expect(door.requestCount == 3)
    }

    @Test func longPollsTakeNoPlaceOfRequests() {
        let poll = admit().id
        #expect(door.beginRequest(poll) == .admitted)
        #expect(door.beginLongPoll(poll, at: start) == .admitted)
        #expect(door.requestCount == 0)
        let second = admit().id
        #expect(door.beginLongPoll(second, at: start) == .busy)
        // Nor of connections that have shown the token.
        _ = (member(), member())
        for _ in 0..<10 { #expect(!admit().closings.map(\.id).contains(poll)) }
        #expect(door.sweep(at: start + .seconds(3600)).map(\.id).contains(poll) == false)
    }

    @Test func aHeadHasSoLong() {
        let new = admit().id
        let kept = member()
        #expect(door.sweep(at: start + .seconds(9)).isEmpty)
        #expect(door.sweep(at: start + .seconds(10)) == [Closing(id: new, reason: .tooSlow)])
        // A connection at rest has no deadline, one with half a head has.
        #expect(door.sweep(at: start + .seconds(9999)).map(\.id) == [new])
        _ = door.enter(.readingHead, kept, at: start + .seconds(10_000))
        #expect(door.sweep(at: start + .seconds(10_009)).isEmpty)
        #expect(door.sweep(at: start + .seconds(10_010)).map(\.id) == [kept])
    }

    @Test func aBodyMayTakeLongAsLongAsItMovesOn() {
        let meter = TransferMeter(at: start)
        let id = member(idle: false, meter: meter)
        _ = door.enter(.readingBody, id, at: start)
        for round in 1...20 {
            meter.note(1024)
            #expect(door.sweep(at: start + .seconds(30 * round)).isEmpty)
        }
        meter.note(1023)
        #expect(door.sweep(at: start + .seconds(629)).isEmpty)
        #expect(door.sweep(at: start + .seconds(630)) == [Closing(id: id, reason: .tooSlow)])
    }

    @Test func whoHasNoTokenGetsNoLongerForABodyOrAnAnswer() {
        for phase in [ConnectionPhase.readingBody, .sendingAnswer] {
            let id = admit().id
            _ = door.enter(phase, id, at: start)
            meter.note(1 << 20)
            #expect(door.sweep(at: start + .seconds(10)) == [Closing(id: id, reason: .tooSlow)])
            door.remove(id)
        }
    }

    @Test func anAnswerThatNobodyReadsEnds() {
        let id = member(idle: false, meter: TransferMeter(at: start))
        #expect(door.beginRequest(id) == .admitted)
        _ = door.enter(.sendingAnswer, id, at: start)
        #expect(door.sweep(at: start + .seconds(299)).isEmpty)
        #expect(door.sweep(at: start + .seconds(300)) == [Closing(id: id, reason: .tooSlow)])
        #expect(door.requestCount == 0)
    }

    @Test func lingeringIsShortAndLimited() {
        let ids = (0..<3).map { _ in admit().id }
        var closings: [Closing] = []
        for (second, id) in ids.enumerated() {
            closings += door.enter(.lingering, id, at: start + .seconds(second))
        }
        #expect(closings == [Closing(id: ids[0], reason: .lingeredLongEnough)])
        #expect(
            door.sweep(at: start + .seconds(3))
                == [Closing(id: ids[1], reason: .lingeredLongEnough)])
        #expect(door.hasDeadlines)
        #expect(door.sweep(at: start + .seconds(4)).map(\.id) == [ids[2]])
        #expect(!door.hasDeadlines)
    }

    @Test func withoutDescriptorsTheLeastMissedGoFirst() {
        let member = member()
        let new = admit().id
        let over = admit().id
        _ = door.enter(.lingering, over, at: start)
        #expect(door.makeRoom(at: start).map(\.id) == [over])
        #expect(door.makeRoom(at: start).map(\.id) == [new])
        #expect(door.makeRoom(at: start).map(\.id) == [member])
        #expect(door.makeRoom(at: start).isEmpty)
    }

    @Test func stoppingEndsWhoDoesNothing() {
        let idle = member()
        let working = member(idle: false)
        #expect(door.beginRequest(working) == .admitted)
        #expect(door.stop(at: start) == [Closing(id: idle, reason: .stopping)])
        let late = admit()
        #expect(late.closings == [Closing(id: late.id, reason: .stopping)])
        #expect(door.requestCount == 1)
        door.remove(working)
        #expect(door.requestCount == 0)
    }

    @Test(arguments: [72, 100, 256, 1024, 4096, 1 << 20])
    func everyPlaceHasItsDescriptor(descriptorLimit: Int) {
        let limits = ConnectionLimits(descriptorLimit: descriptorLimit)
        #expect(limits.total <= (descriptorLimit - DescriptorLimit.ownCount) / 2)
        let least = [
            limits.anonymous, limits.authenticated, limits.longPolls, limits.requests,
            limits.requestsPerPeer, limits.lingering,
        ].min()
        #expect(least ?? 0 >= 2)
    }
}
