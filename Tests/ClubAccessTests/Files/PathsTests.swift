import Foundation
import Testing

@testable import ClubAccess

@Suite struct PathsTests {
    @Test func followTheVariables() {
        let paths = Paths(environment: [
            "HOME": "/home/ada", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d",
            "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/k",
        ])
        #expect(paths.configurationFolder.path == "/c/byteclub")
        #expect(paths.dataFolder.path == "/d/byteclub")
        #expect(paths.stateFolder.path == "/s/byteclub")
        #expect(paths.cacheFolder.path == "/k/byteclub")
        #expect(paths.clubFolder.path == "/d/byteclub/club")
        #expect(paths.drafts.path == "/s/byteclub/drafts")
    }

    @Test func haveDefaultsUnderHome() {
        let paths = Paths(environment: ["HOME": "/home/ada"])
        #expect(paths.configurationFolder.path == "/home/ada/.config/byteclub")
        #expect(paths.dataFolder.path == "/home/ada/.local/share/byteclub")
        #expect(paths.stateFolder.path == "/home/ada/.local/state/byteclub")
        #expect(paths.cacheFolder.path == "/home/ada/.cache/byteclub")
    }

    /// As the specification demands.
    @Test(arguments: ["", "relative/path", "~/data"])
    func ignoreWhatIsNotAbsolute(_ value: String) {
        let paths = Paths(environment: ["HOME": "/home/ada", "XDG_DATA_HOME": value])
        #expect(paths.dataFolder.path == "/home/ada/.local/share/byteclub")
    }

    @Test func findAHomeWithoutTheVariable() {
        #expect(Paths(environment: [:]).dataFolder.path.hasSuffix("/.local/share/byteclub"))
    }
}
