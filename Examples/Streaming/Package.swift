// swift-tools-version: 6.2
import PackageDescription

// A program outside Byte Club that streams both ways with the types of swift-http-types.
let package = Package(
    name: "streaming",
    dependencies: [
        .package(name: "byteclub", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "streaming",
            dependencies: [
                .product(name: "CurlNetworkingHTTPTypes", package: "byteclub"),
                .product(name: "CurlNetworking", package: "byteclub"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ])
    ])
