internal import ClubStore
internal import TerminalUI

/// The pictures of the photo on the screen and of those next to it, which are loaded in advance.
@MainActor final class NeighborPictures {
    typealias Load = @MainActor (RemoteFile) async throws -> LoadedPicture

    private let load: Load
    /// Counts pending work.
    private weak var owner: ViewController?
    private var pictures: [RemotePath: LoadedPicture] = [:]
    private var bringing: Task<Void, Never>?

    /// - Parameter load: Loads as much of a picture as the screen shows.
    init(owner: ViewController, load: @escaping Load) {
        self.owner = owner
        self.load = load
    }

    subscript(path: RemotePath) -> LoadedPicture? { pictures[path] }

    /// Removes the picture of a photo that has changed.
    func forget(_ path: RemotePath) { pictures[path] = nil }

    func cancel() { bringing?.cancel() }

    /// Loads the next and the previous picture, and releases others.
    ///
    /// - Parameters:
    ///   - nearby: The more likely one first.
    ///   - photo: The photo on the screen, whose picture is kept.
    func bring(_ nearby: [RemoteFile], beside photo: RemoteFile, _ picture: LoadedPicture?) {
        let paths = Set(nearby.map(\.path) + [photo.path])
        pictures = pictures.filter { paths.contains($0.key) }
        if let picture { pictures[photo.path] = picture }
        bringing?.cancel()
        bringing = owner?.startPending { [self] in
            for neighbor in nearby where pictures[neighbor.path] == nil {
                guard !Task.isCancelled, let loaded = try? await load(neighbor) else { continue }
                if !Task.isCancelled { pictures[neighbor.path] = loaded }
            }
        }
    }
}
