import Testing

@testable import ByteClub

/// Where in a panorama one looks.
@MainActor @Suite struct MinimapTests {
    @Test(
        arguments: [
            (0.5, true, nil, "0°"), (0.75, true, nil, "90°"), (0.25, true, nil, "270°"),
            (0.5, true, 213.0, "213° SW"), (0.75, true, 300.0, "30° NE"),
            (0.5, true, 359.8, "0° N"),
            (0.25, false, nil, "25%"),
        ] as [(Double, Bool, Double?, String)])
    func saysWhereOneLooks(center: Double, wraps: Bool, heading: Double?, words: String) {
        #expect(MinimapView.words(center: center, wraps: wraps, heading: heading) == words)
    }

    @Test func marksWhatIsSeenAcrossTheSeam() {
        func map(_ range: ClosedRange<Double>) -> String {
            String(
                (0..<10).map { MinimapView.isVisible($0, of: 10, range) ? "=" : "-" as Character })
        }
        #expect(map(0.2...0.5) == "--===-----")
        #expect(map(-0.2...0.1) == "=-------==")
        #expect(map(0.8...1.2) == "==------==")
        #expect(map(0...1) == "==========")
    }
}
