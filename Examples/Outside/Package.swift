// swift-tools-version: 6.2
import PackageDescription

// Names that other packages' targets have: SwiftPM wants each name once among all packages of a build.
let everydayNames = [
    "CCurl", "CNcurses", "COpenSSL", "CSQLite", "CXML", "CYaml", "CZlib", "Files", "Messages", "Pictures",
    "TestSupport",
]

// A program outside Byte Club that uses its networking library, as anybody's would.
let package = Package(
    name: "outside",
    dependencies: [.package(name: "byteclub", path: "../..")],
    targets: everydayNames.map { .target(name: $0, path: "Sources/Everyday/\($0)") } + [
        .executableTarget(
            name: "outside",
            dependencies: everydayNames.map { .target(name: $0) } + [
                .product(name: "CurlNetworking", package: "byteclub")
            ])
    ])
