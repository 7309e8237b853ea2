import Foundation
import Testing

@testable import CurlNetworking

@Suite struct CacheRemovalsTests {
    private func makeKey(_ path: String = "x") throws -> CacheKey {
        try #require(CacheKey(URL(string: "http://a.test/\(path)")))
    }

    @Test func aRemovalOutdatesEarlierStampsOfItsKey() throws {
        var removals = CacheRemovals()
        let (key, other) = (try makeKey(), try makeKey("other"))
        let before = removals.stamp
        #expect(removals.isCurrent(before, for: key))
        removals.note(key)
        #expect(!removals.isCurrent(before, for: key))
        #expect(removals.isCurrent(before, for: other))
        #expect(removals.isCurrent(removals.stamp, for: key))
    }

    @Test func aRemovalOfAllOutdatesEveryEarlierStamp() throws {
        var removals = CacheRemovals()
        let (key, other) = (try makeKey(), try makeKey("other"))
        removals.note(key)
        let before = removals.stamp
        removals.noteAll()
        #expect(removals.count == 0)
        #expect(!removals.isCurrent(before, for: key))
        #expect(!removals.isCurrent(before, for: other))
        #expect(removals.isCurrent(removals.stamp, for: key))
    }

    @Test func aResponseIsNewerThanItsOwnRemovals() throws {
        var removals = CacheRemovals()
        let (key, other) = (try makeKey(), try makeKey("other"))
        let before = removals.stamp
        let renewed = removals.note([key, other], from: before, of: key)
        #expect(removals.isCurrent(renewed, for: key))
        #expect(!removals.isCurrent(before, for: key))
        // Others had removed it first.
        let late = removals.note([key], from: before, of: key)
        #expect(late == before)
        #expect(!removals.isCurrent(renewed, for: key))
    }

    @Test func theTableIsBounded() throws {
        var removals = CacheRemovals()
        let first = try makeKey("0")
        let before = removals.stamp
        removals.note(first)
        var stamps: [CacheRemovals.Stamp] = []
        for number in 1...2 * CacheRemovals.capacity {
            removals.note(try makeKey("\(number)"))
            stamps.append(removals.stamp)
        }
        #expect(removals.count <= CacheRemovals.capacity)
        // Never forgotten, only noted more coarsely.
        #expect(!removals.isCurrent(before, for: first))
        for (index, stamp) in stamps.enumerated().suffix(100) {
            let key = try makeKey("\(index + 1)")
            #expect(removals.isCurrent(stamp, for: key))
        }
    }
}
