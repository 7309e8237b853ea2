import DropboxAPI

/// Maps the names in one folder on disk to names for clients.
///
/// A disk can store `Note.txt` beside `note.txt`, and one name in two normalization forms; the API
/// cannot. One of them is shown under its own name, the others as `note (Case Conflict).txt`, so that no file is
/// hidden. Whatever is shown keeps the name it has, so that this never comes to mean another file; only when
/// nothing is shown under the name itself any more, the next one gets it.
enum VisibleNames {
    struct Assignment: Hashable, Sendable {
        let diskName: String
        /// The name for clients, in Normalization Form C.
        let name: String
        /// The last component of its key.
        let key: String

        init(diskName: String, name: String, key: String? = nil) {
            self.diskName = diskName
            self.name = name
            self.key = key ?? PathNames.key(name)
        }
    }

    /// - Parameter shown: The names that are shown by now.
    static func assign(
        _ diskNames: [String], shown: [DiskName: String] = [:]
    ) -> [Assignment] {
        let sorted = diskNames.sorted(by: ByteOrder.isBefore)
        var taken: Set<String> = []
        var result: [Assignment] = []
        func take(_ diskName: String, _ name: String) -> Bool {
            guard taken.insert(PathNames.key(name)).inserted else { return false }
            result.append(Assignment(diskName: diskName, name: name))
            return true
        }
        func plain(_ diskName: String) -> String { PathNames.normalized(diskName) }
        // First those that are shown under the name they have on the disk; then those that can be by now; then
        // those that are shown under another one; then what is new.
        var late = sorted.filter { diskName in
            guard let name = shown[DiskName(diskName)], isSame(name, plain(diskName)) else {
                return true
            }
            return !take(diskName, plain(diskName))
        }
        late = late.filter { shown[DiskName($0)] == nil || !take($0, plain($0)) }
        late = late.filter { diskName in
            guard let name = shown[DiskName(diskName)] else { return true }
            return !take(diskName, name)
        }
        late = late.filter { !take($0, plain($0)) }
        for diskName in late {
            var number = 1
            while !take(diskName, NameRules.caseConflict(of: plain(diskName), number)) {
                number += 1
            }
        }
        return result
    }

    private static func isSame(_ name: String, _ other: String) -> Bool {
        PathNames.key(name) == PathNames.key(other)
    }
}
