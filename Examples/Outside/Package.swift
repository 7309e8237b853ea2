// swift-tools-version: 6.2
import PackageDescription

// A program outside Byte Club that uses its networking library, as anybody's would.
let package = Package(
    name: "outside",
    dependencies: [.package(name: "byteclub", path: "../..")],
    targets: [
        .executableTarget(
            name: "outside", dependencies: [.product(name: "CurlNetworking", package: "byteclub")])
    ])
