import Foundation
import Testing

@testable import CurlNetworking

@Suite struct TaskEventsTests {
    @Test func joinsPiecesOfBodyInOrder() {
        var events = TaskEvents()
        events.append(.data(Data("ab".utf8)))
        events.append(.data(Data("cd".utf8)))
        #expect(taken(from: &events) == ["data abcd"])
    }

    @Test func joinsNoPieceBeyondItsSize() {
        var events = TaskEvents()
        events.append(.data(Data(count: TaskEvents.joinedByteCount)))
        events.append(.data(Data("x".utf8)))
        #expect(taken(from: &events).count == 2)
    }

    @Test func replacesProgressThatWasNotToldYet() {
        var events = TaskEvents()
        events.append(.sent(total: 1, expected: 9))
        events.append(.sent(total: 5, expected: 9))
        events.append(.data(Data("x".utf8)))
        events.append(.sent(total: 9, expected: 9))
        #expect(taken(from: &events) == ["sent 5", "data x", "sent 9"])
    }

    @Test func letsNothingInBehindTheCompletion() {
        var events = TaskEvents()
        events.append(.completed(TaskResult()))
        events.append(.completed(TaskResult(error: URLError(.timedOut))))
        events.append(.data(Data("x".utf8)))
        #expect(taken(from: &events) == ["metrics", "completed"])
        events.append(.data(Data("x".utf8)))
        #expect(taken(from: &events) == [])
    }

    @Test func closingForgetsAllButTheResult() {
        var events = TaskEvents()
        events.append(.data(Data("x".utf8)))
        events.append(.completed(TaskResult()))
        events.close(with: TaskResult(error: URLError(.cancelled)))
        #expect(taken(from: &events) == ["metrics", "completed -999"])
    }

    @Test func tellsFileAndMetricsOnceBeforeTheCompletion() {
        var events = TaskEvents()
        events.append(.completed(TaskResult(file: TemporaryFile(path: "/none"))))
        guard case .downloaded? = events.takeFirst(), case .metrics? = events.takeFirst() else {
            Issue.record("no file, or no metrics, in front of the completion")
            return
        }
        events.close(with: TaskResult(error: URLError(.cancelled)))
        #expect(taken(from: &events) == ["completed -999"])
    }

    private func taken(from events: inout TaskEvents) -> [String] {
        var texts: [String] = []
        while let event = events.takeFirst() {
            switch event {
            case .data(let data): texts.append("data " + String(decoding: data, as: UTF8.self))
            case .sent(let total, _): texts.append("sent \(total)")
            case .metrics: texts.append("metrics")
            case .completed(let result):
                texts.append(
                    ["completed", result.error.map { "\($0.errorCode)" }].compactMap(\.self)
                        .joined(separator: " "))
            default: texts.append("other")
            }
        }
        return texts
    }
}

@Suite struct FlowControlTests {
    @Test func holdsAboveTheHighMarkAndLetsGoAtTheLow() {
        var flow = FlowControl(highWater: 100, lowWater: 40)
        #expect(flow.add(100) == FlowControl.Change.none)
        #expect(flow.add(1) == .full)
        #expect(flow.add(50) == FlowControl.Change.none)  // holding already
        #expect(flow.remove(100) == FlowControl.Change.none)
        #expect(flow.remove(20) == .drained)
        #expect(flow.remove(31) == FlowControl.Change.none)
        #expect(flow.waitingByteCount == 0)
    }

    @Test func takesMoreEachTimeTheReceiverHasCaughtUpUntilItIsEnough() {
        var flow = FlowControl()
        var marks: [Int] = []
        for _ in 0..<6 {
            marks.append(flow.highWater)
            #expect(flow.add(flow.highWater + 1) == .full)
            #expect(flow.remove(flow.waitingByteCount) == .drained)
        }
        #expect(marks == [128, 256, 512, 1024, 1024, 1024].map { $0 << 10 })
    }
}
