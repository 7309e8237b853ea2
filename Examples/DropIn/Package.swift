// swift-tools-version: 6.2
import PackageDescription

// The usual lines of programs written for URLSession, with one import changed. A package of its own,
// because what depends on `byteclub` gets its trait `Foundation`, and Byte Club itself does without.
let package = Package(
    name: "drop-in",
    dependencies: [.package(name: "byteclub", path: "../..")],
    targets: [
        .testTarget(
            name: "DropInTests",
            dependencies: [.product(name: "CurlNetworking", package: "byteclub")])
    ])
