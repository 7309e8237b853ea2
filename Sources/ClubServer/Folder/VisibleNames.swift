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

    /// - Parameter shown: The names currently shown.
    static func assign(
        _ diskNames: [String], shown: [DiskName: String] = [:]
    ) -> [Assignment] {
        let plain = PathNames.normalized
        var naming = Naming()
        var rest = diskNames.sorted(by: ByteOrder.isBefore)
        // First those shown under their name on disk, then those that can be now, then those shown under
        // another one, then new ones.
        rest = naming.assign(rest) { diskName in
            shown[DiskName(diskName)].flatMap { name in
                isSame(name, plain(diskName)) ? plain(diskName) : nil
            }
        }
        rest = naming.assign(rest) { shown[DiskName($0)] == nil ? nil : plain($0) }
        rest = naming.assign(rest) { shown[DiskName($0)] }
        rest = naming.assign(rest, plain)
        var number = 1
        while !rest.isEmpty {
            rest = naming.assign(rest) { NameRules.caseConflict(of: plain($0), number) }
            number += 1
        }
        return naming.result
    }

    private struct Naming {
        private(set) var result: [Assignment] = []
        private var taken: Set<String> = []

        /// - Parameter name: The name that a file is to have; nil for none yet.
        /// - Returns: Those that have none now, or whose name another one has.
        mutating func assign(_ diskNames: [String], _ name: (String) -> String?) -> [String] {
            var rest: [String] = []
            for diskName in diskNames {
                if let name = name(diskName), taken.insert(PathNames.key(name)).inserted {
                    result.append(Assignment(diskName: diskName, name: name))
                } else {
                    rest.append(diskName)
                }
            }
            return rest
        }
    }

    private static func isSame(_ name: String, _ other: String) -> Bool {
        PathNames.key(name) == PathNames.key(other)
    }
}
