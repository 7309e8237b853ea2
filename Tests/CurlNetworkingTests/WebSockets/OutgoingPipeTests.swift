import Dispatch
import Foundation
import Testing

@testable import CurlNetworking

/// What a WebSocket sends, without a socket.
@Suite struct OutgoingPipeTests {
    @Test func nothingIsTakenBeforeItIsOpen() {
        let pipe = OutgoingPipe()
        pipe.append(Data("a".utf8), thenEnds: true)
        #expect(takeAll(of: pipe) == nil)
        pipe.open()
        #expect(takeAll(of: pipe) == Data("a".utf8))
    }

    @Test func nothingFollowsThePieceThatEndsIt() {
        let pipe = OutgoingPipe()
        let (first, last, late) = (Signal(), Signal(), Signal())
        pipe.append(Data("text".utf8)) { first.add() }
        pipe.append(Data("close".utf8), thenEnds: true) { last.add() }
        pipe.append(Data("late".utf8)) { late.add() }
        pipe.append(Data("again".utf8), thenEnds: true) { late.add() }
        #expect(pipe.waitingCount == 2)
        pipe.open()
        #expect(takeAll(of: pipe) == Data("textclose".utf8))
        #expect(first.count == 1 && last.count == 1 && late.count == 0)
    }

    @Test func theLastPieceIsTheLastWhoeverAppendsMeanwhile() {
        for _ in 0..<200 {
            let pipe = OutgoingPipe()
            let wakes = Signal()
            pipe.connect { wakes.add() }
            pipe.open()
            DispatchQueue.concurrentPerform(iterations: 8) { index in
                pipe.append(Data((index == 4 ? "!" : "a").utf8), thenEnds: index == 4)
            }
            let bytes = takeAll(of: pipe) ?? Data()
            #expect(bytes.last == UInt8(ascii: "!"))
            #expect(bytes.dropLast().allSatisfy { $0 == UInt8(ascii: "a") })
            #expect(wakes.count == 9)
        }
    }

    /// Takes all bytes up to the end; returns nil if the end was not reached.
    private func takeAll(of pipe: OutgoingPipe) -> Data? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 3, alignment: 1)
        defer { buffer.deallocate() }
        var bytes = Data()
        while true {
            switch pipe.take(into: buffer) {
            case .bytes(let count): bytes.append(contentsOf: buffer.prefix(count))
            case .end: return bytes
            case .notYet, .failed: return nil
            }
        }
    }
}
