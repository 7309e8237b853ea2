import DropboxAPI

/// Maps the names in one folder on disk to names for clients.
///
/// A disk can store `Note.txt` beside `note.txt`, and one name in two normalization forms; the API
/// cannot. The first in byte order keeps its name; the others are shown as `note (Case
/// Conflict).txt`, so that no file is hidden. The same names always give the same result.
enum VisibleNames {
    struct Assignment: Hashable, Sendable {
        let diskName: String
        /// The name for clients, in Normalization Form C.
        let name: String
        /// The last component of its key.
        let key: String
    }

    static func assign(_ diskNames: [String]) -> [Assignment] {
        let sorted = diskNames.sorted(by: ByteOrder.isBefore)
        var taken: Set<String> = []
        var result: [Assignment] = []
        var late: [String] = []
        for diskName in sorted {
            let name = PathNames.normalized(diskName)
            let key = PathNames.key(name)
            if taken.insert(key).inserted {
                result.append(Assignment(diskName: diskName, name: name, key: key))
            } else {
                late.append(diskName)
            }
        }
        for diskName in late {
            let plain = PathNames.normalized(diskName)
            var number = 1
            var name = NameRules.caseConflict(of: plain, number)
            while !taken.insert(PathNames.key(name)).inserted {
                number += 1
                name = NameRules.caseConflict(of: plain, number)
            }
            result.append(
                Assignment(diskName: diskName, name: name, key: PathNames.key(name)))
        }
        return result
    }
}
