import ArgumentParser
import ByteClub
import ClubAccess
import ClubStore
import Messages

struct PhotosMove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mv", abstract: "Rename a photo.",
        discussion: "A photo that has the new name already is never replaced.")

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(help: "The photo.")
    var name: String

    @Argument(help: "Its new name; “.jpg” is added when it does not say that it is a picture.")
    var newName: String

    func run() async throws {
        let folder = try ClubFiles.photosFolder()
        let store = try await club.open()
        let path = try await PhotoPaths.find(name, in: folder, of: store)
        let target = try folder.appending(newName: ClubFiles.photoName(for: newName))
        guard target != path else {
            throw CommandFailure(localized("“\(name)” has that name already. Nothing was changed."))
        }
        let moved: RemoteEntry
        do throws(StoreError) {
            moved = try await store.move(path, to: target)
        } catch {
            guard error.code == .notFound else { throw error }
            throw CommandFailure(localized("There is no photo “\(name)” in the club."))
        }
        if json.isOn, let file = moved.file { try Output.json(ListedFile(file)) }
    }
}

struct PhotosRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Remove photos.")

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(help: "The photos.")
    var names: [String]

    func run() async throws {
        let folder = try ClubFiles.photosFolder()
        let store = try await club.open()
        var removed: [ListedFile] = []
        for name in names {
            let path = try await PhotoPaths.find(name, in: folder, of: store)
            do throws(StoreError) {
                // A folder has many photos in it: this is for one.
                let file = try await store.metadata(of: path)
                try await store.delete(path, ifRevision: file.revision)
                removed.append(ListedFile(file))
            } catch {
                guard error.code == .notFound else { throw error }
                throw CommandFailure(localized("There is no photo “\(name)” in the club."))
            }
        }
        if json.isOn { try Output.json(removed) }
    }
}
