// swift-tools-version: 6.2
import PackageDescription

/// Every target is built alike: Swift 6 mode (from the tools version), the upcoming features that
/// make concurrency and imports explicit, and no warning let through.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
]

let ropeModule = Target.Dependency.product(name: "_RopeModule", package: "swift-collections")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")

/// System libraries: a module map and a header of shims each.
let systemLibraries: [Target] = [
    .systemLibrary(name: "CByteClubCurl", pkgConfig: "libcurl"),
    .systemLibrary(name: "CByteClubCrypto", pkgConfig: "libcrypto"),
    .systemLibrary(name: "CByteClubExpat", pkgConfig: "expat"),
    .systemLibrary(name: "CByteClubLinux"),
    .systemLibrary(name: "CByteClubNcurses"),
    .systemLibrary(name: "CByteClubChafa", pkgConfig: "chafa"),
    .systemLibrary(name: "CByteClubSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "CByteClubTurboJPEG", pkgConfig: "libjpeg"),
    .systemLibrary(name: "CTestPrograms", path: "Tests/CTestPrograms"),
    .systemLibrary(name: "CByteClubPCRE2", pkgConfig: "libpcre2-8"),
    .systemLibrary(name: "CVTerm", pkgConfig: "vterm"),
    .systemLibrary(name: "CByteClubXML", pkgConfig: "libxml-2.0"),
    .systemLibrary(name: "CByteClubYaml", pkgConfig: "yaml-0.1"),
    .systemLibrary(name: "CByteClubZlib", pkgConfig: "zlib"),
]

/// `make` says which commit it builds. It is a setting of one small target, so that a new commit compiles that alone;
/// the manifest itself runs no git, which would not be noticed when its answer changes.
let commit: [CSetting] = {
    guard let name = Context.environment["BYTECLUB_COMMIT"], !name.isEmpty else { return [] }
    return [.define("BYTECLUB_COMMIT", to: name)]
}()

/// The house, ground floor first: a module imports only what stands above it.
let modules: [Target] = [
    .target(name: "CByteClubExecutor"),
    .target(name: "CByteClubArguments"),
    .target(name: "CByteClubVersion", cSettings: commit),
    .target(
        name: "CByteClubTLS", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .target(name: "CByteClubBackgroundHelper"),
    .target(name: "CByteClubMemory"),
    .target(name: "CurlNetworkingPlatform", swiftSettings: strict),
    .target(
        name: "CurlNetworkingNames", dependencies: ["CurlNetworkingPlatform"],
        swiftSettings: strict),
    .target(
        name: "CurlNetworking",
        dependencies: [
            "CByteClubCurl", "CByteClubTLS", "CByteClubZlib", "CByteClubBackgroundHelper",
            "CurlNetworkingNames", "CurlNetworkingPlatform",
        ],
        swiftSettings: strict),
    .target(
        name: "CurlNetworkingHTTPTypes", dependencies: ["CurlNetworking", httpTypes],
        swiftSettings: strict),
    .target(
        name: "CurlNetworkingFoundation", dependencies: ["CurlNetworkingNames"],
        swiftSettings: strict),
    .target(name: "CByteClubMessages"),
    .target(name: "ByteClubMessages", dependencies: ["CByteClubMessages"], swiftSettings: strict),
    .target(
        name: "TextEditing", dependencies: ["CByteClubPCRE2", "ByteClubMessages", ropeModule],
        swiftSettings: strict),
    .target(name: "CByteClubMainLoop"),
    .target(
        name: "TerminalUI",
        dependencies: ["CByteClubMainLoop", "CByteClubNcurses", "ByteClubMessages", "TextEditing"],
        swiftSettings: strict),
    .target(name: "WebText", dependencies: ["CByteClubXML", "TextEditing"], swiftSettings: strict),
    .target(name: "CByteClubPictureWorker"),
    .target(name: "CByteClubPictureLibraries", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CByteClubPNG", linkerSettings: [.linkedLibrary("png16")]),
    .target(
        name: "ByteClubPictures",
        dependencies: [
            "CByteClubTurboJPEG", "CByteClubPNG", "CByteClubChafa", "CByteClubLinux",
            "CByteClubPictureLibraries", "CByteClubPictureWorker",
            "CByteClubZlib", "ByteClubMessages",
        ],
        swiftSettings: strict),
    .target(
        name: "TerminalPictures", dependencies: ["ByteClubPictures", "TerminalUI"],
        swiftSettings: strict),
    .target(
        name: "WebPages",
        dependencies: [
            "CurlNetworking", "ByteClubMessages", "ByteClubPictures", "TerminalPictures",
            "TerminalUI",
            "TextEditing", "WebText",
        ],
        swiftSettings: strict),
    .target(name: "CByteClubWelcome"),
    .target(name: "CByteClubDemo"),
    .target(name: "CByteClubSecret", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "WelcomeContent", dependencies: ["CByteClubWelcome"], swiftSettings: strict),
    .target(name: "DropboxAPI", dependencies: ["CByteClubCrypto"], swiftSettings: strict),
    .target(name: "ByteClubFiles", dependencies: ["CByteClubLinux"], swiftSettings: strict),
    .target(
        name: "ClubStore",
        dependencies: ["CByteClubExpat", "CurlNetworking", "DropboxAPI", "ByteClubFiles"],
        swiftSettings: strict),
    .target(
        name: "ClubLibrary",
        dependencies: [
            "CByteClubSQLite", "ClubStore", "DropboxAPI", "ByteClubFiles", "ByteClubMessages",
        ],
        swiftSettings: strict),
    .target(
        name: "ClubServer",
        dependencies: [
            "CByteClubLinux", "CByteClubMemory", "DropboxAPI", "ByteClubFiles", "ByteClubPictures",
        ],
        swiftSettings: strict),
    .target(
        name: "ClubAccess",
        dependencies: [
            "CByteClubLinux", "CByteClubSecret", "CByteClubYaml", "CurlNetworking",
            "ByteClubFiles", "ClubStore", "ClubLibrary", "ClubServer",
            "ByteClubMessages", "ByteClubPictures", "TextEditing",
        ],
        swiftSettings: strict),
    .target(
        name: "ByteClub",
        dependencies: [
            "CByteClubMemory", "ByteClubMessages", "TextEditing", "TerminalUI",
            "ByteClubPictures",
            "TerminalPictures",
            "ClubStore", "ClubLibrary", "ClubAccess", "ByteClubFiles",
        ],
        swiftSettings: strict),
    .executableTarget(
        name: "byteclub",
        dependencies: [
            "ByteClub", "ClubAccess", "ClubLibrary", "ClubServer", "ClubStore", "ByteClubMessages",
            "ByteClubPictures", "TerminalUI", "TextEditing", "WelcomeContent", "CByteClubArguments",
            "CByteClubExecutor", "CByteClubLinux", "CByteClubVersion",
            argumentParser,
        ],
        swiftSettings: strict),
    .executableTarget(
        name: "nerdfeed",
        dependencies: [
            "CurlNetworking", "ByteClubMessages", "TerminalUI", "WebPages", "WebText",
            "CByteClubDemo", "CByteClubExecutor", "CByteClubVersion", argumentParser,
        ],
        swiftSettings: strict),
]

/// What tests share: a scripted loopback server, a terminal, photos, a store in memory.
let testSupport: [Target] = [
    .target(
        name: "TestSupport", dependencies: ["CTestPrograms", "CVTerm", "CByteClubTurboJPEG"],
        path: "Tests/TestSupport",
        swiftSettings: strict),
    .target(
        name: "ClubStoreTestSupport", dependencies: ["ClubStore"],
        path: "Tests/ClubStoreTestSupport", swiftSettings: strict),
]

let tests: [Target] = [
    .testTarget(name: "TestSupportTests", dependencies: ["TestSupport"], swiftSettings: strict),
    .executableTarget(
        name: "background-program", dependencies: ["CurlNetworking"],
        path: "Tests/BackgroundProgram", swiftSettings: strict),
    .testTarget(
        name: "CurlNetworkingTests",
        dependencies: [
            "CByteClubBackgroundHelper", "CByteClubCurl", "CurlNetworking",
            "CurlNetworkingFoundation", "CurlNetworkingFuzzing", "CurlNetworkingPlatform",
            "TestSupport", "background-program",
        ],
        swiftSettings: strict),
    .testTarget(
        name: "CurlNetworkingHTTPTypesTests",
        dependencies: [
            "CurlNetworking", "CurlNetworkingHTTPTypes", "TestSupport", httpTypes,
        ],
        swiftSettings: strict),
    .testTarget(
        name: "ByteClubMessagesTests", dependencies: ["ByteClubMessages"], swiftSettings: strict),
    .testTarget(
        name: "TextEditingTests", dependencies: ["TextEditing"], resources: [.copy("Fixtures")],
        swiftSettings: strict),
    .testTarget(
        name: "TerminalUITests", dependencies: ["TerminalUI", "TextEditing"],
        swiftSettings: strict),
    .testTarget(
        name: "WebTextTests",
        dependencies: ["TestSupport", "TextEditing", "WebText", "WebTextFuzzing"],
        swiftSettings: strict),
    .testTarget(
        name: "WebPagesTests",
        dependencies: [
            "CurlNetworking", "ByteClubMessages", "TerminalUI", "TestSupport", "WebPages",
            "WebText",
        ],
        swiftSettings: strict),
    .testTarget(
        name: "ByteClubPicturesTests",
        dependencies: [
            "CByteClubPictureWorker", "CByteClubZlib", "ByteClubPictures",
            "ByteClubPicturesFuzzing", "TestSupport",
            "WelcomeContent",
        ],
        swiftSettings: strict),
    .testTarget(name: "DropboxAPITests", dependencies: ["DropboxAPI"], swiftSettings: strict),
    .testTarget(
        name: "ClubServerTests",
        dependencies: [
            "ClubServer", "ClubServerFuzzing", "DropboxAPI", "ByteClubPictures",
            "TestSupport",
        ],
        swiftSettings: strict),
    .testTarget(
        name: "ClubStoreTests",
        dependencies: [
            "ClubServer", "ClubStore", "ClubStoreFuzzing", "ClubStoreTestSupport", "CurlNetworking",
            "DropboxAPI", "ByteClubPictures", "TestSupport",
        ],
        swiftSettings: strict),
    .executableTarget(
        name: "outbox-program", dependencies: ["ClubLibrary", "ClubStore"],
        path: "Tests/OutboxProgram", swiftSettings: strict),
    .testTarget(
        name: "ClubLibraryTests",
        dependencies: [
            "ClubLibrary", "ClubStore", "ClubStoreTestSupport", "TestSupport", "outbox-program",
        ],
        swiftSettings: strict),
    .testTarget(
        name: "ClubAccessTests",
        dependencies: [
            "ClubAccess", "ClubAccessFuzzing", "ClubLibrary", "ClubServer", "ClubStore",
            "ClubStoreTestSupport", "CurlNetworking", "ByteClubFiles", "ByteClubPictures",
            "TestSupport",
        ], exclude: ["Connection/Sentences.txt"],
        swiftSettings: strict),
    .testTarget(
        name: "ByteClubTests",
        dependencies: [
            "ByteClub", "ByteClubFiles", "ClubAccess", "ClubLibrary", "ClubStore",
            "ClubStoreTestSupport", "DropboxAPI", "ByteClubPictures", "TerminalUI", "TestSupport",
            "TextEditing",
            "byteclub",
        ],
        swiftSettings: strict),
    .executableTarget(
        name: "groceries", dependencies: ["CByteClubExecutor", "TerminalUI"],
        path: "Examples/Groceries",
        swiftSettings: strict),
    .testTarget(
        name: "EndToEndTests",
        dependencies: ["ByteClubPictures", "TestSupport", "byteclub", "groceries", "nerdfeed"],
        exclude: ["Screens"],
        swiftSettings: strict),
]

/// What `make bench` runs, and what draws the pictures of the screen.
let benchmarks: [Target] = [
    .target(name: "BenchMeter", path: "Benchmarks/BenchMeter", swiftSettings: strict),
    .executableTarget(
        name: "NetworkBench", dependencies: ["BenchMeter", "CurlNetworking"],
        path: "Benchmarks/NetworkBench", swiftSettings: strict),
    .executableTarget(
        name: "FoundationPeer", dependencies: ["BenchMeter"], path: "Benchmarks/FoundationPeer",
        swiftSettings: strict),
    .executableTarget(
        name: "TextBench", dependencies: ["CByteClubZlib", "TextEditing", "TerminalUI"],
        path: "Benchmarks/TextBench", swiftSettings: strict),
    .executableTarget(
        name: "StoreBench", dependencies: ["ClubStore", "DropboxAPI", "TestSupport"],
        path: "Benchmarks/StoreBench", swiftSettings: strict),
    .executableTarget(
        name: "SiegeBench", path: "Benchmarks/SiegeBench",
        swiftSettings: strict),
    .executableTarget(
        name: "ListBench", dependencies: ["ByteClub", "ClubAccess", "ClubStore"],
        path: "Benchmarks/ListBench", swiftSettings: strict),
    .executableTarget(
        name: "WebBench", dependencies: ["WebText"], path: "Benchmarks/WebBench",
        swiftSettings: strict),
    .executableTarget(
        name: "PictureBench", dependencies: ["ByteClubPictures", "TestSupport", "WelcomeContent"],
        path: "Benchmarks/PictureBench", swiftSettings: strict),
    .executableTarget(
        name: "byteclub-bench", dependencies: ["TestSupport"], path: "Benchmarks/TerminalBench",
        swiftSettings: strict),
    .executableTarget(
        name: "byteclub-screenshot", dependencies: ["TestSupport"], path: "Benchmarks/ScreenShot",
        swiftSettings: strict),
]

/// What reads bytes from outside, by module: the entry points that `make fuzz` runs, and that the tests run over the
/// corpora it has gathered. They use what is internal (`@testable`), so that nothing of them is in the product.
let fuzzed = [
    (fuzzer: "NetworkFuzzer", module: "CurlNetworking", uses: []),
    (fuzzer: "PictureFuzzer", module: "ByteClubPictures", uses: []),
    (fuzzer: "ServerFuzzer", module: "ClubServer", uses: ["DropboxAPI"]),
    (fuzzer: "StoreFuzzer", module: "ClubStore", uses: []),
    (fuzzer: "AccessFuzzer", module: "ClubAccess", uses: ["ClubLibrary"]),
    (fuzzer: "WebFuzzer", module: "WebText", uses: ["TextEditing"]),
]
let fuzzingDoors: [Target] = fuzzed.map { fuzzer, module, uses in
    .target(
        name: "\(module)Fuzzing",
        dependencies: ([module] + uses).map { .target(name: $0) },
        path: "Tests/\(fuzzer)/Doors", swiftSettings: strict)
}

/// Built by `make fuzz` alone: libFuzzer provides `main`.
let fuzzers: [Target] = {
    guard Context.environment["FUZZ"] != nil else { return [] }
    let entry = Target.target(
        name: "FuzzerEntry", path: "Tests/FuzzerEntry", swiftSettings: strict)
    return [entry]
        + fuzzed.map { fuzzer, module, _ in
            Target.executableTarget(
                name: fuzzer, dependencies: [.target(name: "\(module)Fuzzing"), "FuzzerEntry"],
                path: "Tests/\(fuzzer)", exclude: ["Corpus", "Doors"], swiftSettings: strict)
        }
}()

/// Whether this package is built for its own sake, from its own folder, and not as part of another.
let isOwnBuild =
    Context.environment["BYTECLUB_OWN_BUILD"].map { $0 == "1" }
    ?? (Context.environment["PWD"] == Context.packageDirectory)

/// With `Foundation`, `CurlNetworking` has Foundation's own `URLError`, `Progress`, `InputStream` and
/// `OperationQueue`, for programs written for URLSession: on for who depends on this package. Byte Club itself
/// is spared all of Foundation. The reasons are in docs/Decisions.md.
let traits: Set<Trait> = [
    .trait(
        name: "Foundation",
        description: "URLError, Progress, InputStream and OperationQueue are Foundation's own."),
    .default(enabledTraits: isOwnBuild ? [] : ["Foundation"]),
]

/// Whether the Swift Package Index makes the pages of the libraries: its machines lack the app's system packages.
let isDocumentationBuild = Context.environment["SPI_BUILDER"] != nil
let libraryTargets: Set = [
    "CByteClubBackgroundHelper", "CByteClubCurl", "CByteClubMainLoop", "CByteClubMessages",
    "CByteClubNcurses",
    "CByteClubPCRE2", "CByteClubTLS", "CByteClubZlib", "ByteClubMessages", "CurlNetworking",
    "CurlNetworkingFoundation", "CurlNetworkingHTTPTypes", "CurlNetworkingNames",
    "CurlNetworkingPlatform",
    "TerminalUI", "TextEditing",
]

let package = Package(
    name: "byteclub",
    products: (isDocumentationBuild
        ? []
        : [
            .executable(name: "byteclub", targets: ["byteclub"]),
            .executable(name: "nerdfeed", targets: ["nerdfeed"]),
        ]) + [
            // Byte Club itself links the first alone, and is spared all of Foundation.
            .library(
                name: "CurlNetworking", targets: ["CurlNetworking", "CurlNetworkingFoundation"]),
            // Nothing of it, and nothing that it needs, is built where it is not used.
            .library(name: "CurlNetworkingHTTPTypes", targets: ["CurlNetworkingHTTPTypes"]),
            .library(name: "TerminalUI", targets: ["TerminalUI", "TextEditing"]),
        ],
    traits: traits,
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: isDocumentationBuild
        ? (systemLibraries + modules).filter { libraryTargets.contains($0.name) }
        : systemLibraries + modules + testSupport + fuzzingDoors + tests + benchmarks + fuzzers
)
