import FoundationEssentials

/// The pictures that could not be opened, by revision: a changed file is another picture.
extension ThumbnailCache {
    /// Another number forgets the failures of earlier versions, which could open less.
    private static let generation = 1

    /// - Parameter isWhole: At its full size, which more pictures are too large for.
    func hasFailure(of revision: String, isWhole: Bool) -> Bool {
        self[Self.name(revision, isWhole)] != nil
    }

    func addFailure(of revision: String, isWhole: Bool) {
        add(Data("This picture cannot be opened.\n".utf8), as: Self.name(revision, isWhole))
    }

    private static func name(_ revision: String, _ isWhole: Bool) -> String {
        "\(revision)-\(isWhole ? "original" : "any")-failed\(generation)"
    }
}
