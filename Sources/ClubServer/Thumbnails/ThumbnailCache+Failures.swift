import FoundationEssentials

/// The pictures that could not be decoded, by revision: a changed file is another picture.
extension ThumbnailCache {
    /// Increase it to discard the failures of earlier versions, which supported fewer formats.
    private static let generation = 2

    /// - Parameter isWhole: At full size, for which more pictures are too large.
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
