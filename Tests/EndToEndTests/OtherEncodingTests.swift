import Foundation
import TestSupport
import Testing

/// Notes whose bytes are not UTF-8.
@Suite struct OtherEncodingTests {
    @Test func latin1IsShownAndBecomesUTF8OnlyWhenSaved() async throws {
        try await inFreshHome { home in
            let file = home.club.appending(path: "old.txt")
            try Data([0x67, 0x72, 0xFC, 0xDF, 0x65, 0x0A]).write(to: file)
            let terminal = try await home.open()
            defer { terminal.close() }
            terminal.press(.enter)
            try await terminal.wait(forText: "grüße")
            try await terminal.wait(forText: "Latin-1 · read only")
            terminal.type("c")
            try await terminal.wait(forText: "modified")
            #expect(try Data(contentsOf: file).count == 6)
            terminal.press(.function(2))
            try await terminal.waitForTabs()
            #expect(try String(contentsOf: file, encoding: .utf8) == "grüße\n")
        }
    }

    @Test func whatIsNoTextIsShownAndLeftAlone() async throws {
        try await inFreshHome { home in
            let file = home.club.appending(path: "odd.txt")
            try Data([0x41, 0x00, 0xFF, 0x0A]).write(to: file)
            let terminal = try await home.open()
            defer { terminal.close() }
            terminal.press(.enter)
            try await terminal.wait(forText: "A^@<FF>")
            try await terminal.wait(forText: "not text · read only")
            terminal.type("c")
            try await terminal.wait(forText: "nothing to convert")
            terminal.press(.escape)
            try await terminal.wait(untilGone: "read only")
            #expect(try Data(contentsOf: file) == Data([0x41, 0x00, 0xFF, 0x0A]))
        }
    }
}
