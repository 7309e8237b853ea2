import CByteClubCurl
import Foundation
import TestSupport
import Testing

@testable import CurlNetworking

/// What is stepped around in some versions of libcurl. `scripts/with-libcurl` runs this on each of them.
@Suite(.timeLimit(.minutes(1))) struct LibraryDefectTests {
    @Test(arguments: [(0x075801, false), (0x080E01, false), (0x081400, true), (0x081500, false)])
    func theWakeupIsLeftUnreadByOneVersion(version: UInt32, isLeft: Bool) {
        #expect(LibraryDefects(version: version).leavesWakeupUnread == isLeft)
    }

    @Test(arguments: [(0x075801, false), (0x080700, true), (0x080701, true), (0x080800, false)])
    func oneVersionCountsNoRequests(version: UInt32, isUncounted: Bool) {
        #expect(LibraryDefects(version: version).countsNoRequest == isUncounted)
        #expect(LibraryDefects(version: version).countsBodyInRequest == (version >= 0x080800))
    }

    @Test(arguments: [(0x080901, false), (0x080A00, true), (0x080E01, true), (0x080F00, false)])
    func someVersionsReadWhilePaused(version: UInt32, reads: Bool) {
        #expect(LibraryDefects(version: version).readsWhilePaused == reads)
    }

    @Test(arguments: [(0x080E01, true), (0x081400, false), (0x081500, false)])
    func olderVersionsKeepTheResetOfAStream(version: UInt32, keeps: Bool) {
        #expect(LibraryDefects(version: version).leavesResetUnsent == keeps)
    }

    @Test(arguments: [(0x075801, true), (0x080401, true), (0x080500, false), (0x081500, false)])
    func newerVersionsMustNotDecodeWhatIsDecodedHere(version: UInt32, isLet: Bool) throws {
        var configuration = AttemptConfiguration(
            url: try #require(URL(string: "http://a.test/")), method: "GET",
            headers: HTTPHeaderFields())
        let library = LibraryDefects(version: version)
        #expect(configuration.letsLibcurlDecode(library) == isLet)
        configuration.headers["Accept-Encoding"] = "gzip, BR"
        #expect(configuration.letsLibcurlDecode(library))
    }

    /// Otherwise the engine would spin from the first name on.
    @Test func theEngineRestsOnceANameWasLookedUp() async throws {
        let url = try #require(URL(string: "http://name.invalid/"))
        _ = try? await makeSession().data(from: url)
        // Other tests move sockets at the same time: that there is a moment of rest is enough.
        #expect(
            await engine { engine in
                let ready = UnsafeMutablePointer<byteclub_ready_socket>.allocate(capacity: 64)
                defer { ready.deallocate() }
                return byteclub_epoll_collect(engine.multi.epollDescriptor, ready, 64, 0) == 0
            })
    }

    @Test func onlyAWakeupIsTakenForOne() throws {
        var pair: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        let wakeup = byteclub_wakeup_create()
        let plain = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { for descriptor in pair + [wakeup, plain] { close(descriptor) } }
        #expect(byteclub_is_wakeup(pair[0]) != 0)
        #expect(byteclub_is_wakeup(wakeup) != 0)
        #expect(byteclub_is_wakeup(plain) == 0)
    }
}
